"""What an operator sets, what a model gives, what it gets back."""

from typing import Annotated, Literal, Self

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from config.base.outbound.addresses import parse_networks
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.urls import parse_url
from tools.configs.outside import check_networks, check_opened
from tools.secrets.refs import SecretRef
from tools.tool_type import ToolConfig, ToolInput, ToolOutput

type Provider = Literal["searxng", "brave", "tavily"]

ENDPOINTS: dict[str, str] = {
    "brave": "https://api.search.brave.com/res/v1/web/search",
    "tavily": "https://api.tavily.com/search",
}
MAX_RESULTS = 20


class WebSearchConfig(ToolConfig):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"provider": "searxng", "url": "https://search.example.com/search"}]
        }
    )

    provider: Provider = Field(description="Whose answers are understood.")
    url: str = Field(
        "",
        max_length=2000,
        description="Where it is asked, such as https://search.example.com/search for SearXNG; "
        "empty: the provider's own address.",
    )
    api_key: SecretRef | None = Field(
        None, description="The provider's key; its secret names the provider's host."
    )
    max_results: int = Field(5, ge=1, le=MAX_RESULTS, description="At most so many results.")
    max_query_chars: int = Field(400, ge=1, le=2_000, description="Longer queries are refused.")
    max_snippet_chars: int = Field(
        500, ge=50, le=5_000, description="The text of each result is cut there."
    )
    safe_search: Literal["off", "moderate", "strict"] = Field(
        "moderate", description="As far as the provider has it."
    )
    timeout_ms: int = Field(10_000, ge=1, le=60_000, description="For the whole search.")
    allowed_private_networks: Annotated[tuple[str, ...], AfterValidator(check_networks)] = Field(
        (),
        max_length=50,
        description="Networks that are not public and may be reached on purpose, such as "
        "10.0.0.0/8 for a SearXNG of your own.",
    )

    @model_validator(mode="after")
    def _has_an_address_and_a_key(self) -> Self:
        if self.provider == "searxng" and not self.url:
            raise ValueError(_("SearXNG has no address of its own: give url."))
        if self.provider != "searxng" and self.api_key is None:
            words = {"provider": self.provider}
            raise ValueError(_("%(provider)s needs an api_key.") % words)
        if "#" in self.url:
            raise ValueError(_("The url has a fragment; leave it out."))
        check_opened(self.endpoint, self.allowed_private_networks)
        return self

    @property
    def endpoint(self) -> str:
        return self.url or ENDPOINTS[self.provider]

    def policy(self, max_response_bytes: int) -> OutboundPolicy:
        """Nowhere but to the provider, and on to nobody else."""
        return OutboundPolicy(
            allowed_domains=(parse_url(self.endpoint).host,),
            blocked_domains=(),
            allowed_networks=parse_networks(self.allowed_private_networks),
            max_redirects=0,
            max_response_bytes=max_response_bytes,
        )


class WebSearchInput(ToolInput):
    query: str = Field(description="What to look for, as one would type it.")
    max_results: int | None = Field(
        None, ge=1, le=MAX_RESULTS, description="Fewer than the tool gives."
    )
    site: str | None = Field(
        None, max_length=253, description="Only of this host, such as docs.python.org."
    )


class Result(BaseModel):
    title: str
    url: str
    snippet: str
    published: str = Field(description="As the provider says it; empty if it does not.")


class WebSearchOutput(ToolOutput):
    query: str
    results: list[Result]
