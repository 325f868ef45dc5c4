"""What is handed in: files, folders and zips as they come, and those that are made to do harm."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.sources import LIMITS, DamagedFile, ImportLimits, open_source

SMALL = ImportLimits(file=20_000_000, total=30_000_000, ratio=50, free=100_000, files=50, directory=10_000, zips=2)


def contents(path: Path, limits: ImportLimits = LIMITS) -> dict[str, bytes]:
    with open_source(path, limits=limits) as source:
        found = {}
        for entry in source.source.entries:
            with entry.open() as stream:
                found[entry.name] = stream.read()
        assert source.tally.read >= sum(map(len, found.values())) * 2 // 3
        return found


def packed(path: Path, **files: str | bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in files.items():
            made.writestr(name.replace("__", "/"), text)
    return path


def test_a_file_a_folder_and_a_zip_give_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    for name in ("b.txt", "a/c.txt", ".hidden", "a/.DS_Store", "__MACOSX/b.txt", "empty.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("" if "empty" in name else f"I am {name}")
    wanted = {"a/c.txt": b"I am a/c.txt", "b.txt": b"I am b.txt"}
    assert list(contents(folder)) == list(wanted)
    assert contents(folder) == wanted
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as made:
        for file in sorted(folder.rglob("*"), reverse=True):
            made.write(file, file.relative_to(folder).as_posix())
    assert contents(tmp_path / "export.zip") == wanted
    assert contents(folder / "b.txt") == {"b.txt": b"I am b.txt"}


def test_zips_in_a_folder_are_read_and_zips_in_a_zip_are_not(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    inner = packed(tmp_path / "in" / "chat.zip", **{"_chat.txt": "hello"})
    assert contents(tmp_path / "in") == {"chat.zip/_chat.txt": b"hello"}
    outer = packed(tmp_path / "outer.zip", **{"chat.zip": inner.read_bytes(), "a.txt": "x"})
    with open_source(outer) as source:
        assert [entry.name for entry in source.source.entries] == ["a.txt"]
        assert source.left == {"zips within a zip": 1}
    with pytest.raises(InvalidInput, match="unpack them first"):
        open_source(packed(tmp_path / "only.zip", **{"chat.zip": inner.read_bytes()}))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32", "utf-32-le"])
def test_encodings_that_say_so_are_read_as_utf_8(tmp_path: Path, encoding: str) -> None:
    text = "안녕 🦊 שלום\n" * 50_000
    file = tmp_path / "said.txt"
    mark = "" if encoding in ("utf-8-sig", "utf-16", "utf-32") else "\ufeff"
    file.write_bytes((mark + text).encode(encoding))
    assert contents(file) == {"said.txt": text.encode()}
    if encoding != "utf-8-sig":
        file.write_bytes((mark + text).encode(encoding) + b"\x00")
        with pytest.raises(DamagedFile, match="near byte"):
            contents(file)


def _named(name: str) -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        with zipfile.ZipFile(path, "w") as made:
            made.writestr(zipfile.ZipInfo("a" * len(name)), "x")
        path.write_bytes(path.read_bytes().replace(b"a" * len(name), name.encode()))
        return path

    return make


def _link(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
    return path


def _locked(path: Path) -> Path:
    data = bytearray(packed(path, **{"a.txt": "x"}).read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    path.write_bytes(data)
    return path


def _bomb(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.json", bytes(2_000_000))
    return path


def _overlapping(path: Path) -> Path:
    """The directory names the same bytes again and again."""
    data = packed(path, **{"a.json": os.urandom(100)}).read_bytes()
    at, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    directory = b"".join(data[at:end].replace(b"a.json", b"%d.json" % n) for n in range(9))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, len(directory), at, 0)
    path.write_bytes(data[:at] + directory + tail)
    return path


def _many(path: Path) -> Path:
    return packed(path, **{f"{n}": "x" for n in range(60)})


def _wide(path: Path) -> Path:
    return packed(path, **{f"{n}{'n' * 500}": "x" for n in range(40)})


def _lzma(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("a.json", "x" * 100)
    return path


def _cut(path: Path) -> Path:
    path.write_bytes(packed(path, **{"a.txt": os.urandom(1000)}).read_bytes()[:-60])
    return path


def _large(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for n in range(4):
            made.writestr(f"{n}.json", os.urandom(8_000_000))
    return path


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (_named("/abs.txt"), "outside"),
        (_named("../up.txt"), "outside"),
        (_named("a/../../b"), "outside"),
        (_named("a\\..\\b"), "outside"),
        (_named("C:evil.txt"), "outside"),
        (_link, "link"),
        (_locked, "password"),
        (_bomb, "bomb"),
        (_overlapping, "overlap"),
        (_many, "60 files"),
        (_wide, "directory"),
        (_lzma, "lzma"),
        (_cut, "cut off"),
        (_large, "more than 30,000,000"),
    ],
)
def test_a_zip_that_is_made_to_do_harm_is_refused(tmp_path: Path, make: Callable[[Path], Path], why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        contents(make(tmp_path / "bad.zip"), SMALL)
    assert [file.name for file in tmp_path.iterdir()] == ["bad.zip"]


def test_what_a_header_says_of_its_size_is_not_believed(tmp_path: Path) -> None:
    data = bytearray(_bomb(tmp_path / "liar.zip").read_bytes())
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(mark) + place
        data[at : at + 4] = struct.pack("<L", 10)
    (tmp_path / "liar.zip").write_bytes(data)
    with pytest.raises(InvalidInput):
        contents(tmp_path / "liar.zip", SMALL)


def test_a_damaged_file_in_a_zip_says_where(tmp_path: Path) -> None:
    file = packed(tmp_path / "hurt.zip", **{"a.txt": os.urandom(500_000)})
    data = bytearray(file.read_bytes())
    data[400_000] ^= 0xFF
    file.write_bytes(data)
    with pytest.raises(DamagedFile, match=r"a\.txt is damaged near byte"):
        contents(file)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "none").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "packed.jsonl").write_bytes(b"\x1f\x8b\x08\x00rest")
    leads = tmp_path / "leads"
    leads.mkdir()
    (leads / "out.txt").symlink_to(tmp_path / "empty.jsonl")
    for name, why in {
        "empty.jsonl": "is empty",
        "none": "nothing to import",
        "pipe": "neither a file nor a folder",
        "packed.jsonl": "gzip",
        "missing": "There is no",
        "leads": "leads out of the folder",
    }.items():
        with pytest.raises(InvalidInput, match=why):
            open_source(tmp_path / name)
    (tmp_path / "big.txt").write_bytes(bytes(100))
    with pytest.raises(InvalidInput, match="the most taken is 99"):
        open_source(tmp_path / "big.txt", limits=ImportLimits(file=99))
    (leads / "out.txt").unlink()
    os.mkfifo(leads / "pipe")
    with pytest.raises(InvalidInput, match="Take it out"):
        open_source(leads)


def test_a_file_that_is_opened_twice_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 1_000_000)
    with open_source(tmp_path / "a.txt") as source:
        for _ in range(3):
            with source.source.entries[0].open() as stream:
                assert isinstance(stream, io.BufferedReader)
                while stream.read(7_000):
                    pass
        assert source.tally.read == source.total == 1_000_000


def test_an_empty_zip_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"empty\.zip holds nothing to import"):
        contents(packed(tmp_path / "empty.zip"))
