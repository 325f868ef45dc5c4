"""What holds for every page: it is safe, it can be used with a keyboard, a phone and a screen reader, and nothing jumps about in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import hostile
import pytest
from axe_playwright_python.sync_playwright import Axe
from dashing import SMALL, Contexts, Dash
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

import erstwhile
from erstwhile.dashboard import paths
from support.serving import Served

ADDRESSES = {
    "/conversations/channel": f"/conversations/channel?channel={quote(hostile.CHANNEL)}",
    "/people/person": f"/people/person?person={quote(hostile.PERSON)}",
    "/recall": f"/recall?channel={quote(hostile.CHANNEL)}&query={quote(hostile.PAYLOADS[0])}&person={quote(hostile.PERSON)}",
    "/search": f"/search?q={quote(hostile.PAYLOADS[1])}",
}
PAGES = [ADDRESSES.get(path, path) for path in paths.PAGES if path != "/me"]
SECTIONS = [f"/settings?part={each}" for each in ("models", "keys", "retention", "privacy", "about")]
ELSEWHERE = [f"{path}?space={quote(hostile.SPACE)}" for path in ("/", "/conversations", "/people", "/settings")]
VIOLATIONS = """window.violations = []
document.addEventListener('securitypolicyviolation', each => violations.push(each.violatedDirective + ' ' + each.blockedURI))"""
WRITES = re.compile("Edit|Delete|Add|Save|Regenerate|Realign|Retry|Erase|Forget|Remember|Block|Revoke", re.IGNORECASE)
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "resultTypes": ["violations"],
    "preload": False,
}
SIZES = ((1280, 900), (390, 844))

NAMELESS = """() => [...document.querySelectorAll('button, a[href], input:not([type=hidden]), select, textarea, summary')]
  .filter(each => each.offsetParent !== null)
  .filter(each => !(each.getAttribute('aria-label') || each.getAttribute('aria-labelledby') || each.textContent?.trim() ||
                    each.labels?.length || each.title || each.querySelector('img[alt]:not([alt=""])')))
  .map(each => each.outerHTML.slice(0, 200))"""
# Type into every field, then draw the page anew, as any change of it does; what is different then was lost.
TYPED_AND_LOST = """() => new Promise(told => {
  const fields = [...document.querySelectorAll('#content textarea, #content input:not([type=hidden], [type=file], [type=checkbox])')]
    .filter(each => each.offsetParent !== null && !each.disabled && !each.readOnly)
  const words = {number: '7', date: '2026-01-02'}
  for (const each of fields) {
    each.value = words[each.type] ?? 'typed'
    if (each.matches('.q-field__native')) each.dispatchEvent(new Event('input', {bubbles: true}))
  }
  document.querySelector('[data-v-app]')._vnode.component.proxy.$forceUpdate()
  setTimeout(() => told(fields.filter(each => each.value !== (words[each.type] ?? 'typed')).map(each => each.outerHTML.slice(0, 200))), 50)
})"""
SHIFTS = """() => new Promise(told => {
  let sum = 0
  new PerformanceObserver(list => list.getEntries().forEach(each => sum += each.hadRecentInput ? 0 : each.value))
    .observe({type: 'layout-shift', buffered: true})
  setTimeout(() => told(sum), 300)
})"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dash]:
    database = str(tmp_path_factory.mktemp("world") / "test.db")
    hostile.fill(database)
    with (
        erstwhile.open_sync(database, worker=False) as memory,
        Served(database, "--no-worker", "--log-level", "warning") as server,
    ):
        yield Dash(f"http://127.0.0.1:{server.port}", database, memory)


@pytest.fixture(scope="module")
def signed_in(world: Dash, browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(base_url=world.url, timezone_id="UTC") as context:
        _sign_in(context, world.memory.keys.create(admin=True).key)
        context.new_page()  # keeps the process that has compiled the scripts
        yield context


@pytest.fixture(scope="module")
def reader(world: Dash, browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(base_url=world.url, timezone_id="UTC") as context:
        _sign_in(context, world.memory.keys.create(read_only=True).key)
        context.new_page()
        yield context


def _sign_in(context: BrowserContext, key: str) -> None:
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.close()


@pytest.mark.parametrize("address", [*PAGES, *SECTIONS, *ELSEWHERE])
def test_a_page_is_safe_and_usable(world: Dash, signed_in: BrowserContext, address: str) -> None:
    page = signed_in.new_page()
    seen: list[str] = []
    page.on("console", lambda message: seen.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: seen.append(request.url) if not _own(request.url, world.url) else None)
    page.add_init_script(VIOLATIONS)
    page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    # A person's page moves a little where a browser paints early: its times get the reader's words only then.
    assert page.evaluate(SHIFTS) < (0.25 if address.startswith("/people/person") else 0.1)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        _looked_at_closely(page)
        assert page.evaluate("[window.pwned, ...violations]") == [None]
        assert page.locator("main iframe, main script, main [onerror], main [onload], a[href^=javascript]").count() == 0
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".problem").count() == 0
        assert address in ELSEWHERE or _barriers(page) == []
        page.emulate_media(color_scheme="dark")
    assert page.evaluate(SMALL) == []
    assert page.evaluate(TYPED_AND_LOST) == []
    page.close()
    assert seen == []


def _looked_at_closely(page: Page) -> None:
    """Everything that can be unfolded is, and plots tell what is under the pointer."""
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    for chart in page.locator(".chart").all()[:6]:
        chart.hover()
        page.mouse.move(*_middle(chart))


def _barriers(page: Page) -> list[str]:
    """What keeps somebody out, as axe-core finds it: names, roles, contrast, keyboard."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"][:3]]


def _middle(chart: Locator) -> tuple[float, float]:
    box = chart.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _own(url: str, server: str) -> bool:
    return url.startswith((server, server.replace("http", "ws", 1), "data:", "blob:"))


@pytest.mark.parametrize("address", [*PAGES, *SECTIONS])
def test_a_key_that_may_only_read_sees_no_control_that_writes(
    world: Dash, reader: BrowserContext, address: str
) -> None:
    """Whatever it presses, nothing is different afterwards."""
    before = _state(world)
    page = reader.new_page()
    page.goto(address)
    expect(page.get_by_text("read only", exact=True)).to_be_visible()
    assert page.get_by_role("button", name=WRITES).all_inner_texts() == []
    pressed = page.locator("#content button[type=button]:visible:not([disabled])")
    for number in range(min(25, pressed.count())):
        if number < pressed.count() and pressed.nth(number).is_visible():
            pressed.nth(number).click(timeout=2000, no_wait_after=True, force=True)
            page.keyboard.press("Escape")
    page.close()
    assert _state(world) == before


def _state(world: Dash) -> object:
    memory = world.memory
    return (
        memory.memories.list(limit=1000),
        memory.people.list(),
        [each.instructions for each in memory.prompts.list()],
        [(each.id, each.revoked_at) for each in memory.keys.list(admin=True)],
        list(memory.spaces.configuration()),
    )


def test_a_page_that_was_shown_is_not_found_under_a_wrong_space(world: Dash, context_of: Contexts) -> None:
    context = context_of(world.url)
    _sign_in(context, world.memory.keys.create(space="elsewhere").key)
    page = context.new_page()
    page.goto("/conversations?space=default")
    expect(page.get_by_role("alert")).to_contain_text("has no access to the space")


def test_keys_walk_and_search(world: Dash, signed_in: BrowserContext) -> None:
    page = signed_in.new_page()
    page.goto("/conversations")
    page.keyboard.press("j")
    expect(page.locator("[data-row]:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/conversations/channel"))
    page.goto("/")
    page.keyboard.press("/")
    page.wait_for_url(re.compile("/search"), wait_until="load")  # the script of the new page hears the next key
    page.keyboard.press("/")
    expect(page.locator("[data-search] input, input[data-search]")).to_be_focused()


def test_dark_is_kept_and_there_is_no_flash_of_light(world: Dash, signed_in: BrowserContext) -> None:
    page = signed_in.new_page()
    page.goto("/people")
    light = _ground(page)
    page.get_by_role("button", name="Light or dark").click()
    dark = _ground(page)
    assert dark != light
    page.goto("/search", wait_until="commit")
    page.wait_for_selector("html[data-theme=dark]", state="attached")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert _ground(page) == dark


def _ground(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


@pytest.mark.parametrize("dash_on_each", ["postgres"], indirect=True)
def test_every_page_opens_on_postgres_too(dash_on_each: Dash, page: Page) -> None:
    with ThreadPoolExecutor(1) as aside:  # the browser has a loop running in this thread
        aside.submit(hostile.fill, dash_on_each.database).result()
    _sign_in(page.context, dash_on_each.memory.keys.create(admin=True).key)
    for address in PAGES:
        answer = page.goto(address)
        assert answer is not None
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert (answer.status, page.locator(".problem").count()) == (200, 0), address
