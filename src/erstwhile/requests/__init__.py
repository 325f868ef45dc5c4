"""The record of requests: one row per search, context or question, for `explain`, `report` and
`recommendations`.

Always true: a row is written once and never changed; writing it neither delays nor breaks an
answer; nothing of it enters a prompt.
"""
