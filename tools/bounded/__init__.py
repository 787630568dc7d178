"""Pure computations over hostile input, in a process of their own that can be stopped.

A pattern, a template or a query that somebody else wrote may run for ever or fill the memory; a
thread can't be stopped, so these never run in a process that has anything else to do.
"""
