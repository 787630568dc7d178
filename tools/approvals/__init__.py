"""Standing approvals: given with a confirmation, listed and revoked.

Which calls one covers, and how it is used, is the approval gate's: `tools.gates.standing`.
"""
