"""Korean words of the sections of a profile."""

from typing import Final

SECTIONS: Final = {
    "opinions": "생각|의견|믿는|믿어|선호",
    "skills": r"할 수 있|할 줄|잘\s?하|능숙|구사|자격증",
    "bio": r"살\b|직업|일하|출신|학생|전공",
}
