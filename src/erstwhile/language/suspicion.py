"""What speaks against taking a statement at its word, as patterns. Those of all languages are joined by `text.suspect`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Suspicion:
    secrets: str = ""
    """What a secret is called; with `is_`, the word between it and the secret itself."""
    is_: str = ""
    secret: str = ""
    """The two, where the language has them otherwise."""
    instruction: str = ""
    """It tells a machine what to do."""
    authority: str = ""
    """It claims rights."""
    sending_verbs: str = ""
    """Words before an address that something is to be sent to."""
    sending: str = ""
    """The two, where the language has them otherwise: TO stands for the address."""
    orders: str = ""
    """It tries to give orders to whoever reads the memory later."""
    order_verbs: str = ""
    order_objects: str = ""
    """A verb of one and an object of another language are an order too."""
