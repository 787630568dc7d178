"""The operator's secrets: checked when a call is planned, opened only when it is made."""

import base64

from config.base.outbound.urls import ParsedUrl
from tools.secrets.known import remember
from tools.secrets.use import check_secret, resolve_secret
from tools.types.http_api.config import HttpApiConfig
from tools.types.http_api.parts import Credential
from tools.types.http_api.request import Parts
from tools.types.http_api.styles import Pair, encoded

_SCHEMES = {"bearer": "Bearer", "basic": "Basic"}


def check_credentials(config: HttpApiConfig, url: ParsedUrl) -> None:
    """Raises what `check_secret` raises."""
    for credential in config.security:
        check_secret(credential.value.secret, url.host, scheme=url.scheme)


def with_credentials(parts: Parts, config: HttpApiConfig, url: ParsedUrl) -> Parts:
    """As it is sent. Raises what `resolve_secret` raises when a secret is not for this host."""
    query: list[Pair] = []
    headers: dict[str, str] = {}
    cookies: list[Pair] = []
    for credential in config.security:
        value = resolve_secret(credential.value.secret, url.host, scheme=url.scheme)
        if credential.location == "query":
            query.append((encoded(credential.name), encoded(value)))
        elif credential.location == "cookie":
            cookies.append((credential.name, encoded(value)))
        else:
            headers[_header_of(credential)] = _header_text(credential, value)
    return parts.with_more(query, headers, cookies)


def _header_of(credential: Credential) -> str:
    return credential.name.lower() or "authorization"


def _header_text(credential: Credential, value: str) -> str:
    """A secret may have been kept as it is sent, with its scheme before it."""
    scheme = _SCHEMES.get(credential.kind)
    if scheme is None or value.lower().startswith(f"{scheme.lower()} "):
        return value
    if credential.kind == "basic":
        value = base64.b64encode(value.encode()).decode()
    text = f"{scheme} {value}"
    remember(text)
    return text


def describe_credentials(config: HttpApiConfig) -> list[str]:
    """By their places, and the secrets by their names."""
    return [
        f"{one.location} {one.name or 'authorization'}: *** (secret {one.value.secret})"
        for one in config.security
    ]
