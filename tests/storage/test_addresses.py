"""Addresses of databases: a password is never shown, nor taken for the name of a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from future import run

import erstwhile
from erstwhile.base.addresses import without_password
from erstwhile.base.errors import SettingsError
from erstwhile.base.settings import load
from erstwhile.storage.sqlite import SQLiteDatabase
from erstwhile.wiring import open_database

SECRET = "hunter2"
MALFORMED = [
    f"postgresql://mina:{SECRET} x@127.0.0.1/chat",
    f"postgresql://mina:{SECRET}%x@127.0.0.1/chat",
    f"postgresql://mina:a@{SECRET}@127.0.0.1:1/chat",
    f"postgresql://mina:{SECRET}/x@127.0.0.1/chat",
    f"postgresql://mina:{SECRET}?x@127.0.0.1/chat",
    f"postgresql://mina:{SECRET}#x@127.0.0.1/chat",
    f"postgresql:/mina:{SECRET}@127.0.0.1/chat",
    f"postgresql://mina@127.0.0.1:1/chat?pasword={SECRET}",
    f"host=127.0.0.1 password={SECRET} dbname=chat",
    f"password = '{SECRET}' host = 127.0.0.1",
    f"dbname=chat user=mina password={SECRET}",
    f"mina:{SECRET}@127.0.0.1/chat",
    f"//mina:{SECRET}@127.0.0.1/chat",
    f"postgressql://mina:{SECRET}@127.0.0.1/chat",
]


@pytest.mark.parametrize("address", MALFORMED)
def test_an_address_that_cannot_be_used_is_refused_without_its_password(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError) as refused:
        open_database(load(database=address))
    assert SECRET not in str(refused.value)
    assert "postgresql://" in str(refused.value) or "percent encoding" in str(refused.value)
    assert SECRET not in without_password(address)
    assert list(tmp_path.iterdir()) == [], "no file was made of it"


def test_the_doctor_shows_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in (MALFORMED[0], MALFORMED[8], f"postgresql://mina:{SECRET}@127.0.0.1:1/chat"):
        done = run("doctor", "-d", address)
        assert done.returncode != 0
        assert SECRET not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        shown = run("config", "show", "-d", address)
        assert (shown.returncode, SECRET in shown.stdout + shown.stderr) == (0, False)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("chat.db", "chat.db"),
        ("sqlite:////var/lib/chat.db", "sqlite:////var/lib/chat.db"),
        ("postgresql://mina@db.example/chat", "postgresql://mina@db.example/chat"),
        ("postgresql://mina:a:b@db.example:5433/chat", "postgresql://mina@db.example:5433/chat"),
        (
            "postgresql://db.example/chat?user=mina&password=abc&x=1",
            "postgresql://db.example/chat?user=mina&password=…&x=…",
        ),
        ("https://user:abc@models.example/v1", "https://user@models.example/v1"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert without_password(address) == shown


@pytest.mark.parametrize("name", ["a=b.db", "me@home.db", "chat: 1.db", "my password=1.db"])
def test_odd_names_of_files_are_still_files(name: str, tmp_path: Path) -> None:
    opened = open_database(load(database=str(tmp_path / name)))
    assert isinstance(opened, SQLiteDatabase)


def test_special_characters_in_percent_encoding_are_understood() -> None:
    with (
        pytest.raises(erstwhile.StorageError) as refused,
        erstwhile.open_sync(f"postgresql://mina:%40%2F{SECRET}@127.0.0.1:1/chat", worker=False),
    ):
        pass
    assert "postgresql://mina@127.0.0.1:1/chat" in str(refused.value)
    assert SECRET not in str(refused.value)
