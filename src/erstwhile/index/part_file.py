"""Files of a stored index: the parts of a space's messages and memories in one file that never changes.

Arrays, then a description of them with a checksum of each, then where the description is and its own checksum. Arrays
that grow have room after their last row, a hole that takes no disk, so that a process that maps the file can add rows
to its own copy of those pages. In a file that is read instead of mapped, nearly all arrays are packed
(`index/packing.py`): at 10,000 messages they take a quarter of the bytes, vectors half of them.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.links import Order
from erstwhile.index.part import NOTHING, Array, IndexPart, IndexWords, Late, PiecewiseArray
from erstwhile.index.postings import Block
from erstwhile.index.spelling import Spelling, Vocabulary

MAPPED = (
    16_000_000  # bytes of a file that is mapped; a smaller one is read, so that few files are open
)
_MAGIC = b"erstwhile-index3"
_END = struct.Struct("<QQI16s")
_ALIGNED = 64
_PIECE = 1 << 20  # bytes checked at a time
_PACKED = 24_576  # documents, with vectors not quite what makes a file large enough to be mapped
# What packing hardly makes smaller, and words, so that anyone can look whether an erased one is gone.
_UNPACKED = (".scale", ".signs", ".letters")


class DamagedIndexFile(Exception):
    """A file is missing, cut short or not what was written."""


@dataclass(frozen=True, slots=True)
class PartFile:
    """`parts`: of messages and of memories. `gone`: documents of earlier files that are gone; `late`: vectors of such.
    `is_whole` compares a mapped file with its checksums; call it once."""

    parts: tuple[IndexPart, IndexPart]
    gone: NDArray[np.int64] = field(default_factory=lambda: NOTHING)
    late: Late | None = None
    is_whole: Callable[[], bool] | None = None
    bytes: int = 0  # of memory that it takes; none if it is mapped

    @property
    def length(self) -> int:
        return sum(part.length for part in self.parts)

    @property
    def weight(self) -> int:
        """How much a process must add to the first file: documents, and vectors for earlier ones."""
        return self.length + self._late

    @property
    def embedded(self) -> int:
        """How many documents have their vector here."""
        return sum(part.filled for part in self.parts) + self._late

    @property
    def _late(self) -> int:
        return len(self.late[0]) if self.late is not None else 0


_KINDS = ("messages", "memories")


# Writing


class _Writer:
    def __init__(self, file: BinaryIO, *, packed: bool) -> None:
        self._file = file
        self._packed = packed
        self._at = file.write(_MAGIC)
        self.described: dict[str, dict[str, Any]] = {}

    def put(self, name: str, value: Array | PiecewiseArray, room: int = 0) -> None:
        """Write an array. `room`: rows that it may grow by; columns, for an array of two rows and more of signs."""
        if self._packed and not name.endswith(_UNPACKED):
            self._put_packed(name, np.concatenate(list(_pieces(value))), room)
            return
        self._at += -self._at % _ALIGNED
        across = name.endswith(".signs")
        shape = list(value.shape)
        shape[1 if across else 0] += room
        width = np.dtype(value.dtype).itemsize
        checksum, start = 0, self._at
        for row in value if across and isinstance(value, np.ndarray) else [value]:
            self._file.seek(self._at)
            for piece in _pieces(row):
                data = np.ascontiguousarray(piece).view(np.uint8).data if piece.size else b""
                checksum = zlib.crc32(data, checksum)
                self._file.write(data)
            self._at += math.prod(shape[1:] if across else shape) * width
        used = list(value.shape)
        self.described[name] = {
            "type": np.dtype(value.dtype).str, "shape": shape, "used": used, "at": start, "checksum": checksum,
        }  # fmt: skip

    def _put_packed(self, name: str, value: Array, room: int) -> None:
        from erstwhile.index import packing

        data = packing.pack(value)
        self._file.seek(self._at)
        self._file.write(data)
        self.described[name] = {
            "type": value.dtype.str, "shape": [value.shape[0] + room, *value.shape[1:]], "used": list(value.shape),
            "at": self._at, "checksum": zlib.crc32(data), "packed": len(data),
        }  # fmt: skip
        self._at += len(data)

    def end(self, facts: Mapping[str, Any]) -> str:
        text = json.dumps({"arrays": self.described, **facts}).encode()
        checksum = zlib.crc32(text)
        self._file.seek(self._at)
        self._file.write(text)
        self._file.write(_END.pack(self._at, len(text), checksum, _MAGIC))
        return f"{checksum:08x}"


def _pieces(value: Array | PiecewiseArray) -> Iterator[Array]:
    return value.pieces() if isinstance(value, PiecewiseArray) else iter([value])


def write(file: BinaryIO, content: PartFile, room: int = 0) -> str:
    """Write a file and return its checksum: that of the description, which has those of the arrays."""
    writer = _Writer(file, packed=content.length < _PACKED)
    facts = [
        _write_part(writer, kind, part, room)
        for kind, part in zip(_KINDS, content.parts, strict=True)
    ]
    writer.put("gone", content.gone)
    if content.late is not None:
        writer.put("late.docs", content.late[0])
        writer.put("late.values", content.late[1])
    return writer.end({"parts": facts})


def _write_part(writer: _Writer, kind: str, part: IndexPart, room: int) -> dict[str, Any]:
    for name, column in part.columns.items():
        writer.put(f"{kind}.column.{name}", column[: part.length], room)
    for number, block in enumerate(part.blocks):
        for name in ("keys", "starts", "places", "counts"):
            writer.put(f"{kind}.block.{number}.{name}", getattr(block, name))
    for name in ("places", "channels", "starts"):
        writer.put(f"{kind}.order.{name}", getattr(part.order, name))
    words = part.words.spelling.words
    assert isinstance(words, Vocabulary)
    writer.put(f"{kind}.words.letters", words.letters)
    writer.put(f"{kind}.words.starts", words.starts)
    writer.put(f"{kind}.words.bits", part.words.spelling.bits)
    writer.put(f"{kind}.words.keys", part.words.keys)
    for name, vectors in part.vectors.items() if part.filled else ():
        writer.put(f"{kind}.{name}", vectors, room)
    return {
        "talk": part.talk, "columns": list(part.columns), "length": part.length, "size": part.size, "names": part.names,
        "blocks": [block.size for block in part.blocks], "sessions": part.order.sessions, "rows": part.rows,
        "filled": part.filled,
    }  # fmt: skip


# Reading


@dataclass(frozen=True, slots=True)
class _Reader:
    buffer: Any
    described: Mapping[str, Mapping[str, Any]]
    passed: Callable[[], None] = lambda: None  # called after each piece that was compared

    def __getitem__(self, name: str) -> Array:
        told = self.described[name]
        shape = tuple(told["shape"])
        if "packed" in told:
            from erstwhile.index import packing  # not needed where nothing is stored

            return packing.unpack(self._packed(told), told["type"], tuple(told["used"]), shape)
        flat = np.frombuffer(self.buffer, told["type"], math.prod(shape), told["at"])
        return flat.reshape(shape)

    def _packed(self, told: Mapping[str, Any]) -> memoryview:
        return memoryview(self.buffer)[told["at"] : told["at"] + told["packed"]]

    @property
    def unpacked(self) -> int:
        """Return the bytes that packed arrays take when they are unpacked."""
        packed = [told for told in self.described.values() if "packed" in told]
        return sum(math.prod(told["shape"]) * np.dtype(told["type"]).itemsize for told in packed)

    def check(self) -> None:
        """Compare every array with its checksum."""
        for name, told in self.described.items():
            if "packed" in told:
                if zlib.crc32(self._packed(told)) != told["checksum"]:
                    raise DamagedIndexFile(f"the array {name} is damaged")
                continue
            array = self[name]
            used = array[tuple(slice(0, size) for size in told["used"])]
            checksum = 0
            for row in used if name.endswith(".signs") else [used]:
                data = (
                    np.ascontiguousarray(row).reshape(-1).view(np.uint8).data if row.size else b""
                )
                for first in range(0, len(data), _PIECE):
                    checksum = zlib.crc32(data[first : first + _PIECE], checksum)
                    self.passed()
            if checksum != told["checksum"]:
                raise DamagedIndexFile(f"the array {name} is damaged")


def read(path: Path, checksum: str, *, check: bool = False) -> PartFile:
    """Open a file that has this checksum. A large one is mapped, and its arrays are compared with their checksums only
    with `check`."""
    try:
        with path.open("rb") as file:
            return read_open(file, checksum, check=check)
    except OSError as error:
        raise DamagedIndexFile(f"{type(error).__name__} while opening it") from error


def read_open(file: BinaryIO, checksum: str, *, check: bool = False) -> PartFile:
    try:
        return _read(file, checksum, check=check)
    except (
        OSError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        struct.error,
        zlib.error,
    ) as error:
        raise DamagedIndexFile(f"{type(error).__name__} while reading it") from error


def _read(file: BinaryIO, checksum: str, *, check: bool) -> PartFile:
    size = os.fstat(file.fileno()).st_size
    if size < _END.size:
        raise DamagedIndexFile("it is cut short")
    file.seek(size - _END.size)
    at, length, told, magic = _END.unpack(file.read(_END.size))
    if magic != _MAGIC or f"{told:08x}" != checksum or at + length + _END.size != size:
        raise DamagedIndexFile("it is not the file that was written")
    file.seek(at)
    text = file.read(length)
    if zlib.crc32(text) != told:
        raise DamagedIndexFile("its description is damaged")
    facts = json.loads(text)
    small = size < MAPPED
    if small:
        buffer: Any = bytearray(size)
        file.seek(0)
        file.readinto(buffer)  # type: ignore[attr-defined]
    else:
        buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    reader = _Reader(buffer, facts["arrays"])
    if small or check:
        reader.check()
    messages, memories = (
        _read_part(reader, kind, told) for kind, told in zip(_KINDS, facts["parts"], strict=True)
    )
    late = (reader["late.docs"], reader["late.values"]) if "late.docs" in reader.described else None
    later = None if small or check else partial(_is_whole, os.dup(file.fileno()), facts["arrays"])
    return PartFile(
        (messages, memories), reader["gone"], late, later, reader.unpacked + (size if small else 0)
    )


def _is_whole(file: int, described: Mapping[str, Mapping[str, Any]]) -> bool:
    """Check the arrays as they are in the file: those in use may have changed. Pages that were compared are given back."""
    try:
        with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as buffer:
            reader = _Reader(memoryview(buffer), described, partial(_give_back, buffer))
            try:
                reader.check()
            finally:
                reader.buffer.release()
    except (DamagedIndexFile, BufferError):
        return False
    finally:
        os.close(file)
    return True


def _give_back(buffer: mmap.mmap) -> None:
    if hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
        buffer.madvise(mmap.MADV_DONTNEED)


def _read_part(reader: _Reader, kind: str, told: Mapping[str, Any]) -> IndexPart:
    order = {name: reader[f"{kind}.order.{name}"] for name in ("places", "channels", "starts")}
    words = {name: reader[f"{kind}.words.{name}"] for name in ("letters", "starts", "bits", "keys")}
    vectors = (
        {name: reader[f"{kind}.{name}"] for name in ("bytes", "scale", "signs")}
        if told["filled"]
        else {}
    )
    return IndexPart(
        talk=told["talk"],
        columns={name: reader[f"{kind}.column.{name}"] for name in told["columns"]},
        length=told["length"],
        size=told["size"],
        names=told["names"],
        blocks=[
            _read_block(reader, f"{kind}.block.{number}", size)
            for number, size in enumerate(told["blocks"])
        ],
        order=Order(**order, sessions=told["sessions"]),
        words=IndexWords(
            Spelling(Vocabulary(words["letters"], words["starts"]), words["bits"]), words["keys"]
        ),
        vectors=vectors,
        rows=told["rows"],
        filled=told["filled"],
    )


def _read_block(reader: _Reader, name: str, size: int) -> Block:
    keys, starts = reader[f"{name}.keys"], reader[f"{name}.starts"]
    return Block(keys, starts, reader[f"{name}.places"], reader[f"{name}.counts"], size)
