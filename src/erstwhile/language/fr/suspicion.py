"""French that is not to be taken at its word."""

from typing import Final

from erstwhile.language.suspicion import Suspicion

SUSPICION: Final = Suspicion(
    sending_verbs=r"envoie\w*", order_verbs="ignore[zr]?|oublie", order_objects="instruc|consigne"
)
