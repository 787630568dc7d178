"""Workflows: sessions that collect answers in a conversation, then write through the gate."""
