"""The remote client: the same verbs over HTTP, with the same signatures and results.

    async with erstwhile.connect("http://127.0.0.1:8765", key="er_…") as memory:
        await memory.channel("support-42").add("user", "I moved to Busan last week", person="alice")

`calls.py` turns a declared verb into a call, `transport.py` sends calls, retries those that are
safe to retry, and turns problem documents back into errors. Verbs that stream or carry files are in
`memory.py` and `resources.py`.
"""
