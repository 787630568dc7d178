"""What operators may write into the lists of hosts and networks of a config."""

from config.base.outbound.addresses import parse_networks
from config.base.outbound.domains import parse_domains


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
