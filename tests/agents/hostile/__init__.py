"""Content that orders an agent to leak or to write, and a model that obeys it whatever it says."""
