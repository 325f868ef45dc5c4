"""A session of Hermes Agent with the provider, as its memory manager runs it. Started by test_real_hermes.py."""

from __future__ import annotations

import json
import sys

from plugins.memory import discover_memory_providers, load_memory_provider

provider = load_memory_provider("erstwhile")
assert provider is not None, "not found in $HERMES_HOME/plugins"
listed = {name: available for name, _, available in discover_memory_providers()}
provider.initialize("monday", hermes_home="", platform="cli", user_id="alice", agent_context="primary")
provider.sync_turn("I moved to Busan.", "Noted.", session_id="monday", messages=[])
provider.shutdown()

again = type(provider)()
again.initialize("friday", hermes_home="", platform="cli", user_id="alice", agent_context="primary")
told = again.prefetch("Where do I live now?", session_id="friday")
tools = [each["name"] for each in again.get_tool_schemas()]
remembered = again.handle_tool_call("erstwhile_remember", {"fact": "keeps bees"})
found = again.handle_tool_call("erstwhile_search", {"query": "Busan"})
again.shutdown()

subagent = type(provider)()
subagent.initialize("sub", hermes_home="", platform="cli", user_id="alice", agent_context="subagent")
subagent.sync_turn("an order of another agent", "done", session_id="sub")
subagent.shutdown()
json.dump(
    {
        "listed": listed.get("erstwhile"),
        "told": told,
        "tools": tools,
        "remembered": json.loads(remembered),
        "found": json.loads(found),
    },
    sys.stdout,
)
