"""From bytes to data: both syntaxes say the same, and faults have a place."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from powercert.accounting.errors import LimitError
from powercert.certify.spec_problems import NumberText, SpecError
from powercert.certify.spec_reader import parse_document, read_document


def test_float_literals_keep_their_digits() -> None:
    toml = parse_document(b"a = 0.10\nb = 1e-3\nc = nan\nd = 1_0.5\ne = 2", name="x.toml").data
    assert toml == {"a": "0.10", "b": "1e-3", "c": "nan", "d": "10.5", "e": 2}
    json = parse_document(b'{"a": 0.10, "b": 1e-3, "c": NaN, "e": 2}', name="x.json").data
    assert json == {"a": "0.10", "b": "1e-3", "c": "NaN", "e": 2}
    assert isinstance(json["a"], NumberText)
    assert isinstance(toml["c"], NumberText)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_say_the_encoding(encoding: str) -> None:
    raw = '{"a": "é"}'.encode(encoding)
    assert parse_document(raw, name="x.json").data == {"a": "é"}


def test_utf_16_without_a_mark_is_told() -> None:
    with pytest.raises(SpecError, match="null character at offset 1"):
        parse_document('{"a": 1}'.encode("utf-16-le"), name="x.json")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": {"b": 1,\n "b": 2}}', 'line 2, a: key "b" is written twice'),
        ('{"a": [{"b": 1}, {"b": 1,\n\n "b": 2}]}', 'line 3, a.1: key "b" is written twice'),
        ('{"a\\u0062": 1,\n "ab": 2}', 'line 2: key "ab" is written twice'),
    ],
)
def test_repeated_json_keys_are_never_dropped(text: str, place: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_document(text.encode(), name="x.json")
    assert place in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a = 1\na = 2",
        "[t]\nx = 1\n[t]\ny = 2",
        "t = {x = 1, x = 2}",
        "t = {x = 1}\n[t]\ny = 1",
        "t.x = 1\nt.x = 2",
    ],
)
def test_repeated_toml_keys_have_a_line(text: str) -> None:
    with pytest.raises(SpecError, match=r"x\.toml: line \d+, column \d+: .*twice"):
        parse_document(text.encode(), name="x.toml")


@pytest.mark.parametrize("raw", [b"", b"  \n", b"\xef\xbb\xbf"])
def test_an_empty_file(raw: bytes) -> None:
    with pytest.raises(SpecError, match="the file is empty"):
        parse_document(raw, name="x.toml")


def test_the_top_level_is_a_table() -> None:
    with pytest.raises(SpecError, match="the top level is not a table; found a list of 1"):
        parse_document(b"[1]", name="x.json", kind="json")


@pytest.mark.parametrize("digits", [4_301, 100_000])
def test_a_very_long_whole_number_is_refused_not_converted(digits: int) -> None:
    number = b"9" * digits
    assert parse_document(b'{"a": %b}' % number, name="x.json").data["a"] == number.decode()
    with pytest.raises(SpecError, match=f"line 2: a whole number of {digits} digits"):
        parse_document(b"x = 1\na = %b" % number, name="x.toml")


@pytest.mark.parametrize("start", ["", '{"a": "', "a = '", "a = '''", 'a = """', "[" * 40])
@pytest.mark.parametrize("piece", ["a", "\\\\", '\\"', "a.", "'", '"', "a b", "''\n", "[]", "{"])
def test_no_text_is_scanned_again_and_again(start: str, piece: str) -> None:
    started = time.perf_counter()
    with pytest.raises((SpecError, LimitError)):
        parse_document((start + piece * 50_000).encode(), name="x", limit_rows=10)
    assert time.perf_counter() - started < 5


def test_brackets_in_strings_and_comments_do_not_count() -> None:
    deep = "[" * 500
    assert parse_document(f'{{"a": "{deep}"}}'.encode(), name="x.json").data == {"a": deep}
    text = f"# {deep}\na = '{deep}'\nb = '''\n{deep}'''\nc = \"{deep}\""
    assert parse_document(text.encode(), name="x.toml").data["a"] == deep


def test_dots_in_text_do_not_count_as_nesting() -> None:
    dotted = ".".join(["a"] * 100)
    text = f'a = \'{dotted}\'\nb = """\n{dotted}"""\n# {dotted}'
    assert parse_document(text.encode(), name="x.toml").data["a"] == dotted


def test_rows_are_counted_before_anything_is_parsed() -> None:
    broken = b'{"kernel": [' + b"[1, [2], 3]," * 50
    with pytest.raises(LimitError, match="50 rows exceed --limit-rows 20"):
        parse_document(broken, name="x.json", limit_rows=20)
    with pytest.raises(SpecError, match="too early"):
        parse_document(broken, name="x.json", limit_rows=50)


def test_an_endless_source_is_read_up_to_its_limit() -> None:
    class Endless(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            assert 0 < size < 10_000_000
            return b" " * size

    with pytest.raises(LimitError, match="bytes, too many for --limit-rows 1"):
        read_document("-", limit_rows=1, stdin=Endless())


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text("a = 1")
    with pytest.raises(SpecError, match=r"no such file; did you mean .*spec\.toml\?"):
        read_document(tmp_path / "spce.toml")
    with pytest.raises(SpecError, match="a folder, not a file"):
        read_document(tmp_path)
    with pytest.raises(SpecError, match="no such file"):
        read_document(tmp_path / "nowhere" / "spec.toml")
    with pytest.raises(SpecError, match="cannot be read"):
        read_document("a\0b.toml")
