"""The overview: figures that move while others write, what is parked and why, and the first command for whoever starts."""

from __future__ import annotations

import re
import shlex
import subprocess
from datetime import UTC, datetime, timedelta

import httpx2
from dashing import Dash
from playwright.sync_api import BrowserContext, Page, expect

from erstwhile.base import ids
from erstwhile.dashboard.jobs import Status
from erstwhile.jobs.model import QueueCount
from erstwhile.requests import store
from erstwhile.requests.model import Request, TokenUsage
from inside import runtime

XSS = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"


def talk(count: int) -> list[dict[str, object]]:
    start = datetime.now(UTC) - timedelta(days=3)
    return [
        {
            "role": "user",
            "text": f"I bought {n} lanterns in Busan.",
            "person": f"p{n % 3}",
            "at": start + timedelta(hours=n),
        }
        for n in range(count)
    ]


def put(dash: Dash, requests: list[Request], spent: list[TokenUsage]) -> None:
    """On record, as if a model had been asked."""
    memory = dash.memory._target
    day = int(datetime.now(UTC).timestamp()) // 86_400

    async def unit(tx: object) -> None:
        await store.add(tx, await store.rows(tx, requests))  # type: ignore[arg-type]
        for each in spent:
            await store.add_spent(tx, day, each)  # type: ignore[arg-type]

    async def written() -> None:
        await runtime(memory).database.write("default", unit)  # type: ignore[union-attr]

    dash.memory._open_portal().call(written())


def test_the_first_command_makes_the_first_memory(dash_on_each: Dash, page: Page) -> None:
    page.goto("/")
    expect(page.get_by_text("Nothing is remembered here yet")).to_be_visible()
    expect(page.get_by_text("No key was made yet")).to_be_visible()
    command = page.locator(".steps .command code").first.inner_text()
    assert f"{dash_on_each.url}/v1/spaces/default/people/alice/remember" in command
    if not dash_on_each.database.startswith("postgresql"):
        assert f"--database {dash_on_each.database}" in page.locator(".hint code").inner_text()
    assert "password" not in page.content()
    told = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True).stdout
    assert "Busan" in told
    expect(page.locator("[data-figure=memories]")).to_have_text("1")  # the page noticed by itself
    expect(page.locator(".kinds")).to_contain_text("1 remembered")


def test_counters_move_while_another_process_writes(dash_on_each: Dash, page: Page) -> None:
    chat = dash_on_each.memory.channel("chat")
    chat.add_many(talk(25))
    dash_on_each.memory.settle()
    page.goto("/")
    expect(page.locator("[data-figure=messages]")).to_have_text("25")
    expect(page.locator("[data-figure=conversations]")).to_have_text("1")
    expect(page.locator("[data-figure=people]")).to_have_text("3")
    held = dash_on_each.memory.spaces.counts()
    expect(page.locator("[data-figure=memories]")).to_have_text(str(sum(held.memories.values())))
    expect(page.get_by_role("img", name=re.compile("^Messages, by day.*25 in all"))).to_be_visible()
    page.evaluate("window.here = true")
    chat.add_many([{"role": "user", "text": "Another.", "person": "p9"}] * 5)
    expect(page.locator("[data-figure=messages]")).to_have_text("30")
    expect(page.locator("[data-figure=people]")).to_have_text("4")
    dash_on_each.memory.settle()
    held = dash_on_each.memory.spaces.counts()
    expect(page.locator("[data-figure=memories]")).to_have_text(str(sum(held.memories.values())))
    expect(page.get_by_role("img", name=re.compile("^Messages, by day.*30 in all"))).to_be_visible()
    assert page.evaluate("window.here"), "nothing was loaded again"


def test_parked_jobs_say_why_and_are_retried_one_by_one_or_all(dash: Dash, page: Page) -> None:
    dash.memory.channel("chat").add_many(talk(45))
    waiting = dash.memory.jobs.list(space="default", state="waiting")
    assert len(waiting) >= 3
    page.goto("/")
    expect(page.locator("[data-queue]")).to_contain_text("0 parked")
    for job in waiting[:3]:
        dash.memory.jobs.park(job.id, f"The provider refuses the key. {XSS}")
    expect(page.locator("[data-queue]")).to_contain_text("3 parked")
    rows = page.locator("[data-parked] li")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("The provider refuses the key. <img src=x")
    rows.first.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("status")).to_contain_text("due again")
    expect(rows).to_have_count(2)
    page.get_by_role("button", name="Retry all 2").click()
    expect(page.locator("[data-parked]")).to_be_hidden()
    assert dash.memory.jobs.list(space="default", state="parked") == []
    assert "pwned" not in page.title()


def test_jobs_that_keep_failing_are_not_called_progress() -> None:
    def status(retried: int) -> tuple[str, str]:
        reason = "The model is away." if retried else None
        waiting = QueueCount("waiting", "facts.extract", 9, datetime.now(UTC), retried, reason)
        return Status((), [waiting]).words

    assert status(0) == status(4) == ("busy", "Making memories: 9 jobs left.")
    assert status(5) == ("bad", "Jobs keep failing: The model is away.")


def test_errors_cost_and_health_are_named(dash: Dash, page: Page) -> None:
    dash.memory.channel("chat").add_many(talk(3))
    failed = Request(ids.new("req"), datetime.now(UTC), "ask", "chat", query=f"Where? {XSS}", error_stage="model")
    put(
        dash,
        [failed],
        [
            TokenUsage("summarise", "openai:gpt-4o", 2, 1_000_000, 1000, 500_000),
            TokenUsage("fold", f"own:{XSS}", 1, 10, 1, 0),
        ],
    )
    page.goto("/")
    errors = page.locator("[data-errors]")
    expect(errors).to_contain_text("ask: model failed")
    expect(errors.get_by_role("link")).to_have_attribute("href", re.compile(f"/recall\\?request={failed.id}"))
    expect(page.locator("[data-health]")).to_contain_text("No model is configured")
    cost = page.locator(".costs")
    expect(cost).to_contain_text("50% of what went in was cached")
    expect(cost.get_by_role("row", name=re.compile("summarise"))).to_contain_text("$")
    expect(cost).to_contain_text("without the models that have none")
    assert "pwned" not in page.title()


def test_who_may_only_read_sees_no_button_that_changes_anything(dash: Dash, page: Page) -> None:
    dash.memory.channel("chat").add_many(talk(25))
    dash.memory.jobs.park(dash.memory.jobs.list(state="waiting")[0].id, "Out of order.")
    key = dash.memory.keys.create(space="default", read_only=True).key
    page.goto("/login")
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("[data-parked]")).to_contain_text("Out of order.")
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)
    expect(page.get_by_text("No key was made yet")).to_have_count(0)


def test_an_example_goes_into_a_space_of_its_own(dash: Dash, page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Show me an example").click()
    expect(page).to_have_url(re.compile("space=demo"))
    expect(page.locator("[data-figure=messages]")).to_have_text("558")
    assert dash.memory.spaces.counts().messages == 0


def test_on_a_phone_nothing_is_wider_than_the_screen(dash: Dash, context: BrowserContext) -> None:
    page = dash.watch(context.new_page())
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    dash.memory.channel("chat").add_many(talk(25))
    dash.memory.jobs.park(dash.memory.jobs.list(state="waiting")[0].id, "x" * 300)
    put(dash, [], [TokenUsage("summarise", "openai:" + "long" * 20, 2, 1_000_000, 1000, 500_000)])
    page.close()  # it shows what changed, which would come between
    page = dash.watch(context.new_page())
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/?days=90")
    expect(page.locator(".costs")).to_contain_text("No list price is known")
    expect(page.get_by_role("button", name="Retry")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_key_of_one_space_is_not_shown_another(dash: Dash) -> None:
    dash.memory.channel("chat", space="other").add("user", "Not yours.")
    key = dash.memory.keys.create(space="default").key
    with httpx2.Client(base_url=dash.url, headers={"Authorization": f"Bearer {key}"}) as client:
        assert "Not yours" not in client.get("/?space=other").text
        for file in ("csv", "json"):
            assert client.get(f"/downloads/report.{file}?space=other").status_code == 403
            assert client.get(f"/downloads/report.{file}").status_code == 200
