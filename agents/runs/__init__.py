"""A run: one turn of an agent, from request to response, whatever process drives it.

`start` inserts it, `claim` takes it with a lease, `drive` carries it on, `finish` ends it; every
write is fenced by the revision that was claimed.
"""
