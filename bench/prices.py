"""What remembering 1,000 messages costs by model: `python -m bench.prices [--write]`.

Prompt tokens a message are those of `python -m bench.cost`; prices are the list prices of the genai-prices package,
without caching. What models write is not counted: it depends on the model, and the page names the price for it.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

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


def prompt_tokens() -> dict[str, int]:
    """Prompt tokens a message by recipe: the newest table of bench.cost in the log."""
    rows = re.findall(r"^\| (dual|brief|full) \| \d+ \| [\d.]+ \| (\d+) \| \d+ \|$", LOG.read_text(), re.MULTILINE)
    found: dict[str, int] = {}
    for recipe, count in rows:
        found.setdefault(recipe, int(count))
    return found


def table() -> str:
    tokens = prompt_tokens()
    lines = [
        f"| model | a million tokens in | out | {' | '.join(f'`{recipe}`' for recipe in tokens)} |",
        "|---|---|---|" + "---|" * len(tokens),
    ]
    for provider, model in MODELS:
        used = Usage(input_tokens=_CALL, output_tokens=_CALL)
        dear = calc_price(used, model_ref=model, provider_id=provider)
        into, out = (float(each) / _CALL for each in (dear.input_price, dear.output_price))
        costs = (f"${into * count * 1000:.3f}" for count in tokens.values())
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
