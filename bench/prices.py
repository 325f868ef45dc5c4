"""What remembering 1,000 messages costs by model: `python -m bench.prices [--write]`.

Calls and prompt tokens a message are those of `python -m bench.cost`. The tokens that a model writes were measured with
one real model and the recipe `full` (`make bench-model`); for the other recipes as many a call are reckoned. Both are
read from bench/LOG.md. Prices are the list prices of the genai-prices package, without caching.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import NamedTuple

from genai_prices import Usage, calc_price

PAGE = Path(__file__).parents[1] / "docs" / "operate" / "cost.md"
LOG = Path(__file__).with_name("LOG.md")
MODELS = (
    ("openai", "gpt-5-nano"),
    ("openai", "gpt-5-mini"),
    ("openai", "gpt-4.1-mini"),
    ("anthropic", "claude-haiku-4-5"),
    ("anthropic", "claude-sonnet-4-5"),
    ("google", "gemini-2.5-flash-lite"),
    ("google", "gemini-2.5-flash"),
)
_MILLION = 1_000_000
_CALL = 1_000  # tokens of a call: some prices rise with very long ones


class RecipeCost(NamedTuple):
    calls: float  # a message
    prompt: int  # tokens a message
    written: float


def recipe_costs() -> dict[str, RecipeCost]:
    """What a message takes by recipe: the newest table of bench.cost in the log, and what the newest model there wrote."""
    log = LOG.read_text()
    rows = re.findall(r"^\| (dual|brief|full) \| \d+ \| ([\d.]+) \| (\d+) \| \d+ \|$", log, re.MULTILINE)
    newest: dict[str, tuple[float, int]] = {}
    for recipe, calls, prompt in rows:
        newest.setdefault(recipe, (float(calls), int(prompt)))
    measured = re.search(r"^\| a message: calls, prompt tokens, written tokens \|.* (\d+) \|$", log, re.MULTILINE)
    assert measured
    a_call = int(measured[1]) / newest["full"][0]
    return {recipe: RecipeCost(calls, prompt, calls * a_call) for recipe, (calls, prompt) in newest.items()}


def table() -> str:
    recipes = recipe_costs()
    lines = [
        f"| model | a million tokens in | out | {' | '.join(f'`{recipe}`' for recipe in recipes)} |",
        "|---|---|---|" + "---|" * len(recipes),
        f"| tokens read and written a message | | | {' | '.join(f'{each.prompt} and {each.written:.0f}' for each in recipes.values())} |",
    ]
    for provider, model in MODELS:
        used = Usage(input_tokens=_CALL, output_tokens=_CALL)
        price = calc_price(used, model_ref=model, provider_id=provider)
        into, out = (float(each) / _CALL for each in (price.input_price, price.output_price))
        costs = (f"${1000 * (into * each.prompt + out * each.written):.3f}" for each in recipes.values())
        lines.append(f"| {provider}: {model} | ${into * _MILLION:.2f} | ${out * _MILLION:.2f} | {' | '.join(costs)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/operate/cost.md")
    if not parser.parse_args().write:
        print(table())
        return
    page = PAGE.read_text()
    written = re.sub(
        r"(?<=<!-- python -m bench.prices -->\n\n).*?(?=\n\n<!-- end -->)", lambda _: table(), page, flags=re.DOTALL
    )
    PAGE.write_text(written)


if __name__ == "__main__":
    main()
