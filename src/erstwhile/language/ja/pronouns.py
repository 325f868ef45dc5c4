"""Japanese pronouns."""

from typing import Final

from erstwhile.language.pronouns import Pronouns

PRONOUNS: Final = Pronouns(asker="私|僕")
