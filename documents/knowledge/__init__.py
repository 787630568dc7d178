"""Knowledge: spaces, the files that people put there, what is read in them, and finding it again.

`files` is how a file comes to the disk and what it is, `extraction` how it is read (in a process
of its own: no Django there), `services` change, `selectors` and `searching` read.
"""
