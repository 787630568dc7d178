"""What every endpoint shares (spec "What every API shares")."""
