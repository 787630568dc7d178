"""The web process: Django, and the background hosts that live as long as it does.

Django has no lifespan of its own, so the hosts (runs, sealer) are started and stopped here.
"""

import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.core.asgi import get_asgi_application

django_application = get_asgi_application()

from asgiref.sync import sync_to_async  # noqa: E402
from django.conf import settings  # noqa: E402

from config.base.bodies import BodyLimit  # noqa: E402
from config.base.hosts import BackgroundHosts  # noqa: E402  (needs the apps)

log = logging.getLogger(__name__)

bounded_application = BodyLimit(django_application, settings.MAX_BODY_BYTES)

type Scope = dict[str, Any]
type Receive = Callable[[], Awaitable[dict[str, Any]]]
type Send = Callable[[Mapping[str, Any]], Awaitable[None]]


async def _lifespan(receive: Receive, send: Send) -> None:
    hosts = BackgroundHosts()
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            try:
                await sync_to_async(hosts.start, thread_sensitive=False)()
            except Exception as error:
                log.exception("this process can't serve")
                await sync_to_async(hosts.stop, thread_sensitive=False)()
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                raise
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await sync_to_async(hosts.stop, thread_sensitive=False)()
            await send({"type": "lifespan.shutdown.complete"})
            return


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    else:
        await bounded_application(scope, receive, send)
