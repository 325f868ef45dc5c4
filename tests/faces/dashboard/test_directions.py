"""Characters that turn the direction of text turn their own text alone, never what a page says beside it (trust S7)."""

from __future__ import annotations

from urllib.parse import quote

from dashing import Dash
from playwright.sync_api import Page, expect

TURNED = "pay \u202e001 won \u2067to eve"
# Texts with such a character that reach beyond themselves: up to the block that they are in, no element isolates
# them, and the block says something else too.
REACHING = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = []
  const turns = /[\\u202a-\\u202e\\u2066-\\u2069]/
  let seen = 0
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!turns.test(text.data) || ['SCRIPT', 'STYLE', 'TEXTAREA', 'OPTION'].includes(text.parentElement.tagName)) continue
    seen += 1
    let element = text.parentElement, isolated = false
    for (;; element = element.parentElement) {
      const style = getComputedStyle(element)
      if (style.display !== 'inline' || isolated) break
      isolated = ['isolate', 'plaintext', 'isolate-override'].includes(style.unicodeBidi)
    }
    const alone = element.classList.contains('text') || element.textContent.trim() === text.data.trim()
    if (!isolated && !alone) found.push(element.outerHTML.slice(0, 300))
  }
  return [seen, found]
}"""


def test_a_text_that_turns_the_direction_turns_nothing_else(dash: Dash, page: Page) -> None:
    chat = dash.memory.channel("hall")
    chat.add_many(
        {"role": "user", "person": ("mina", "jun")[n % 2], "name": ("Mina", "Jun")[n % 2], "text": f"I {TURNED} {n}."}
        for n in range(12)
    )
    dash.memory.facts.add(chat, f"Mina will {TURNED}.", by="jun", person="mina")
    dash.memory.remember("mina", f"I like to {TURNED}.")
    dash.memory.settle()
    asked = quote("Who will pay eve?")
    addresses = (
        "/",
        "/conversations",
        "/conversations/channel?channel=hall",
        "/search?q=eve",
        "/people/person?person=mina",
        "/notes",
        "/review",
        f"/recall?channel=hall&query={asked}&person=mina",
    )
    seen, found = 0, {}
    for address in addresses:
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_load_state("networkidle")
        count, reaching = page.evaluate(REACHING)
        seen += count
        found |= {address: reaching} if reaching else {}
    assert found == {}
    assert seen > 20, "the texts are on these pages"


def test_the_measure_sees_a_text_that_reaches_further(page: Page) -> None:
    """The control."""
    page.set_content(f"<h1>x</h1><p>{TURNED} and paid</p><p>by <bdi>{TURNED}</bdi></p><p>by <b>{TURNED}</b> today</p>")
    assert page.evaluate(REACHING)[1] == [f"<p>by <b>{TURNED}</b> today</p>"]
