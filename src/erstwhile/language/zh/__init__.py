"""Chinese."""

from typing import Final

NAME: Final = "Chinese"
SCRIPT: Final = "han"
