"""Japanese."""

from typing import Final

NAME: Final = "Japanese"
SCRIPT: Final = "kana"
