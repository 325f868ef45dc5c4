"""The MCP face: the memory as tools for programs that speak the Model Context Protocol, over stdio and at the server's /mcp.

`arguments.py` has what each tool takes, `shapes.py` what it gives, as data and as text; `tools.py` calls the door; `server.py` speaks the
protocol for a visitor, `stdio.py` runs it for the program that started us. What is found is shown as quotes, never as instructions. Nothing
keeps state between two calls, so any server behind a balancer can answer either, and a call that is repeated changes nothing more.
"""
