"""English."""

from typing import Final

NAME: Final = "English"
