"""`python -m tests.chaos`: workers under kills, freezes and cuts, and what must hold afterwards."""
