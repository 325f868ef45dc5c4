"""Polish."""

from typing import Final

NAME: Final = "Polish"
