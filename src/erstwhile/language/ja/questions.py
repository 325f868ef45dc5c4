"""Japanese question words and polite endings."""

from typing import Final

QUESTIONS: Final = "いつ|どこ|だれ|なぜ|何を|何が|なに|ですか|ますか|でしたか|ましたか"
