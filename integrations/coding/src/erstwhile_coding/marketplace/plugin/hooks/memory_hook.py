"""The hook of Claude Code, Codex and Cursor: recall before a prompt, store what is said.

It reads one event as JSON from stdin and writes what the agent should know as JSON to stdout. It
needs nothing but Python's standard library. Whatever goes wrong, it ends with 0 within seconds and
says so on stderr: memory that is away must never stop the work.

`~/.erstwhile/coding.json` has the server's `url`, and optionally `key`, `space` and `person`.
"""

from __future__ import annotations

import getpass
import hashlib
import http.client
import json
import os
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

CONFIG = Path(".erstwhile", "coding.json")  # in the home folder
SECONDS = 2.0  # for one request
LIMIT = 5.0  # for the whole hook, also when a server answers byte by byte
START_TOKENS, PROMPT_TOKENS = 1500, 1000
LONGEST_QUESTION = 2000  # characters of a prompt that are searched with

Json = dict[str, Any]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key goes to the server that was named, and to no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


class MemoryServer:
    """Stores messages of one channel and asks for contexts, over HTTP."""

    def __init__(self, config: Json, channel: str) -> None:
        self.url = str(config.get("url") or "http://127.0.0.1:8765").rstrip("/")
        self._key = str(config.get("key") or "")
        self._person = str(config.get("person") or getpass.getuser())
        space = urllib.parse.quote(str(config.get("space") or "default"), safe="")
        self._channel = f"{self.url}/v1/spaces/{space}/channels/{urllib.parse.quote(channel, safe='')}"
        local = urllib.parse.urlsplit(self.url).hostname in ("127.0.0.1", "localhost", "::1")
        proxies = [urllib.request.ProxyHandler({})] if local else []
        self._opener = urllib.request.build_opener(_NoRedirects, *proxies)

    def context(self, query: str, budget: int) -> str:
        """Return what is worth knowing for this query, "" if there is nothing."""
        body = {"query": query[:LONGEST_QUESTION], "person": self._person, "budget": budget}
        found = self._post("context", body)
        return str(found.get("text") or "") if found.get("relevant", True) else ""

    def add(self, role: str, text: str, key: str) -> None:
        message = {"role": role, "text": text}
        if role == "user":
            message["person"] = self._person
        if key:
            message["key"] = key
        self._post("messages", message)

    def _post(self, path: str, body: Json) -> Json:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(f"{self._channel}/{path}", json.dumps(body).encode(), headers)
        with self._opener.open(request, timeout=SECONDS) as answer:
            return dict(json.load(answer))


def channel_of(event: Json) -> str:
    """Name the project: the last two folders of the repository's path, or of the working folder."""
    roots = event.get("workspace_roots") or []
    folder = Path(str(event.get("cwd") or (roots[0] if roots else "") or os.getcwd())).resolve()
    project = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    return "code:" + "/".join([*project.parts[1:]][-2:])


def key_of(event: Json, role: str) -> str:
    """Name a message by its turn, so that an event reported twice is stored once."""
    session = event.get("conversation_id") or event.get("session_id")
    turn = event.get("generation_id") or event.get("turn_id")
    if not session or not turn:
        return ""
    text = str(event.get("text") or event.get("last_assistant_message") or "")
    return hashlib.sha256(f"{session}\n{turn}\n{role}\n{text}".encode(errors="replace")).hexdigest()[:32]


def last_reply(transcript: str) -> str:
    """Return the agent's last text in a transcript of Claude Code, for versions that don't pass it."""
    reply = ""
    for line in Path(transcript).read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
            content = entry["message"]["content"] if entry.get("type") == "assistant" else []
            texts = [each["text"] for each in content if each.get("type") == "text"]
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        reply = "\n".join(texts) or reply
    return reply


def handle(event: Json, config: Json) -> Json:
    """Do what the event asks for, and return what the agent is told."""
    name = str(event.get("hook_event_name") or "")
    server = MemoryServer(config, channel_of(event))
    if name in ("SessionStart", "sessionStart"):
        return told(name, server.context("", START_TOKENS))
    if name == "UserPromptSubmit":
        prompt = str(event.get("prompt") or "")
        context = server.context(prompt, PROMPT_TOKENS) if prompt.strip() else ""
        store(server, "user", prompt, key_of(event, "user"))
        return told(name, context)
    if name == "beforeSubmitPrompt":  # Cursor lets it add nothing; the agent asks over MCP instead
        store(server, "user", str(event.get("prompt") or ""), key_of(event, "user"))
        return {"continue": True}
    if name == "afterAgentResponse":
        store(server, "assistant", str(event.get("text") or ""), key_of(event, "assistant"))
    elif name == "Stop":
        reply = event.get("last_assistant_message")
        if reply is None and event.get("transcript_path"):
            reply = last_reply(str(event["transcript_path"]))
        store(server, "assistant", str(reply or ""), key_of(event, "assistant"))
    return {}


def store(server: MemoryServer, role: str, text: str, key: str) -> None:
    if text.strip():
        server.add(role, text, key)


def told(name: str, context: str) -> Json:
    """Return a context in the words of the host; an event of Cursor begins with a small letter."""
    if not context:
        return {}
    if name[0].islower():
        return {"additional_context": context}
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}


def answer_without_memory(event: Json) -> Json:
    return {"continue": True} if event.get("hook_event_name") == "beforeSubmitPrompt" else {}


def run(event: Json, answer: list[Json]) -> None:
    try:
        config = json.loads((Path.home() / CONFIG).read_text(encoding="utf-8"))
    except FileNotFoundError:
        config = {}
    except (OSError, ValueError) as error:
        complain(f"{Path.home() / CONFIG} cannot be read ({error})")
        return
    try:
        answer.append(handle(event, config))
    except urllib.error.HTTPError as error:
        complain(f"the server refused: {error.code} {detail(error)}")
    except (OSError, ValueError, http.client.HTTPException) as error:
        complain(f"no memory now ({getattr(error, 'reason', None) or str(error) or type(error).__name__})")


def detail(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error).get("detail") or error.reason)
    except (OSError, ValueError, AttributeError, http.client.HTTPException):
        return str(error.reason)


def complain(what: str) -> None:
    sys.stderr.write(f"erstwhile: {what}\n")


def main() -> None:
    try:
        event = json.loads(sys.stdin.buffer.read().decode("utf-8", "replace"))
    except ValueError:
        event = None
    if not isinstance(event, dict):
        complain("no event on stdin")
        return
    answer: list[Json] = []
    work = threading.Thread(target=run, args=(event, answer), daemon=True)
    work.start()
    work.join(LIMIT)
    if work.is_alive():
        complain(f"no answer within {LIMIT:.0f} seconds")
    found = answer[0] if answer else answer_without_memory(event)
    if found:
        sys.stdout.write(json.dumps(found))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # a thread that still waits for a server must not keep the host waiting


if __name__ == "__main__":
    main()
