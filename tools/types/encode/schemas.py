"""Config, input and output of the tool type `encode`."""

from typing import Literal

from pydantic import Field

from tools.operations import OperationInput
from tools.tool_type import ToolConfig, ToolOutput
from tools.types.encode.limits import MAX_CHARS
from tools.types.encode.operation_table import OPERATION_ARGUMENTS, OperationName

TextForm = Literal["text", "hex", "base64"]
BytesForm = Literal["hex", "base64", "base64url"]


class EncodeConfig(ToolConfig):
    max_chars: int = Field(
        default=100_000,
        ge=100,
        le=MAX_CHARS,
        description="Longer data, keys, names and fields are refused.",
    )


class EncodeInput(OperationInput):
    """One flat object; each operation takes its own part of it and refuses the rest."""

    operations = OPERATION_ARGUMENTS

    operation: OperationName = Field(description="What to do; it says which arguments it takes.")
    data: str | None = Field(
        default=None,
        description="What to encode, decode or digest.",
        json_schema_extra={"maxLength": MAX_CHARS},  # a config says less; more is code limit
    )
    data_as: TextForm | None = Field(
        default=None,
        description="How data stands for bytes: text (UTF-8, the default), hex or base64.",
    )
    bytes_as: BytesForm | None = Field(
        default=None,
        description="How bytes are written in the result: digests, and what decodes to no text. "
        "hex is the default.",
    )
    safe: str | None = Field(
        default=None, description="percent_encode: ASCII characters to leave as they are, such as /"
    )
    fields: dict[str, str | list[str]] | None = Field(
        default=None, description="query_encode: names to values."
    )
    algorithm: str | None = Field(
        default=None, description="sha256, sha384, sha512, sha3_256, sha3_512, blake2b, md5, sha1."
    )
    secret_key: str | None = Field(
        default=None, description="hmac: the key. Masked in the log, but not a stored secret."
    )
    key_as: TextForm | None = Field(
        default=None, description="How secret_key stands for bytes; text is the default."
    )
    namespace: str | None = Field(default=None, description="uuid5: dns, url, oid, x500 or a UUID.")
    name: str | None = Field(default=None, description="uuid5: the name within the namespace.")


class EncodeOutput(ToolOutput):
    result: str | list[tuple[str, str]]
    result_as: Literal["text", "hex", "base64", "base64url", "pairs"]
