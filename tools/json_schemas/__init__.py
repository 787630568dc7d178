"""JSON schemas, most of them written by somebody else: reading them, and judging by them.

Empty, as `checks` and `pointers` are imported by the killable child: no Django.
"""
