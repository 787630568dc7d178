"""What is logged, and how: one line for each, without secrets."""

from typing import Any

from config.env import env_text

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "tools.secrets.logs.HidingFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env_text("GATEHOUSE_LOG_LEVEL", "INFO")},
    "loggers": {
        # A 404 is the client's affair; an unhandled error is logged by django.request at ERROR.
        "django.request": {"level": "ERROR"},
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},  # its traces hold headers
        "django-q": {"level": "WARNING"},  # it tells of each wake-up at INFO
    },
}
