"""Japanese that is not to be taken at its word."""

from typing import Final

from erstwhile.language.suspicion import Suspicion

SUSPICION: Final = Suspicion(orders="(?:以前|上記|これまで)の(?:指示|命令)")
