"""The offline default model: rules instead of weights, English and Chinese."""

from agents.model_clients.rules.client import RulesClient

__all__ = ["RulesClient"]
