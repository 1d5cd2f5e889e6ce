"""Names, numbers and histories of a spec: each is checked where it stands, and counted as used."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..accounting.errors import InputError, PowercertError
from ..accounting.numbers import Exact, LogExact, exact, exact_number
from .history import split_history
from .spec_problems import NumberText, Problems, describe, is_list, is_table, suggestion

__all__ = ["Alphabet", "Numbers", "look_alike", "read_history", "read_name", "read_symbols"]

_SYMBOL = re.compile(r"[^\W\d]\w*")
_RESERVED = frozenset({"exp", "ln", "log", "inf", "infinity", "nan", "e"})
_LONGEST_NAME = 1_000


def look_alike(name: str) -> str:
    """Return the form in which names that only look different agree.

    Compatible characters are unified, spaces and invisible characters dropped.

    Example:
        >>> look_alike(" １") == look_alike("1")
        True
    """
    unified = unicodedata.normalize("NFKC", name)
    return "".join(
        letter
        for letter in unified
        if not letter.isspace() and unicodedata.category(letter) not in ("Cf", "Cc")
    )


def read_name(value: object) -> str:
    """Read one name: text, or a whole number (its digits).

    Raises:
        InputError: Another kind of value, an empty name, or one that is not valid Unicode.

    Example:
        >>> read_name("s0"), read_name(3)
        ('s0', '3')
    """
    if isinstance(value, NumberText) or not isinstance(value, str):
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        kind = "not hashable as a name" if is_list(value) or is_table(value) else "not a name"
        raise InputError(kind, found=describe(value), expected="write a text in quotes")
    if not value:
        raise InputError("an empty name", expected="write a text of one character or more")
    if len(value) > _LONGEST_NAME:
        raise InputError(
            f"a name of {len(value)} characters", expected=f"write at most {_LONGEST_NAME}"
        )
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InputError("a name that is not valid Unicode", found=ascii(value))
    return value


class Alphabet:
    """The declared names of one kind, and which of them were used.

    Args:
        kind: What they name ("input", "output", "state").
        names: The names, distinct.

    Example:
        >>> inputs = Alphabet("input", ("0", "1"))
        >>> inputs.find("0"), inputs.find("2"), inputs.unused()
        ('0', None, ('1',))
    """

    def __init__(self, kind: str, names: Iterable[str]) -> None:
        """Keep the names in their order."""
        self.kind = kind
        self.names = tuple(names)
        self._known = frozenset(self.names)
        self._used: set[str] = set()
        self._numbers = False
        self._texts = False

    @classmethod
    def read(cls, kind: str, values: Sequence[object], where: str, problems: Problems) -> Alphabet:
        """Read a list of names; problems name the place of each bad or repeated one."""
        names: dict[str, str] = {}
        looks: dict[str, str] = {}
        for index, value in enumerate(values):
            place = f"{where}[{index}]"
            try:
                name = read_name(value)
            except InputError as error:
                problems.add_error(error.located(place))
                continue
            look = look_alike(name)
            if name in names:
                what = f"{kind} {describe(name)} is declared twice"
                if type(value).__name__ != names[name]:
                    what += ", as a text and as a number"
                problems.add(what, where=place, expected="keep one of them")
            elif look in looks:
                problems.add(
                    f"two {kind} names differ only by spacing or by the form of their characters",
                    where=place,
                    found=f"{looks[look]!a} and {name!a}",
                    expected="keep one of them, or rename one",
                )
            else:
                looks[look] = name
            names.setdefault(name, type(value).__name__)
        return cls(kind, names)

    def find(self, value: object) -> str | None:
        """Return the declared name that a value means, or None; a number means its digits."""
        if type(value) is str:
            if value in self._known:
                self._used.add(value)
                self._texts = self._texts or value.isdecimal()
                return value
        elif isinstance(value, int) and not isinstance(value, bool):
            name = str(value)
            if name in self._known:
                self._used.add(name)
                self._numbers = True
                return name
        return None

    def resolve(self, value: object, where: str, problems: Problems) -> str | None:
        """Return the declared name that a value means; an unknown one is a problem."""
        name = self.find(value)
        if name is None:
            self.refuse(value, where, problems)
        return name

    def refuse(self, value: object, where: str, problems: Problems) -> None:
        """Record that a value names nothing declared, with the nearest names."""
        try:
            name = read_name(value)
        except InputError as error:
            problems.add_error(error.located(where))
            return
        look = look_alike(name)
        twin = next((known for known in self.names if look_alike(known) == look), None)
        if twin is not None:
            problems.add(
                f"unknown {self.kind}, which differs from a declared one only by spacing or by "
                "the form of its characters",
                where=where,
                found=ascii(name),
                expected=f"write {describe(twin)}",
            )
            return
        problems.add(
            f"unknown {self.kind}",
            where=where,
            found=describe(name),
            expected=suggestion(name, self.names, kind=self.kind),
        )

    def use_all(self) -> None:
        """Take every name as used, as a relation that is given by its name uses them."""
        self._used.update(self.names)

    def unused(self) -> tuple[str, ...]:
        """Return the declared names that nothing has found yet."""
        return tuple(name for name in self.names if name not in self._used)

    def warn_mixed(self, declared: object, problems: Problems) -> None:
        """Warn where a name is declared as text and used as a number, or the reverse."""
        values: Sequence[object] = declared if is_list(declared) else ()
        texts = any(isinstance(value, str) for value in values)
        numbers = any(isinstance(value, int) for value in values)
        if (self._numbers and texts) or (self._texts and numbers):
            problems.warn(
                f"{self.kind} names are written both as text and as numbers; "
                "a number is read as its digits"
            )


@dataclass
class _Unknown:
    """The one problem of a name that nothing defines, and how often it stands elsewhere."""

    number: int
    more: int = 0


class Numbers:
    """Reads the numbers of one spec, each text once.

    Args:
        problems: Where problems go.
        merge_unknown: Whether an unknown name is one problem, wherever else it stands.
    """

    def __init__(self, problems: Problems, *, merge_unknown: bool = False) -> None:
        """Start with nothing read and no symbols."""
        self.symbols: dict[str, Exact] = {}
        self._problems = problems
        self._merge_unknown = merge_unknown
        self._cache: dict[str, Exact] = {}
        self._used: set[str] = set()
        self._floats: list[str] = []
        self._lost: set[str] = set()
        self._all_lost = False
        self._unknown: dict[str, _Unknown] = {}

    def lose(self, symbol: str) -> None:
        """Remember a symbol whose definition is a problem: its uses are not problems too."""
        self._lost.add(symbol)

    def lose_all(self) -> None:
        """Remember that no definition could be read, so no unknown name is a problem."""
        self._all_lost = True

    def known(self, value: object) -> Exact | None:
        """Return the probability that a text means if it was read before without remarks."""
        return self._cache.get(value) if type(value) is str else None

    def probability(self, value: object, where: str, what: str = "a probability") -> Exact | None:
        """Read a number from 0 to 1; None and a problem if it is not one."""
        number = self.number(value, where, what)
        if number is None:
            return None
        if number < 0 or number > 1:
            side = "negative" if number < 0 else "above 1"
            self._problems.add(
                f"not {what}: {side}",
                where=where,
                found=describe(value),
                expected="write a number from 0 to 1",
            )
            return None
        if type(value) is str:
            self._cache[value] = number
        return number

    def number(self, value: object, where: str, what: str) -> Exact | None:
        """Read an exact number that is not a logarithm; None and a problem if it is not one."""
        try:
            return exact_number(self._text(value, where, what), symbols=self.symbols)
        except PowercertError as error:
            self._refuse(error, where, what, value)
            return None

    def exponent(self, value: object, where: str, what: str) -> Exact | LogExact | str | None:
        """Read a number, a logarithm, or "inf"; None and a problem if it is neither."""
        if isinstance(value, str) and value.strip().lower().lstrip("+") in ("inf", "infinity"):
            return "inf"
        try:
            return exact(self._text(value, where, what), symbols=self.symbols)
        except PowercertError as error:
            self._refuse(error, where, what, value)
            return None

    def _refuse(self, error: PowercertError, where: str, what: str, value: object) -> None:
        """Record why a value is no number, unless that was told where its symbol stands."""
        names = _names(value) - self.symbols.keys() - _RESERVED
        if names and (self._all_lost or not names.isdisjoint(self._lost)):
            return
        (name,) = names if len(names) == 1 else ("",)
        earlier = self._unknown.get(name)
        if earlier is not None:
            earlier.more += 1
            return
        number = self._problems.add_error(_placed(error, where, what, value))
        if name and number is not None and self._merge_unknown:
            self._unknown[name] = _Unknown(number)

    def _text(self, value: object, where: str, what: str) -> str | int:
        if isinstance(value, NumberText):
            digits = str(value)
            if digits.lower().lstrip("+-") in ("nan", "inf", "infinity"):
                raise InputError(f"not {what}", found=digits)
            self._floats.append(f"{where} = {describe(value)}")
            return digits
        if isinstance(value, str):
            if self.symbols:
                self._used |= _names(value)
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise InputError(
            f"not {what}", found=describe(value), expected='write a number such as "1/3"'
        )

    def warn(self) -> None:
        """Warn of float literals and of symbols that no number uses; finish repeated problems."""
        for unknown in self._unknown.values():
            if unknown.more:
                places = "place" if unknown.more == 1 else "places"
                self._problems.extend(unknown.number, f"(and in {unknown.more} more {places})")
            unknown.more = 0
        if self._floats:
            rest = len(self._floats) - 3
            more = f" and {rest} more" if rest > 0 else ""
            self._problems.warn(
                f"float literals are read by their decimal digits, exactly as written: "
                f'{", ".join(self._floats[:3])}{more}; write numbers in quotes, such as "1/10"'
            )
        unused = [name for name in self.symbols if name not in self._used]
        # Where there are problems, not everything was read.
        if unused and not self._problems.count:
            self._problems.warn(f"declared but never used: symbol {', '.join(unused)}")


def _names(value: object) -> set[str]:
    return set(_SYMBOL.findall(value)) if isinstance(value, str) else set()


def _placed(error: PowercertError, where: str, what: str, value: object) -> PowercertError:
    """Say first that this is not a number of the wanted kind, then why."""
    if error.what == f"not {what}":
        reason = error.what
    else:
        reason = f"not {what}: {f'{error.where}: ' if error.where else ''}{error.what}"
    return type(error)(
        reason,
        where=where,
        found=error.found or describe(value),
        expected=error.expected or 'write a number such as "1/3"',
    )


def read_symbols(value: object, numbers: Numbers, problems: Problems) -> None:
    """Read the symbols, in their order, into ``numbers``; each may use those before it.

    Args:
        value: A table from name to number, or rows [name, number].
        numbers: What the symbols become known to.
        problems: Where problems go; a symbol defined twice is one.
    """
    rows: list[tuple[str, object, object]] = []
    if is_table(value):
        rows = [(f"symbols.{name}", name, number) for name, number in value.items()]
    elif is_list(value):
        for index, row in enumerate(value):
            if is_list(row) and len(row) == 2:
                rows.append((f"symbols[{index}]", row[0], row[1]))
            else:
                problems.add(
                    "not a row [name, number]", where=f"symbols[{index}]", found=describe(row)
                )
    seen: set[str] = set()
    for where, name, number in rows:
        if not isinstance(name, str) or not _SYMBOL.fullmatch(name) or name in _RESERVED:
            if isinstance(name, str):
                numbers.lose(name)
            problems.add(
                "not a name for a symbol",
                where=where,
                found=describe(name),
                expected="write letters, digits and _, other than exp, ln, inf and e",
            )
            continue
        if name in seen:
            problems.add(
                f"symbol {name} is defined twice",
                where=where,
                found=f"{describe(number)} after another value",
                expected="keep one of them: numbers of two meanings cannot be ordered",
            )
            continue
        seen.add(name)
        read = numbers.number(number, where, "a number")
        if read is None:
            numbers.lose(name)
        else:
            numbers.symbols[name] = read


def read_history(
    value: object, alphabet: Alphabet, where: str, problems: Problems
) -> tuple[str, ...] | None:
    """Read a list of names, or one text that joins them with ``|``."""
    values: Sequence[object]
    if is_list(value):
        values = value
    elif type(value) is str:
        try:
            values = split_history(value)
        except InputError as error:
            problems.add_error(error.located(where))
            return None
    else:
        problems.add(
            "not a history",
            where=where,
            found=describe(value),
            expected='write a list of names such as ["0", "1"], or one text such as "0|1"',
        )
        return None
    names = [alphabet.resolve(item, where, problems) for item in values]
    return tuple(name for name in names if name is not None) if None not in names else None
