"""For tests of erstwhile and of what is built on it: a scripted model server on loopback."""

from erstwhile.testing.calls import Call, Reply
from erstwhile.testing.faults import Fault, FaultMix
from erstwhile.testing.model_server import ModelServer

__all__ = ["Call", "Fault", "FaultMix", "ModelServer", "Reply"]
