"""The contract of an embedder. Importing this does not import numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# One row of unit length per text; zeros for a text without meaning.
Vectors: TypeAlias = "npt.NDArray[np.float32]"


class Embedder(Protocol):
    """`name` identifies its vectors: under another name everything is embedded again.

    `cheap`: local, and well under a millisecond per text. `local`: texts stay on this machine.
    `served`: each text costs a server call. `sentences`: it reads whole sentences, not
    only words; `weight`: what nearness by its vectors counts beside words.
    """

    name: str
    cheap: bool
    local: bool
    served: bool
    sentences: bool
    weight: float

    def speaks(self, text: str) -> bool:
        """Return whether its vectors are useful for this text: an English model refuses other
        scripts."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text, in order, independent of other texts. Long ones are cut."""
        ...

    async def close(self) -> None: ...
