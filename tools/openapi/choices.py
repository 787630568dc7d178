"""What an operator chooses about an import."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from tools.configs.outside import check_networks, check_write_domains
from tools.openapi.errors import ChoiceInvalid


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What holds for all the tools of one import.

    `document` is the name by which a later import finds them again, its title if it is empty.
    `secrets` maps the document's security schemes to names of secrets. `enabled` is for new tools:
    those that are there stay as they are.
    """

    document: str = ""
    prefix: str = ""  # of slugs
    base_url: str = ""  # instead of the document's servers
    secrets: Mapping[str, str] = field(default_factory=dict)
    write_domains: tuple[str, ...] = ()
    allowed_private_networks: tuple[str, ...] = ()
    enabled: bool = False

    def __post_init__(self) -> None:
        """Raises `ChoiceInvalid`."""
        try:
            check_write_domains(self.write_domains)
            check_networks(self.allowed_private_networks)
        except ValueError as error:
            raise ChoiceInvalid(str(error)) from error
        if len(self.prefix) > 20 or not set(self.prefix) <= set(
            "abcdefghijklmnopqrstuvwxyz0123456789_"
        ):
            raise ChoiceInvalid(_("A prefix has at most 20 of a–z, 0–9 and _."))
