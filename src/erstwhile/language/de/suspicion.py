"""German that is not to be taken at its word."""

from typing import Final

from erstwhile.language.suspicion import Suspicion

SUSPICION: Final = Suspicion(
    secrets="passwort",
    is_="ist",
    sending_verbs=r"schick\w*|sende\w*",
    order_verbs="ignorier|vergiss",
    order_objects="anweisung|regeln",
)
