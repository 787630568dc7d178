"""The outbound HTTP client: every request that leaves on an agent's behalf goes through here."""
