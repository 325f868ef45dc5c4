"""The plugin for coding agents (Claude Code, Codex, Cursor), and its installation.

`marketplace/` is what the agents read: manifests, hooks and the address of the MCP server.
"""
