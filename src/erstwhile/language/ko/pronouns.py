"""Korean pronouns."""

from typing import Final

from erstwhile.language.pronouns import Pronouns

PRONOUNS: Final = Pronouns(
    asker=r"\b(나|저)(는|도|를|한테|의|랑)?\b|\b(내|제)(가|게)?\b|\b우리",
    first_person="(?<![가-힣])(?:저|나|제|내|우리|저희)[가-힣]{0,2}(?![가-힣])",
    own_start=r"(?:나|저|내|제|난|전)(?:는|가|도|를)?\s",
)
