"""The workflow for n8n: its nodes are connected, and its requests are what the server takes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from support.running import RunningServer

SOURCE = Path(__file__).parents[2] / "integrations" / "n8n" / "chat-with-memory.json"
WORKFLOW = json.loads(SOURCE.read_text())
NODES = {each["name"]: each for each in WORKFLOW["nodes"]}


def test_every_node_is_there_and_connected() -> None:
    assert len(NODES) == len(WORKFLOW["nodes"]) == len({each["id"] for each in WORKFLOW["nodes"]})
    ends = [end for by in WORKFLOW["connections"].values() for ways in by.values() for way in ways for end in way]
    assert {*WORKFLOW["connections"], *(end["node"] for end in ends)} == NODES.keys()
    named = set(re.findall(r"\$\('([^']+)'\)", SOURCE.read_text()))
    assert named <= NODES.keys()


def value(expression: str, known: dict[str, Any]) -> str:
    """Work out an n8n expression, as far as this workflow uses them."""

    def one(found: re.Match[str]) -> str:
        return worked_out(found[1].strip(), known)

    return re.sub(r"\{\{(.+?)\}\}(?!\})", one, expression.removeprefix("="))


def worked_out(code: str, known: dict[str, Any]) -> str:
    reference = r"\$\('([^']+)'\)\.item\.json\.(\w+)"
    if match := re.fullmatch(rf"encodeURIComponent\({reference}\)", code):
        return quote(str(known[match[1]][match[2]]), safe="")
    if match := re.fullmatch(reference, code):
        return str(known[match[1]][match[2]])
    match = re.fullmatch(r"JSON\.stringify\(\{(.*)\}\)", code)
    assert match is not None, code
    fields = {}
    for part in match[1].split(", "):
        name, _, given = part.strip().partition(": ")
        found = re.fullmatch(reference, given)
        given = re.sub(r"' \+ \$execution\.id \+ '", str(known["execution"]), given)
        fields[name] = known[found[1]][found[2]] if found else json.loads(given.replace("'", '"'))
    return json.dumps(fields)


def send(server: RunningServer, node: str, known: dict[str, Any]) -> dict[str, Any]:
    parameters = NODES[node]["parameters"]
    assert (parameters["method"], NODES[node]["onError"]) == ("POST", "continueRegularOutput")
    url = value(parameters["url"], known)
    assert url.startswith(f"{server.url}/v1/spaces/")
    return server.post(url.removeprefix(f"{server.url}/v1/spaces/"), json.loads(value(parameters["jsonBody"], known)))


def test_a_chat_is_stored_and_recalled(server: RunningServer) -> None:
    settings = {"erstwhile": server.url, "space": "n8n", "person": "s/1", "sessionId": "s/1"}
    talk = (("I moved to Busan.", "Noted."), ("Where do I live now?", "In Busan."))
    for execution, (asked, answer) in enumerate(talk):
        known = {"Settings": {**settings, "chatInput": asked}, "Agent": {"output": answer}, "execution": execution}
        context = send(server, "Get context", known)
        for node in ("Store question", "Store question", "Store reply", "Store reply"):  # *Retry On Fail* repeats them
            send(server, node, known)
    assert "Busan" in context["text"]
    said = ["I moved to Busan.", "Noted.", "Where do I live now?", "In Busan."]
    assert [text for _, text in server.said("s/1", "n8n")] == said


def test_a_chat_waits_for_memory_three_seconds_in_all() -> None:
    """The nodes wait one after the other."""
    waits = [each["parameters"]["options"]["timeout"] for each in WORKFLOW["nodes"] if "httpRequest" in each["type"]]
    assert sum(waits) == 3000
