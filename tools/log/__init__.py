"""The log of calls: what it keeps of their content, and the figures that it gives.

The rows are the ledger's: `tools.ledger` writes them.
"""
