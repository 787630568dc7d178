"""Reading the environment: one place, clear errors, no surprises."""

import math
import os
import secrets
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def env_text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def env_bool(name: str, default: bool) -> bool:
    value = env_text(name, "1" if default else "0").lower()
    if value not in _TRUE | _FALSE:
        raise ImproperlyConfigured(f"{name}={value!r} is neither true (1) nor false (0)")
    return value in _TRUE


def env_int(name: str, default: int, *, minimum: int = 0) -> int:
    value = env_text(name, str(default))
    if not value.isascii() or not value.isdigit() or int(value) < minimum:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number of {minimum} or more")
    return int(value)


def env_seconds(name: str, default: float, *, minimum: float = 0) -> float:
    value = env_text(name, str(default))
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds) or seconds < minimum:
        raise ImproperlyConfigured(
            f"{name}={value!r} is no number of seconds of {minimum:g} or more"
        )
    return seconds


def env_money(name: str, default: str) -> Decimal:
    value = env_text(name, default)
    try:
        amount = Decimal(value)
    except InvalidOperation:
        amount = Decimal(-1)
    if not amount.is_finite() or amount < 0:
        raise ImproperlyConfigured(f"{name}={value!r} is no amount of 0 or more")
    return amount


def env_list(name: str, default: tuple[str, ...] = ()) -> list[str]:
    value = env_text(name)
    return [part.strip() for part in value.split(",") if part.strip()] if value else list(default)


def env_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = env_text(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r} is none of {', '.join(choices)}")
    return value


def env_redis_url(name: str) -> str:
    value = env_text(name)
    if value and not value.startswith(("redis://", "rediss://", "unix://")):
        raise ImproperlyConfigured(f"{name} must be redis://…, rediss://… or unix://…")
    return value


def env_origins(name: str) -> list[str]:
    """`host:port` each, from that form or from a URL; what protects must not pass unread."""
    return [_host_and_port(name, value) for value in env_list(name)]


def _host_and_port(name: str, value: str) -> str:
    default_ports = {"": None, "http": 80, "https": 443}
    url = urlsplit(value if "://" in value else f"//{value}")
    try:
        port = url.port or default_ports[url.scheme]
    except (KeyError, ValueError):
        port = None
    if not url.hostname or port is None or url.path.strip("/") or url.query or url.username:
        raise ImproperlyConfigured(f"{name}: {value!r} is neither host:port nor an http(s) origin")
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return f"{host}:{port}"


def generated_secret(path: Path) -> str:
    """The secret in this file; made on first use, readable by the owner only."""
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # the database lies there too
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(64))
    try:
        os.link(scratch, path)  # the first process wins; the others read its secret
    except FileExistsError:
        pass
    finally:
        scratch.unlink()
    return path.read_text().strip()
