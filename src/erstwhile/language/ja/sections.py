"""Japanese words of the sections of a profile."""

from typing import Final

SECTIONS: Final = {
    "opinions": "と思|意見|考えて",
    "relationships": "母|父|妹|姉|兄|弟|友達|犬|猫|結婚",
    "skills": "できる|得意|話せる|弾ける",
    "interests": "好き|趣味|興味",
    "bio": "住んで|働いて|出身|歳",
}
