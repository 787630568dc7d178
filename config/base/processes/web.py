"""The web process: uvicorn, and the background hosts that config/asgi.py starts."""

import uvicorn
from django.conf import settings


def main() -> None:
    uvicorn.run(
        "config.asgi:application",
        host=settings.HOST,
        port=settings.PORT,
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=2,  # an open stream must not hold the process
        server_header=False,
    )
