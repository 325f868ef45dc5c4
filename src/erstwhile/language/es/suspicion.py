"""Spanish that is not to be taken at its word."""

from typing import Final

from erstwhile.language.suspicion import Suspicion

SUSPICION: Final = Suspicion(sending_verbs=r"envía\w*", order_verbs="ignora|olvida", order_objects="instruc")
