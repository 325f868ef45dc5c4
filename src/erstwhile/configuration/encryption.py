"""Encrypt stored API keys with Fernet and `ERSTWHILE_SECRET_KEY`.

Of several secrets, separated by commas, the first encrypts and each can decrypt. `cryptography` is
imported on first use.
"""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING

from erstwhile.base.errors import SettingsError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


def new_secret() -> str:
    return base64.urlsafe_b64encode(os.urandom(32)).decode()


def encrypt(secret: str, key: str) -> str:
    return _fernet(secret).encrypt(key.encode()).decode()


def decrypt(secret: str, sealed: str) -> str:
    fernet = _fernet(secret)
    from cryptography.fernet import InvalidToken

    try:
        return fernet.decrypt(sealed.encode()).decode()
    except InvalidToken:
        pass
    # Raised outside of `except`, so that no secret is chained to it.
    raise SettingsError(
        "The stored key can't be read with this ERSTWHILE_SECRET_KEY. Append the secret it was stored with after a comma, "
        "or store the key again: `erstwhile spaces set api_key -`."
    )


def _fernet(secret: str) -> MultiFernet:
    try:
        from cryptography.fernet import Fernet, MultiFernet
    except ImportError:
        how = "pip install 'erstwhile[openai]'"
        raise SettingsError(f"A space's own api_key needs a package: {how}.") from None
    secrets = [each.strip() for each in secret.split(",") if each.strip()]
    if not secrets:
        raise SettingsError(
            "A space's api_key is stored encrypted, and ERSTWHILE_SECRET_KEY is not set. `erstwhile config secret` makes one: "
            "keep it in the environment of every process, away from the database and its backups."
        )
    try:
        return MultiFernet([Fernet(each) for each in secrets])
    except ValueError:
        pass
    raise SettingsError(
        "ERSTWHILE_SECRET_KEY must be 32 bytes in base64, or several of them separated by commas. "
        "`erstwhile config secret` makes one."
    )
