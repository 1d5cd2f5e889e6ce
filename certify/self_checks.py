"""Truths an installation must reproduce: hand derivations and published values, never own output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..accounting.numbers import exact, exact_number
from ..accounting.pair import Pair
from ..accounting.power import PowerFunction
from .audit import audit
from .checklist import checklist
from .limits import Limits
from .spec import load_example
from .spec_schema import load_schema

__all__ = ["Outcome", "run_checks"]


@dataclass(frozen=True)
class Outcome:
    """One check: what it states, whether it came out so, and what was found."""

    title: str
    passed: bool
    found: str


def run_checks() -> tuple[Outcome, ...]:
    """Run every check; an exception fails its check and not the run.

    Example:
        >>> all(outcome.passed for outcome in run_checks())
        True
    """
    return tuple(_outcome(title, expected, find) for title, expected, find in _CHECKS)


def _outcome(title: str, expected: str, find: Callable[[], str]) -> Outcome:
    try:
        found = find()
    except Exception as error:  # A broken installation may fail in any way; the check says how.
        return Outcome(title, False, f"{type(error).__name__}: {error}")
    return Outcome(title, found == expected, found)


def _decimal_sum() -> str:
    """0.1 ten times is 1, which binary floats miss."""
    return str(sum((exact_number("0.1") for _ in range(10)), exact_number(0)))


def _identity() -> str:
    """1/(1+z) + z/(1+z) = 1 is an identity, whatever z is."""
    z = exact_number("exp(-1/3)")
    return str(1 / (1 + z) + z / (1 + z))


def _close_order() -> str:
    """E is 2.71828182845904523536...; the ends below differ from it in the 20th decimal."""
    e = exact_number("exp(1)")
    below = exact_number("2.71828182845904523535")
    above = exact_number("2.71828182845904523537")
    return f"{below < e}, {e < above}"


def _logarithms() -> str:
    """ln(3) + 1/10 exponentiates to 3 e^(1/10)."""
    total = exact("ln(3)") + exact("1/10")
    return str(total == exact_number("3*exp(1/10)").log())


def _group() -> str:
    """Two changes against randomised response with e^eps = 3: f(f(1/12)) = 3/4."""
    f = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]).power_function()
    return str(f.after(f)("1/12"))


def _outside_support() -> str:
    """Half of Q lies where P has no mass, so a test without false alarms has power 1/2."""
    pair = Pair.from_laws(["1/2", "1/2", 0], ["1/4", "1/4", "1/2"])
    return f"{pair.power_function()('0')}, {pair.tensor(pair).power_function()('0')}"


def _worse_order() -> str:
    """Delta = 1/20 costs e^eps = 5 in one order and 47/45 in the other."""
    pair = Pair.from_laws(["9/10", "1/10"], ["99/100", "1/100"])
    forward = pair.profile().exp_epsilon(delta="1/20")
    backward = pair.swapped().profile().exp_epsilon(delta="1/20")
    return f"{forward}, {backward}"


def _conversion() -> str:
    """DP(ln 3, 1/10) as a power function gives back delta = 1/10 at e^eps = 3."""
    profile = PowerFunction.dp(exp_epsilon="3", delta="1/10").profile()
    return f"{profile.delta(exp_epsilon='3')}"


def _schema() -> str:
    return str(load_schema()["type"])


def _counterexample() -> str:
    """Paper 1, Appendix E.1: total variation 991/10000 adaptively, 9/100 for fixed streams."""
    spec = load_example("two-round-counterexample")
    report = audit(spec, limits=Limits())
    result = report.results[0]
    adaptive, fixed = result.adaptive.delta_at_claim, result.nonadaptive.delta_at_claim
    assert adaptive is not None and fixed is not None
    return f"{report.verdict}, {adaptive.lower}, {fixed.lower}"


def _witness() -> str:
    """The table of Appendix E.1 gives 0.6336 and 0.5345 to the event {01, 10}, up to symmetry."""
    spec = load_example("two-round-counterexample")
    witness = audit(spec, limits=Limits()).results[0].adaptive.witness
    assert witness is not None
    return str(abs(witness.p0 - witness.p1))


def _checklist() -> str:
    """Paper 1, Appendix E.1: one changed input costs 0.09 or 0.08, by the common input."""
    stable = checklist(load_example("two-round-counterexample")).condition("stable_cost")
    return f"{stable.status}, {stable.witness['round']}, {stable.witness['position']}"


_CHECKS: Final[tuple[tuple[str, str, Callable[[], str]], ...]] = (
    ("decimals are exact: ten times 0.1 is 1", "1", _decimal_sum),
    ("1/(1+z) + z/(1+z) = 1 for z = exp(-1/3)", "1", _identity),
    ("e lies between two decimals that agree to 19 places", "True, True", _close_order),
    ("ln(3) + 1/10 = ln(3 e^(1/10))", "True", _logarithms),
    ("group privacy of randomised response: f(f(1/12)) = 3/4", "3/4", _group),
    ("mass outside the support: Pow(0) = 1/2, squared 3/4", "1/2, 3/4", _outside_support),
    ("the two orders differ: e^eps = 47/45 and 5 at delta = 1/20", "47/45, 5", _worse_order),
    ("DP(ln 3, 1/10) to a power function and back", "1/10", _conversion),
    ("the schema of spec files is installed", "object", _schema),
    (
        "two-round counterexample: violated, delta 991/10000 adaptive, 9/100 fixed",
        "violated, 991/10000, 9/100",
        _counterexample,
    ),
    ("Checklist 1 on it: condition 4 fails, round 2, position 1", "fail, 2, 1", _checklist),
    ("its witness, replayed: P0(S) - P1(S) = 991/10000", "991/10000", _witness),
)
