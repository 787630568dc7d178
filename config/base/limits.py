"""Which rate limits there are; the settings say how much, 0 switches one off."""

from django.conf import settings

from config.base.rates import Limit

_SIGN_IN_SECONDS = 15 * 60


def person_limit() -> Limit:
    """Everything that one person asks for, over pages, sessions and all of their tokens."""
    return Limit("person", settings.REQUESTS_PER_MINUTE)


def token_limit() -> Limit:
    return Limit("token", settings.TOKEN_REQUESTS_PER_MINUTE)


def link_limit() -> Limit:
    """Who opens public links, by address: nobody is signed in there."""
    return Limit("link", settings.LINK_READS_PER_MINUTE)


def sign_in_limits(account: str, address: str) -> list[tuple[Limit, str]]:
    """Tight for one account from one address, so that nobody locks somebody else out from theirs;
    wider for an account from everywhere, and for an address with every account.
    """
    most = settings.SIGN_IN_ATTEMPTS
    return [
        (Limit("sign-in", most, _SIGN_IN_SECONDS), f"{account}:{address}"),
        (Limit("sign-in-address", 10 * most, _SIGN_IN_SECONDS), address),
        (Limit("sign-in-account", 10 * most, _SIGN_IN_SECONDS), account),
    ]
