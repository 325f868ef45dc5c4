"""Jobs: work that is due, in a table of the same database.

A job is created in the transaction that needs it and completed in the transaction of its results: a
model may be called twice, its effects happen once. A job is `waiting`, `running`, `done` or
`parked` with a reason; it is never lost. Each claim raises the job's token, and a worker with an
older token cannot complete it. Used by workers, `settle`, `erstwhile jobs` and the doctor.
"""
