"""The readable page of an export: one file that loads nothing and runs nothing."""

from __future__ import annotations

from html import escape
from typing import Any

HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: #ddd; --soft: #666; }}
@media (prefers-color-scheme: dark) {{ :root {{ --line: #444; --soft: #aaa; }} }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }}
h2 {{ margin-top: 2.5rem; border-bottom: 1px solid var(--line); }}
article {{ padding: .5rem 0; border-bottom: 1px solid var(--line); }}
article p {{ margin: .2rem 0; white-space: pre-wrap; }}
small {{ color: var(--soft); }}
</style></head><body><h1>{title}</h1>
"""
FOOT = "</body></html>\n"


def head(title: str) -> str:
    return HEAD.format(title=escape(title))


def heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>\n"


def entry(label: str, text: str) -> str:
    return f"<article><small>{escape(label)}</small><p>{escape(text)}</p></article>\n"


def known(about: dict[str, Any]) -> str:
    """What is told of a person, their profile and their days."""
    parts = [entry("Known as", ", ".join(each["name"] for each in about["names"]))] if about.get("names") else []
    if any(each["text"] for each in about.get("told", ())):
        parts += [
            heading("What was told"),
            *(entry(each["audience"] or "everyone", each["text"]) for each in about["told"]),
        ]
    if any(about.get("profile", {}).values()):
        parts.append(heading("Profile"))
        parts += [
            entry(
                f"{section} · {fact['at'][:10]}" + (f" to {fact['valid_to'][:10]}" if fact["valid_to"] else ""),
                fact["text"],
            )
            for section, facts in about["profile"].items()
            for fact in facts
        ]
    if about.get("days"):
        parts += [heading("Days"), *(entry(each["day"], each["text"]) for each in about["days"])]
    return "".join(parts)


def link(to: str, words: str) -> str:
    return f'<p><a href="{escape(to)}">{escape(words)}</a></p>\n'
