"""Jobs: work that is due, in a table of the same database.

Made in the transaction of what calls for them, done in the transaction of what they make: a model may be called twice, its effects happen
once. A job is `waiting`, `running`, `done` or `parked` with a reason; it is never dropped. Each claim raises the job's token, and a worker
whose token is no longer the job's can't complete it. Read by workers, `settle`, `erstwhile jobs` and the doctor.
"""
