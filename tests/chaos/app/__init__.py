"""What the worker processes of a chaos run have beside the product."""
