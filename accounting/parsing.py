"""A small parser of numbers as text: no eval, bounded depth, every refusal with its column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from .decimals import DIGIT_LIMIT, NUMERAL_LIMIT, integer_of_text
from .errors import InputError, LimitError, PowercertError
from .field import Exact
from .logarithm import LogExact

__all__ = ["parse_number"]

#: Deepest nesting of parentheses, functions and powers.
DEPTH_LIMIT = 100
#: Longest text that is read.
LENGTH_LIMIT = 4_000_000
#: Largest rational, in bits, that an expression may reach: the largest power that is built.
BITS_LIMIT = 1 << 23

_NUMBER = re.compile(r"([0-9]+)?(?:\.([0-9]*))?(?:[eE]([+-]?)([0-9]+))?")
_PLAIN = re.compile(r"(-?)([0-9]{1,1000})(?:/([0-9]{1,1000})|\.([0-9]{1,1000}))?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPACE = re.compile(r"[ \t\r\n]*")
_SIGNS = ("**", "^", "+", "-", "*", "/", "(", ")")
_FUNCTIONS = ("exp", "ln")
_HINTS = {
    "e": "write exp(1)",
    "log": "write ln(...) for the natural logarithm",
    "sqrt": "roots are outside the field; exp(1/2) is allowed",
}
_INSTEAD = {
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{HYPHEN}": "-",
    "\N{NON-BREAKING HYPHEN}": "-",
    "\N{MULTIPLICATION SIGN}": "*",
    "\N{DOT OPERATOR}": "*",
    "\N{MIDDLE DOT}": "*",
    "\N{DIVISION SIGN}": "/",
    "\N{FRACTION SLASH}": "/",
    "\N{DIVISION SLASH}": "/",
    "\N{NO-BREAK SPACE}": " ",
    ",": ".",
}


class _Token(NamedTuple):
    """One piece of the text: kind is "number", "name", a sign, or "end"."""

    kind: str
    text: str
    column: int
    value: Exact | None = None


def parse_number(text: str, symbols: Mapping[str, Exact | LogExact]) -> Exact | LogExact:
    """Return the number that a text writes.

    Integers, decimals ("0.1" is 1/10, "1e-6"), ``+ - * /``, ``**`` or ``^`` with whole exponents,
    parentheses, ``exp(rational)``, ``ln(positive)``, and the names of ``symbols``. ASCII only.

    Args:
        text: The expression.
        symbols: Names that may appear, with their values.

    Raises:
        InputError: The text is no such expression; the message gives the column.
        LimitError: The number is too large to be built.

    Example:
        >>> parse_number("z/(1 + z)", {"z": Exact("exp(-1/3)")})
        Exact('1/(exp(1/3) + 1)')
    """
    if len(text) > LENGTH_LIMIT:
        raise InputError(
            f"a number of more than {LENGTH_LIMIT} characters", found=f"{len(text)} characters"
        )
    plain = _PLAIN.fullmatch(text)
    if plain:
        sign, whole, below, part = plain.groups()
        if part is not None:
            whole, below = whole + part, "1" + "0" * len(part)
        bottom = int(below or "1")
        if bottom:
            return Exact.of_rational(-int(whole) if sign else int(whole), bottom)
    if not text.strip():
        raise InputError("an empty text is not a number", expected='write a number such as "1/3"')
    return _Parser(text, symbols).parse()


def _shown(text: str) -> str:
    """Return the text for a message, cut."""
    return repr(text) if len(text) <= 60 else f"{text[:50]!r} and {len(text) - 50} more characters"


class _Parser:
    """Recursive descent over one text."""

    def __init__(self, text: str, symbols: Mapping[str, Exact | LogExact]) -> None:
        self.text: str = text
        self.symbols: Mapping[str, Exact | LogExact] = symbols
        self.depth: int = 0
        self.position: int = 0
        self.token: _Token = self.next_token()

    # --- tokens ---------------------------------------------------------------------------

    def fail(self, what: str, column: int, expected: str = "") -> NoReturn:
        raise InputError(what, found=f"{_shown(self.text)}, column {column + 1}", expected=expected)

    def next_token(self) -> _Token:
        """Read the next token."""
        space = _SPACE.match(self.text, self.position)
        start = space.end() if space else self.position
        if start == len(self.text):
            self.position = start
            return _Token("end", "the end", start)
        character = self.text[start]
        if "0" <= character <= "9" or character == ".":
            return self.number_token(start)
        name = _NAME.match(self.text, start)
        if name:
            self.position = name.end()
            return _Token("name", name.group(), start)
        for sign in _SIGNS:
            if self.text.startswith(sign, start):
                self.position = start + len(sign)
                return _Token("**" if sign == "^" else sign, sign, start)
        self.foreign(start)

    def number_token(self, start: int) -> _Token:
        """Read a numeral exactly."""
        match = _NUMBER.match(self.text, start)
        assert match is not None
        whole, part, sign, power = match.groups()
        if whole is None and not part:
            self.fail("a point without digits", start, 'write a number such as "0.5"')
        self.position = match.end()
        digits = (whole or "") + (part or "")
        if len(digits) > NUMERAL_LIMIT:
            self.fail(f"a numeral of more than {NUMERAL_LIMIT} digits", start, "write fewer digits")
        trimmed = (power or "0").lstrip("0") or "0"
        if len(trimmed) > len(str(DIGIT_LIMIT)) or int(trimmed) > DIGIT_LIMIT:
            self.fail(f"a decimal exponent above {DIGIT_LIMIT}", start, "write a smaller exponent")
        exponent = int(trimmed) * (-1 if sign == "-" else 1) - len(part or "")
        mantissa = integer_of_text(digits)
        if exponent >= 0:
            value = Exact.of_rational(mantissa * 10**exponent)
        else:
            value = Exact.of_rational(mantissa, 10**-exponent)
        return _Token("number", match.group(), start, value)

    def foreign(self, start: int) -> NoReturn:
        """Refuse a character, by its name."""
        import unicodedata

        character = self.text[start]
        name = unicodedata.name(character, "no name")
        plain = _INSTEAD.get(character) or unicodedata.normalize("NFKC", character)
        simple = len(plain) == 1 and plain.isascii() and plain != character
        self.fail(
            f"the character {character!r} (U+{ord(character):04X} {name}) has no meaning in a number",
            start,
            f'write "{plain}"' if simple else "use digits, + - * / ** ( ) exp ln",
        )

    def take(self, kind: str) -> bool:
        """Move past the token if it is of this kind."""
        if self.token.kind != kind:
            return False
        self.token = self.next_token()
        return True

    # --- grammar --------------------------------------------------------------------------

    def parse(self) -> Exact | LogExact:
        """Read the whole text."""
        value = self.sum()
        if self.token.kind == ")":
            self.fail("a parenthesis is closed but was never opened", self.token.column)
        if self.token.kind != "end":
            self.fail(f"an operator is missing before {self.token.text[:40]!r}", self.token.column)
        return value

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            self.fail(f"nesting deeper than {DEPTH_LIMIT}", self.token.column, "write it flatter")

    def sum(self) -> Exact | LogExact:
        """Read terms joined by + and -."""
        value = self.product()
        while self.token.kind in ("+", "-"):
            sign = self.token
            self.take(sign.kind)
            value = self.combine(sign, value, self.product())
        return value

    def product(self) -> Exact | LogExact:
        """Read factors joined by * and /."""
        value = self.signed()
        while self.token.kind in ("*", "/"):
            sign = self.token
            self.take(sign.kind)
            value = self.combine(sign, value, self.signed())
        return value

    def signed(self) -> Exact | LogExact:
        """Read signs and a power: -2**2 is -(2**2)."""
        negative = False
        while self.token.kind in ("+", "-"):
            negative ^= self.token.kind == "-"
            self.take(self.token.kind)
        value = self.power()
        return -value if negative else value

    def power(self) -> Exact | LogExact:
        """Read an atom, perhaps with an exponent; 2**3**2 is 2**(3**2)."""
        base = self.atom()
        sign = self.token
        if not self.take("**"):
            return base
        self.deeper()
        exponent = self.signed()
        self.depth -= 1
        return self.combine(sign, base, exponent)

    def atom(self) -> Exact | LogExact:
        """Read a numeral, a name, a function call or a parenthesis."""
        token = self.token
        if token.value is not None:
            self.take("number")
            return token.value
        if token.kind == "name":
            self.take("name")
            return self.named(token)
        if token.kind == "(":
            return self.parenthesis()
        if token.kind == "end":
            self.fail("the number ends too early", token.column, "complete the expression")
        self.fail(f"a number is missing before {token.text!r}", token.column)

    def parenthesis(self) -> Exact | LogExact:
        """Read ( sum )."""
        opened = self.token
        self.deeper()
        self.take("(")
        value = self.sum()
        if not self.take(")"):
            if self.token.kind == "end":
                self.fail("a parenthesis is not closed", opened.column, 'write the missing ")"')
            self.fail(f"an operator is missing before {self.token.text[:40]!r}", self.token.column)
        self.depth -= 1
        return value

    def named(self, token: _Token) -> Exact | LogExact:
        """Read exp(...), ln(...) or a symbol."""
        name = token.text
        if self.token.kind == "(" and name in _FUNCTIONS:
            argument = self.parenthesis()
            try:
                return _exponential(argument) if name == "exp" else _logarithm(argument)
            except PowercertError as error:
                raise self.placed(error, token) from None
        if name in self.symbols:
            return self.symbols[name]
        if name in _FUNCTIONS:
            self.fail(f"{name} without its argument", token.column, f"write {name}(1/2)")
        if name.lower() in ("inf", "infinity", "nan"):
            self.fail("not a finite number", token.column, 'write a number such as "1/3"')
        hint = _HINTS.get(name.lower(), "") or self.nearest(name)
        self.fail(f"unknown name {name[:40]!r}", token.column, hint)

    def nearest(self, name: str) -> str:
        """Suggest a name."""
        from difflib import get_close_matches

        known = [*self.symbols, *_FUNCTIONS]
        close = get_close_matches(name, known, 1)
        if close:
            return f"did you mean {close[0]}?"
        if self.symbols:
            return f"known symbols: {', '.join(sorted(self.symbols)[:10])}"
        return 'write a number such as "1/3", "0.1" or "exp(1/2)"'

    def combine(
        self, sign: _Token, left: Exact | LogExact, right: Exact | LogExact
    ) -> Exact | LogExact:
        """Apply one operator."""
        try:
            value = _combined(sign.kind, left, right)
            if isinstance(value, Exact) and value.is_rational:
                _check_size(value)
            return value
        except PowercertError as error:
            raise self.placed(error, sign) from None

    def placed(self, error: PowercertError, token: _Token) -> PowercertError:
        """Put the text and the column into an error of the arithmetic."""
        place = f"{_shown(self.text)}, column {token.column + 1}"
        return type(error)(error.what, where=error.where, found=place, expected=error.expected)


def _combined(kind: str, left: Exact | LogExact, right: Exact | LogExact) -> Exact | LogExact:
    if kind == "+":
        return left + right
    if kind == "-":
        return left - right
    if kind == "**":
        if isinstance(left, LogExact) or isinstance(right, LogExact):
            raise InputError("a power with a logarithm is outside the field")
        return left**right
    if isinstance(right, LogExact):
        if kind == "*" and isinstance(left, Exact) and left.is_rational:
            return right * left
        right = _plain_factor(kind, left, right)
    return left * right if kind == "*" else left / right


def _plain_factor(kind: str, left: Exact | LogExact, right: LogExact) -> Exact:
    """Return the second factor or divisor as a rational, or refuse it."""
    simple = right.simplified()
    if isinstance(simple, Exact):
        return simple
    if kind == "/":
        raise InputError("division by a logarithm is outside the field")
    if isinstance(left, LogExact):
        raise InputError("a product of logarithms is outside the field")
    raise InputError("a product of a logarithm and a number with exp(...) is outside the field")


def _check_size(value: Exact) -> None:
    """Refuse a rational that grew beyond measure: "1e99999*1e99999*..." is short as a text."""
    if sum(part.bit_length() for part in value.as_integer_ratio()) > BITS_LIMIT:
        raise LimitError(
            f"a number of more than {BITS_LIMIT} bits", expected="write a shorter number"
        )


def _exponential(argument: Exact | LogExact) -> Exact:
    return argument.exp() if isinstance(argument, LogExact) else Exact.exp(argument)


def _logarithm(argument: Exact | LogExact) -> LogExact:
    if isinstance(argument, LogExact):
        raise InputError("a logarithm of a logarithm is outside the field")
    return argument.log()
