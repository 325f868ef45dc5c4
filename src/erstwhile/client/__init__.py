"""The door over HTTP: the same verbs, with the same signatures and answers, at a server (`erstwhile serve`).

    async with erstwhile.connect("http://127.0.0.1:8765", key="er_…") as memory:
        await memory.channel("support-42").add("user", "I moved to Busan last week", person="alice")

`transport.py` carries calls and repeats what is safe to repeat, `problems.py` turns what went wrong back into the door's errors,
`answers.py` turns JSON back into the door's own dataclasses. The verbs are split as the embedded door's are.
"""
