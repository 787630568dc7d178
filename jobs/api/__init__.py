"""The REST API of jobs: what runs in the background, for its owners and for operators."""
