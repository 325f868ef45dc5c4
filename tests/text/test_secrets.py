"""What has the form of a secret is masked; ids, hashes and talk about passwords stay."""

from __future__ import annotations

import pytest

from erstwhile.text.secrets import MASK, mask, masked
from erstwhile.writers.port import TypedNote, WriterOutput

DIGITS = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
SECRETS = {
    "OpenAI": f"sk-proj-{DIGITS}",
    "Anthropic": f"sk-ant-api03-{DIGITS}",
    "Stripe": f"sk_live_{DIGITS}",
    "GitHub": f"ghp_{DIGITS}",
    "GitLab": "glpat-aB3dE5gH7jK9mN1pQ3sT",
    "Slack": "xoxb-123456789012-abcdefABCDEF",
    "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "Google": "AIza" + "B" * 35,
    "Telegram": "123456789:AAEhBOweik6ad9rXQMENQjcrbGbqr4Ka1Bc",
    "Discord": "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
    "Google OAuth": "GOCSPX-a1B2c3D4e5F6g7H8i9J0k1L2",
    "Groq": f"gsk_{DIGITS}",
    "xAI": f"xai-{DIGITS}",
    "Replicate": f"r8_{DIGITS}",
    "Linear": f"lin_api_{DIGITS}",
    "Notion": f"ntn_{DIGITS}",
    "age": "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" + "QPZRY9X8GF2TVDW0S3JN54KHCE",
    "our own": f"er_0123456789ab_{DIGITS}",
    "JSON web token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\n"
    + f"{DIGITS}{DIGITS}\n" * 4
    + "a1B2==\n-----END RSA PRIVATE KEY-----",
}
NAMED = (
    ("curl -H 'Authorization: Bearer {}'", DIGITS),
    ("postgres://mina:{}@db.example/app", "hunter2!"),
    ("password: {}", "xyz"),
    ("Password = {}", "correcthorse"),
    ("my password is {}", "hunter2"),
    ("the api key is {}", "9f8e7d6c5b4a"),
    ("AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("The bot token is {}", "9f8e7d6c5b4a3210f"),
    ("my secret: {}", "9f8e7d6c5b4a3210f"),
    ("https://hooks.slack.com/services/{}", "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
    ("https://discord.com/api/webhooks/123456789012345678/{}", DIGITS * 2),
    ("비밀번호는 {}", "busan1988"),
    ("密码：{}", "abc12345"),
    ("Mein Passwort ist {}", "geheim99"),
)
KEPT = (
    "The commit is 9fceb02d0ae598e95dc970b74767f19372d61af8.",
    "Order 550e8400-e29b-41d4-a716-446655440000 has arrived.",
    "The password is wrong again, I have to reset it.",
    "Where is the password? Is there a new one?",
    "We talked about sk-learn and scikit-learn-intelex-and-other-things.",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "See https://example.com/path?at=12:30&user=mina@example.com for details.",
    "The secret is out: 1987654321098765 people know it.",
    "My token is here, and version 1.2.3.4567 of erstwhile.storage.postgres.connection.something is there.",
    "See docs.python.org.something.longer.than.fifty.characters.with.dots.in.it",
    "He is a bearer of good news, and a basic understanding helps.",
    "msg_01HZX3V6Q8R9T0ABCDEFGHJKMN and fct_7d9f0c are ids.",
    "My number is 010-1234-5678 and I live in Busan.",
    "I keep all my passwords in a password manager: it is easier that way.",
)


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_are_masked_amid_talk(name: str) -> None:
    secret = SECRETS[name]
    assert mask(f"Look, it is {secret} and I live in Busan.") == f"Look, it is {MASK} and I live in Busan."


@pytest.mark.parametrize(("form", "secret"), NAMED)
def test_what_is_named_a_secret_is_masked(form: str, secret: str) -> None:
    text = form.format(secret)
    assert secret not in mask(text)
    assert mask(text) == form.format(MASK)
    assert mask(mask(text)) == mask(text)


@pytest.mark.parametrize("text", KEPT)
def test_talk_ids_and_hashes_stay(text: str) -> None:
    assert mask(text) == text


def test_values_are_masked_through_and_through() -> None:
    key = SECRETS["OpenAI"]
    written = WriterOutput(f"- {key}", "extractive", True, noted=(TypedNote("fact", f"has {key}", 1, value=key),))
    assert key not in repr(masked(written))
    assert masked([{"title": key}, 3, None]) == [{"title": MASK}, 3, None]
    plain = WriterOutput("- Mina lives in Busan.", "extractive", True)
    assert masked(plain) is plain
