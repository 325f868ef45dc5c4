"""Korean."""

from typing import Final

NAME: Final = "Korean"
SCRIPT: Final = "hangul"
