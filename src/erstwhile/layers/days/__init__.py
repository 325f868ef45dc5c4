"""Days: what each person did on one day, a history of the six days before, and a portrait.

They are made from what people said in a space, with one model call per day for all people. `about`
and the context read them. Always true: a day that is over is made once and does not change; today
is made at most once an hour; the history is made once a day; the portrait is made again only when
the remembered text, today or the history changed; what was said in a private channel is in rows of
its own, visible only there (their *audience* is the channel).
"""
