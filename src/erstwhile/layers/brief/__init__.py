"""The brief: one rolling summary per channel, and a raw tail.

Made from the turns after its cursor; read by the context. Always true: the brief holds everything up to its cursor, the last
assistant message folded into it; what comes after the cursor is still read verbatim; it is never longer than its cap; one channel
never has two folds in flight; which model wrote a reply makes no difference.
"""
