"""The parts of `make bench-jobs`; as an app, what the measured processes add to the product."""
