"""The tool type `memory_capture`: what an agent would keep, if the person says so."""
