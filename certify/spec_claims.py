"""The claims of a spec."""

from __future__ import annotations

from collections.abc import Mapping

from ..accounting.errors import PowercertError
from ..accounting.numbers import Exact, LogExact
from .spec_keys import check_unknown
from .spec_problems import NumberText, Problems, describe, is_list, is_table
from .spec_values import Numbers
from .verdict import Claim

__all__ = ["read_claims"]

_READ = ("epsilon", "exp_epsilon", "eps", "exp_eps", "delta", "adversary")
_KEYS = (*_READ, "type")
Number = Exact | LogExact | str


def read_claims(
    data: Mapping[str, object], numbers: Numbers, problems: Problems
) -> Claim | tuple[Claim, ...] | None:
    """Read ``claim`` or ``claims``; neither gives None."""
    if "claims" in data:
        rows = data["claims"]
        assert is_list(rows)
        found = [
            _read_claim(row, f"claims[{index}]", numbers, problems)
            for index, row in enumerate(rows)
        ]
        claims = tuple(claim for claim in found if claim is not None)
        for index, claim in enumerate(claims):
            if claim in claims[:index]:
                problems.warn(f"claims[{index}] repeats an earlier claim")
        return claims or None
    if "claim" in data:
        return _read_claim(data["claim"], "claim", numbers, problems)
    return None


def _read_claim(value: object, where: str, numbers: Numbers, problems: Problems) -> Claim | None:
    if not is_table(value):
        problems.add("not a table", where=where, found=describe(value))
        return None
    check_unknown((key for key in value if key not in _KEYS), _READ, problems, where=where)
    before = problems.count
    epsilon = _either(value, ("epsilon", "eps"), where, numbers, problems)
    exp_epsilon = _either(value, ("exp_epsilon", "exp_eps"), where, numbers, problems)
    delta: Exact | None = None
    if "delta" in value:
        delta = numbers.number(value["delta"], f"{where}.delta", "a number")
    adversary = value.get("adversary", "adaptive")
    lost = ("delta" in value and delta is None) or (epsilon is None and exp_epsilon is None)
    if lost or problems.count > before or isinstance(adversary, NumberText):
        return None
    try:
        claim = Claim.of(
            epsilon=epsilon,
            exp_epsilon=exp_epsilon,
            delta=0 if delta is None else delta,
            adversary=str(adversary),
        )
    except PowercertError as error:
        place = where + error.where.removeprefix("claim")
        problems.add(error.what, where=place, found=error.found, expected=error.expected)
        return None
    if isinstance(claim.exp_epsilon, float):
        problems.warn(f"{where}: epsilon is infinite, so the claim holds for every mechanism")
    elif claim.delta == 1:
        problems.warn(f"{where}: delta = 1, so the claim holds for every mechanism")
    return claim


def _either(
    value: Mapping[str, object],
    keys: tuple[str, str],
    where: str,
    numbers: Numbers,
    problems: Problems,
) -> Number | None:
    """Read a number that has two names; if both stand, they must agree."""
    read: list[Number] = []
    for key in keys:
        if key in value:
            number = numbers.exponent(value[key], f"{where}.{key}", "a number")
            if number is not None:
                read.append(number)
    if len(read) == 2 and read[0] != read[1]:
        problems.add(
            f"contradictory claim: {keys[0]} and {keys[1]} disagree",
            where=where,
            found=f"{read[0]} and {read[1]}",
            expected="keep one of the two",
        )
    return read[0] if read else None
