"""Nothing but the outbound client opens connections: one door, so that no check is forgotten."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("agents", "bench", "config", "documents", "jobs", "scripts", "skills", "tools")
RAW_CLIENTS = frozenset(
    {
        "aiohttp", "asyncore", "boto3", "botocore", "ftplib", "http.client", "httpcore",
        "httpcore2", "httpx", "httpx2", "imaplib", "poplib", "pycurl", "requests", "smtplib",
        "socket", "telnetlib", "urllib.request", "urllib3", "websocket", "websockets",
        "xmlrpc.client",
    }
)  # fmt: skip
HARMLESS = frozenset({"gethostname", "getfqdn"})  # of socket
OPENERS = frozenset({"open_connection", "create_connection", "open_unix_connection"})
MENTIONED = re.compile("|".join({name.split(".")[-1] for name in RAW_CLIENTS} | OPENERS))
# Who else may, and why.
ALLOWED = {
    "config/base/outbound/": "the client itself",
    "bench/": "measures our own server, not part of the product",
    "scripts/": "starts and watches our own server and database",
    "config/base/management/commands/serve.py": "binds our own port, to see that it is free",
    "config/base/processes/requests.py": "a pair of sockets between our own processes",
    "config/base/processes/signals.py": "a pair of sockets within one process",
    "jobs/mailbox.py": "a pair of sockets between our own processes",
    "agents/model_clients/transport.py": "the model endpoint that an operator configured",
    "agents/model_clients/cuttable.py": "its connections, which a listener who leaves can cut",
    "agents/model_clients/listener.py": "the socket that it cuts",
}


def imports_in(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(module, name) pairs; a name is "" for the module as a whole."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def uses_of_socket(tree: ast.AST) -> set[str]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return {
        node.attr
        for node in nodes
        if isinstance(node.value, ast.Name) and node.value.id == "socket"
    }


def is_raw_client(module: str, name: str, tree: ast.AST) -> bool:
    parts = f"{module}.{name}".rstrip(".").split(".")
    known = {".".join(parts[:count]) for count in range(1, len(parts) + 1)} & RAW_CLIENTS
    if known == {"socket"}:
        used = {name} if name else uses_of_socket(tree)
        return not used or not used <= HARMLESS
    return bool(known)


def raw_clients_in(source: str) -> list[str]:
    if not MENTIONED.search(source):
        return []
    tree = ast.parse(source)
    found = [
        f"{module}.{name}".rstrip(".")
        for module, name in imports_in(tree)
        if is_raw_client(module, name, tree)
    ]
    attributes = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return found + [attribute for attribute in attributes if attribute in OPENERS]


def is_allowed(file: str) -> bool:
    return any(file == allowed or file.startswith(allowed) for allowed in ALLOWED)


def test_only_the_outbound_client_opens_connections() -> None:
    found = {}
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*.py"):
            file = path.relative_to(ROOT).as_posix()
            if not is_allowed(file) and (clients := raw_clients_in(path.read_text())):
                found[file] = clients
    assert found == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import httpx", ["httpx"]),
        ("import httpx as h, os", ["httpx"]),
        ("from httpx import Client", ["httpx.Client"]),
        ("import urllib.request", ["urllib.request"]),
        ("from urllib import request", ["urllib.request"]),
        ("from urllib.request import urlopen", ["urllib.request.urlopen"]),
        ("from http import client", ["http.client"]),
        ("def f():\n    import socket", ["socket"]),
        ("from socket import create_connection", ["socket.create_connection"]),
        ("import requests.adapters", ["requests.adapters"]),
        ("import asyncio\nasyncio.open_connection('a', 1)", ["open_connection"]),
        ("import socket\nsocket.gethostname()\nsocket.socket()", ["socket"]),
        ("from socket import gethostname", []),
        ("import socket\nsocket.gethostname()", []),
        ("import http\nfrom urllib.parse import urljoin", []),
        ("from config.base.outbound.client import OutboundClient", []),
    ],
)
def test_it_sees_raw_clients(source: str, found: list[str]) -> None:
    assert raw_clients_in(source) == found
