"""The record of erasures: counters, receipts, and tombstones of messages that must not be stored
again.

Written by erasure; read by the log, which skips erased messages, and by steps that store results of
a model, to check that nothing was erased meanwhile. Always true: there is no text and no name here;
hashes are keyed with the space's secret.
"""
