"""The REST API of agents: thin edges over `agents.runs`, `agents.actions` and selectors."""
