"""The tool type `memory_search`: what the agent remembers of the person it works for."""
