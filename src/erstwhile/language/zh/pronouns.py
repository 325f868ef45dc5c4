"""Chinese pronouns."""

from typing import Final

from erstwhile.language.pronouns import Pronouns

PRONOUNS: Final = Pronouns(asker="[我咱]", first_person="[我咱]", own_start="我", other_start="[他她]")
