"""The MCP interface: memory as tools, over stdio and at the server's /mcp.

`shapes.py` has each tool's arguments, and its results as data and text; `tools.py` calls the API;
`server.py` speaks the protocol. Results are shown as quotes, never as instructions. No state between
calls: any server can answer the next one, and repeating a call changes nothing more.
"""
