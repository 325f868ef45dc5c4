"""What an embedder is, without saying which. numpy is needed to read its vectors, not to import this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# One row for each text, of unit length; zeros for a text without any meaning.
Vectors: TypeAlias = "npt.NDArray[np.float32]"


class Embedder(Protocol):
    """`name` identifies its vectors: under another name everything is embedded again.

    `cheap`: local, and well under a millisecond a text. `local`: what is said does not leave this machine. `served`: each text costs a
    call of a server.
    """

    name: str
    cheap: bool
    local: bool
    served: bool

    def speaks(self, text: str) -> bool:
        """Whether its vectors mean anything for this text: an English model refuses what is mostly in other scripts."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector for each text, in the same order, whatever else is in the batch. Of long texts the beginning counts."""
        ...

    async def close(self) -> None: ...
