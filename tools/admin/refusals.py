"""What refused something, said to somebody who may change it."""

from config.base.errors import GatehouseError
from config.base.outbound.errors import AddressRefused


def advice_of(error: GatehouseError) -> str:
    return str(error.for_operator or error.message)


def field_of(error: GatehouseError, networks: str) -> str | None:
    """The field of a form that would have to say something else; None: none of them."""
    return networks if isinstance(error, AddressRefused) else None
