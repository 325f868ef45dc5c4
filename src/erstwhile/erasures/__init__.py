"""What was erased, as far as the house remembers it: how often, under which receipts, and what must not come back.

Made by the room that erases; read by the log, which takes in nothing that was erased, and by whoever makes memories outside of jobs, to see
that nothing was erased while a model wrote. Always true: there are no words here, and no names; a hash says nothing to whoever lacks the
space's secret and does not know what to look for.
"""
