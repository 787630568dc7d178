"""JMESPath over given JSON."""
