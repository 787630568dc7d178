"""Settings of the search: what makes no sense is refused before anything starts."""

import runpy
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import search

SERVICE = {
    "GATEHOUSE_EMBEDDER": "endpoint",
    "GATEHOUSE_EMBEDDER_URL": "http://10.0.0.7:8080/v1",
    "GATEHOUSE_EMBEDDER_MODEL": "bge-m3",
}


def load(monkeypatch: pytest.MonkeyPatch, **values: str) -> dict[str, Any]:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(search.__file__))


def test_nothing_is_asked_unless_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load(monkeypatch)["EMBEDDER"] == "none"


def test_a_service_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    networks = {"GATEHOUSE_EMBEDDER_NETWORKS": "10.0.0.0/8, 192.168.1.0/24"}
    found = load(monkeypatch, **SERVICE, **networks)
    assert (found["EMBEDDER"], found["EMBEDDER_MODEL"]) == ("endpoint", "bge-m3")
    assert found["EMBEDDER_NETWORKS"] == (ip_network("10.0.0.0/8"), ip_network("192.168.1.0/24"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EMBEDDER", "openai"),
        ("EMBEDDER_URL", ""),
        ("EMBEDDER_URL", "ftp://models.example"),
        ("EMBEDDER_URL", "http://"),
        ("EMBEDDER_URL", "http:///v1"),
        ("EMBEDDER_URL", "models.example/v1"),
        ("EMBEDDER_URL", "https://me:secret@models.example/v1"),
        ("EMBEDDER_URL", "https://models.example/v1?key=1"),
        ("EMBEDDER_URL", "https://models example/v1"),
        ("EMBEDDER_MODEL", ""),
        ("EMBEDDER_KEY", "a\r\nb"),
        ("EMBEDDER_KEY", "schlüssel"),
        ("EMBEDDER_SECONDS", "0"),
        ("EMBEDDER_SECONDS", "soon"),
        ("EMBEDDER_QUESTION_SECONDS", "-1"),
        ("EMBEDDER_NETWORKS", "10.0.0.0/99"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"GATEHOUSE_{name}"):
        load(monkeypatch, **{**SERVICE, f"GATEHOUSE_{name}": value})
