"""One completion by a model that an operator has set up."""
