"""Bodies that unpack to more than they say, in any pieces and any encoding."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.base.outbound.body import MAX_ENCODED_OVERHEAD, read_body
from config.base.outbound.errors import ResponseInvalid

many = settings(max_examples=300, derandomize=True, deadline=None)
MEGABYTE = 1024 * 1024


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def in_members(data: bytes) -> bytes:
    return gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :])


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "plain": ("", bytes),
    "gzip": ("gzip", gzip.compress),
    "gzip of several members": ("x-gzip", in_members),
    "gzip with padding": ("GZIP", lambda data: gzip.compress(data) + b"\0" * 9),
    "zlib": ("deflate", zlib.compress),
    "raw deflate": (" deflate ", raw_deflate),
}


def in_pieces(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


@many
@given(
    st.one_of(
        st.binary(max_size=3_000), st.integers(0, 40_000).map(lambda size: b"a" * size)
    ),
    st.sampled_from(sorted(ENCODERS)),
    st.integers(1, 5_000),
    st.integers(1, 5_000),
)  # fmt: skip
def test_what_was_packed_comes_out_up_to_the_limit(
    data: bytes, name: str, limit: int, size: int
) -> None:
    label, encode = ENCODERS[name]
    body = read_body(in_pieces(encode(data), size), label, limit)
    assert body.content == data[:limit]
    assert body.truncated is (len(data) > limit)
    assert not body.incomplete


@many
@given(st.binary(max_size=400), st.sampled_from(["gzip", "deflate"]), st.integers(1, 100))
def test_what_is_not_packed_is_said_or_cut(data: bytes, label: str, limit: int) -> None:
    try:
        body = read_body(in_pieces(data, 7), label, limit)
    except ResponseInvalid:
        return
    assert len(body.content) <= limit


@many
@given(
    st.binary(min_size=1, max_size=2_000),
    st.sampled_from(["gzip", "zlib", "raw deflate"]),
    st.floats(0.01, 0.99),
)
def test_what_broke_off_is_told(data: bytes, name: str, share: float) -> None:
    label, encode = ENCODERS[name]
    packed = encode(data)
    body = read_body(in_pieces(packed[: max(1, int(len(packed) * share))], 100), label, 10_000)
    assert body.incomplete
    assert data.startswith(body.content)


@pytest.mark.parametrize(
    "label",
    [
        "br", "zstd", "compress", "gzip, gzip", "deflate, gzip", "gzip, br", "gzip,identity", "gz",
        "gzip;q=1", "gzip\x00", "aes128gcm", "*", "dcb", "x" * 5_000,
    ],
)  # fmt: skip
def test_an_encoding_that_was_not_offered_is_not_read(label: str) -> None:
    read = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        read += 1
        yield b"x"

    with pytest.raises(ResponseInvalid, match="not offered") as failed:
        read_body(pieces(), label, 1_000)
    assert read == 0
    assert len(failed.value.message) < 200


# --- Bombs: what they would unpack to never exists ---


def bomb(wbits: int, layers: int = 1) -> bytes:
    """200 MB of zeros a layer, made without holding them."""
    packer = zlib.compressobj(9, wbits=wbits)
    packed = b"".join(packer.compress(bytes(MEGABYTE)) for _ in range(200)) + packer.flush()
    return packed if layers == 1 else gzip.compress(packed)


@pytest.fixture
def peak_bytes() -> Iterator[Callable[[], int]]:
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("label", "wbits", "layers"),
    [("gzip", 31, 1), ("deflate", 15, 1), ("deflate", -15, 1), ("gzip", 31, 2)],
)
@pytest.mark.parametrize("size", [1_000, 65_536])
def test_a_bomb_takes_no_more_memory_than_the_limit(
    label: str, wbits: int, layers: int, size: int, peak_bytes: Callable[[], int]
) -> None:
    packed, limit = bomb(wbits, layers), 100_000
    before = peak_bytes()
    tracemalloc.reset_peak()
    body = read_body(in_pieces(packed, size), label, limit)
    assert body.truncated or layers == 2
    assert len(body.content) <= limit
    assert peak_bytes() - before < MEGABYTE


@pytest.mark.parametrize(
    "piece", [gzip.compress(b""), b"\0\0\0\xff\xff"], ids=["members", "blocks"]
)
def test_what_unpacks_to_nothing_ends_too(piece: bytes) -> None:
    read = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += len(piece)
            yield piece

    label = "gzip" if piece.startswith(b"\x1f") else "deflate"
    body = read_body(pieces(), label, 1_000)
    assert (body.content, body.truncated) == (b"", True)
    assert read <= 1_000 + MAX_ENCODED_OVERHEAD + len(piece)
