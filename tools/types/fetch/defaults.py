"""The operator's own headers: added to each call, and opened only when it is made."""

from dataclasses import replace

from config.base.outbound.hops import OutboundRequest
from config.base.outbound.urls import ParsedUrl
from tools.secrets.refs import SecretRef, TextOrSecret
from tools.secrets.use import check_secret, resolve_secret
from tools.types.fetch.config import FetchConfig


def shown_request(request: OutboundRequest, config: FetchConfig) -> OutboundRequest:
    """As it will be sent, but for secrets, which are empty here."""
    texts = {
        name: "" if isinstance(held, SecretRef) else held
        for name, held in missing_headers(request, config).items()
    }
    return replace(request, headers={**texts, **request.headers})


def opened_request(
    request: OutboundRequest, config: FetchConfig, url: ParsedUrl
) -> OutboundRequest:
    """As it is sent. Raises what `resolve_secret` raises when a secret is not for this host."""
    texts = {
        name: resolve_secret(held.secret, url.host, scheme=url.scheme)
        if isinstance(held, SecretRef)
        else held
        for name, held in missing_headers(request, config).items()
    }
    return replace(request, headers={**texts, **request.headers})


def check_secrets(request: OutboundRequest, config: FetchConfig, url: ParsedUrl) -> None:
    for held in missing_headers(request, config).values():
        if isinstance(held, SecretRef):
            check_secret(held.secret, url.host, scheme=url.scheme)


def missing_headers(request: OutboundRequest, config: FetchConfig) -> dict[str, TextOrSecret]:
    """A header of the call replaces the operator's of the same name, in whatever case."""
    given = {name.lower() for name in request.headers}
    return {name: held for name, held in config.default_headers.items() if name not in given}


def describe_headers(request: OutboundRequest, config: FetchConfig) -> list[str]:
    """By name, and the secrets by theirs."""
    return [
        f"{name}: *** (secret {held.secret})" if isinstance(held, SecretRef) else f"{name}: ***"
        for name, held in missing_headers(request, config).items()
    ]
