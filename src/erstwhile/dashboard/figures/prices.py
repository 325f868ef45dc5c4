"""Token cost by the list prices in the model client: offline, and for hosted models only."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from erstwhile.requests.model import Spent

_OWN = ("openai-compatible",)  # somebody's own server: what it costs is nobody's to list
_SAME = {"openai-responses": "openai", "openai-chat": "openai"}


def dollars(spent: Sequence[Spent]) -> list[Decimal | None]:
    """The price of each; None where it is unknown.

    The first call takes half a second: use a thread.
    """
    from genai_prices import Usage, calc_price

    found: list[Decimal | None] = []
    for each in spent:
        provider, _, name = each.model.rpartition(":")
        usage = Usage(
            input_tokens=each.input_tokens,
            cache_read_tokens=min(each.cached_tokens, each.input_tokens) or None,
            output_tokens=each.output_tokens,
        )
        try:
            if provider in _OWN:
                raise LookupError(each.model)
            price = calc_price(usage, model_ref=name, provider_id=_SAME.get(provider, provider) or None)
            found.append(price.total_price)
        except (LookupError, ValueError):
            found.append(None)
    return found


def shown(price: Decimal | None) -> str:
    if price is None:
        return "–"
    return "under $0.01" if 0 < price < Decimal("0.01") else f"${price:,.2f}"


def total(prices: Sequence[Decimal | None]) -> str:
    known = [each for each in prices if each is not None]
    if not known:
        return "No list price is known"
    rest = "" if len(known) == len(prices) else ", without the models that have none,"
    return f"{shown(sum(known, Decimal(0)))} at list prices{rest}"
