"""Dutch."""

from typing import Final

NAME: Final = "Dutch"
STEMMER: Final = "dutch"
