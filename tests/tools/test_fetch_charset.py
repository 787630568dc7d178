"""Whatever charset a peer declares, the text is storable and made by a character encoding."""

import codecs

from hypothesis import given, settings
from hypothesis import strategies as st

from tools.types.fetch.charset import CODECS, decode_text

many = settings(max_examples=300, derandomize=True, deadline=None)
PYTHON_ONLY = [
    "zlib", "rot13", "hex", "base64", "bz2", "uu", "quopri", "unicode_escape", "idna", "punycode",
    "raw_unicode_escape", "utf-7", "undefined", "mbcs", "utf_16_be",
]  # fmt: skip
LABELS = st.one_of(
    st.sampled_from([*sorted(CODECS), *PYTHON_ONLY]),
    st.sampled_from(sorted(CODECS)).map(str.upper),
    st.text(max_size=20),
    st.just("x" * 5_000),
)
DECLARED = st.builds(
    str.format,
    st.sampled_from(
        ["text/html; charset={}", 'text/html;charset="{}"', "text/plain; charset='{}", "{}", ";;{}",
         "text/html; CHARSET = {}; charset=utf-8", "text/html; charset={};charset=zlib"]
    ),
    LABELS,
)  # fmt: skip
CONTENT = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")),
    st.builds(
        lambda label, rest: (
            f'<?xml encoding="{label}"?><meta charset={label}>'.encode("utf-8", "replace") + rest
        ),
        LABELS,
        st.binary(max_size=60),
    ),
    st.sampled_from([codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE]).flatmap(
        lambda mark: st.binary(max_size=40).map(mark.__add__)
    ),
)


@many
@given(CONTENT, DECLARED, st.booleans(), st.booleans())
def test_any_text_is_storable_whatever_is_declared(
    content: bytes, declared: str, is_markup: bool, is_cut: bool
) -> None:
    text, warnings = decode_text(content, declared, is_markup=is_markup, is_cut=is_cut)
    assert "\0" not in text
    text.encode()  # no half of a pair
    assert all(len(warning) < 200 for warning in warnings)


@many
@given(st.text(max_size=60), st.sampled_from(sorted(set(CODECS.values()))))
def test_what_was_written_in_a_charset_is_read_in_it(text: str, codec: str) -> None:
    written = text.encode(codec, "ignore")
    label = next(label for label, one in CODECS.items() if one == codec)
    read, warnings = decode_text(written, f"text/plain; charset={label}", is_markup=False)
    marks = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    assert not warnings
    if not written.startswith(marks):
        assert read == written.decode(codec, "replace").replace("\0", "\ufffd")
