"""Fields that configs share whose tools call somebody: each config says what they mean for it."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, Field

from config.base.outbound.addresses import parse_networks
from config.base.outbound.domains import parse_domains
from config.base.outbound.errors import OutboundRefused
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.urls import parse_url

MAX_LIST = 500


def check_domains(value: tuple[str, ...]) -> tuple[str, ...]:
    """Each of these raises `ValueError`, for whoever wrote it."""
    parse_domains(value)
    return value


def check_write_domains(value: tuple[str, ...]) -> tuple[str, ...]:
    if parse_domains(value).everything:
        raise ValueError("write_domains names its hosts; * would lower the risk of every write.")
    return value


def check_networks(value: tuple[str, ...]) -> tuple[str, ...]:
    for text in value:
        try:
            parse_networks([text])
        except ValueError as error:
            raise ValueError(
                f"“{text}” is no network. Write 127.0.0.1/32 for one address, 10.0.0.0/8 for "
                "all that begin with 10."
            ) from error
    return value


def check_reachable(url: str, networks: Iterable[str]) -> None:
    """As far as it can be told without the network. Raises `OutboundRefused`."""
    OutboundPolicy(allowed_networks=parse_networks(networks)).check_url(parse_url(url))


def check_opened(url: str, networks: Iterable[str]) -> None:
    """A tool that could call nobody is broken from the start. A name may lead anywhere later."""
    try:
        check_reachable(url, networks)
    except OutboundRefused as error:
        raise ValueError(str(error.for_operator or error.message)) from error


# No `type` statements: pydantic would make a definition of each, and a field could not add to it.
Domains = Annotated[tuple[str, ...], Field(max_length=MAX_LIST), AfterValidator(check_domains)]
WriteDomains = Annotated[
    tuple[str, ...], Field(max_length=MAX_LIST), AfterValidator(check_write_domains)
]
PrivateNetworks = Annotated[
    tuple[str, ...], Field(max_length=MAX_LIST), AfterValidator(check_networks)
]
TimeoutMs = Annotated[
    int, Field(ge=1, le=120_000, description="For the whole call, redirects and body included.")
]
BodyBytes = Annotated[int, Field(ge=1, le=10 * 1024 * 1024)]
Redirects = Annotated[
    int, Field(ge=0, le=20, description="Followed at most; each hop is judged like the first.")
]
