"""The exact guarantees of two finite laws, in both orders, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ...accounting.ladder import DEFAULT_LIMIT_ATOMS
from ...accounting.numbers import Exact
from ...accounting.pair import Pair
from ...accounting.profile import PrivacyProfile
from .json_report import Json, exact_block
from .names import printable
from .wording import epsilon_of, exact_of, is_infinite, number_words, place_words

__all__ = ["OrderFindings", "PairFindings", "pair_document", "pair_text"]

_SHOWN: Final = 16


@dataclass(frozen=True)
class OrderFindings:
    """What holds in one order of a pair (or in the worse of both).

    Args:
        name: "Q against P" is sup of Q(S) - e^eps P(S); "P against Q" swaps them; "worse".
        delta: Least delta at the asked epsilon, or None if none was asked.
        exp_epsilon: Least e^epsilon at the asked delta, or None if none was asked.
        pure_exp_epsilon: Least e^epsilon at delta = 0, perhaps infinite.
        least_delta: The mass that no epsilon hides.
    """

    name: str
    delta: Exact | None
    exp_epsilon: Exact | float | None
    pure_exp_epsilon: Exact | float
    least_delta: Exact


@dataclass(frozen=True)
class PairFindings:
    """Everything ``certify pair`` prints.

    Args:
        times: How many independent copies were composed.
        exp_epsilon: The e^epsilon that was asked, or None.
        delta: The delta that was asked, or None.
        orders: Q against P, P against Q, and the worse of both.
        total_variation: Total variation distance.
        vertices: Vertices of the power function of Q against the null P.
        warnings: What the user should hear beside the numbers.

    Example:
        >>> from ...accounting.numbers import exact_number
        >>> found = PairFindings.of(Pair.from_laws(["9/10", "1/10"], ["99/100", "1/100"]),
        ...                         delta=exact_number("1/20"))
        >>> [str(order.exp_epsilon) for order in found.orders]
        ['47/45', '5', '5']
    """

    times: int
    exp_epsilon: Exact | float | None
    delta: Exact | None
    orders: tuple[OrderFindings, OrderFindings, OrderFindings]
    total_variation: Exact
    vertices: tuple[tuple[Exact, Exact], ...]
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        pair: Pair,
        *,
        exp_epsilon: Exact | float | None = None,
        delta: Exact | None = None,
        times: int = 1,
        limit_atoms: int = DEFAULT_LIMIT_ATOMS,
        warnings: Iterable[str] = (),
    ) -> PairFindings:
        """Compute the guarantees of ``times`` independent copies of a pair.

        Args:
            pair: Null P and alternative Q.
            exp_epsilon: e^epsilon >= 1, or infinity, at which delta is asked.
            delta: In [0, 1], at which epsilon is asked.
            times: 1 or more.
            limit_atoms: Most atoms of the composition.
            warnings: What the user should hear beside the numbers.

        Raises:
            LimitError: The composition has too many different likelihood ratios to be exact.
        """
        composed = pair if times == 1 else pair.times(times, limit_atoms=limit_atoms)
        forward = composed.profile()
        backward = composed.swapped().profile()
        first = _order("Q against P", forward, exp_epsilon, delta)
        second = _order("P against Q", backward, exp_epsilon, delta)
        return cls(
            times,
            exp_epsilon,
            delta,
            (first, second, _worse(first, second)),
            forward.delta(exp_epsilon=1),
            tuple(composed.power_function().vertices),
            tuple(warnings),
        )


def _order(
    name: str, profile: PrivacyProfile, exp_epsilon: Exact | float | None, delta: Exact | None
) -> OrderFindings:
    least = profile.breakpoints[-1][1]
    if exp_epsilon is None:
        delta_there = None
    elif isinstance(exp_epsilon, float):
        delta_there = least
    else:
        delta_there = profile.delta(exp_epsilon=exp_epsilon)
    return OrderFindings(
        name,
        delta_there,
        None if delta is None else profile.exp_epsilon(delta=delta),
        profile.exp_epsilon(delta=0),
        least,
    )


def _worse(first: OrderFindings, second: OrderFindings) -> OrderFindings:
    """Return the larger of each number: at one epsilon or one delta the orders stand apart."""
    return OrderFindings(
        "worse",
        None if first.delta is None or second.delta is None else max(first.delta, second.delta),
        None
        if first.exp_epsilon is None or second.exp_epsilon is None
        else _larger(first.exp_epsilon, second.exp_epsilon),
        _larger(first.pure_exp_epsilon, second.pure_exp_epsilon),
        max(first.least_delta, second.least_delta),
    )


def _larger(first: Exact | float, second: Exact | float) -> Exact | float:
    if isinstance(first, Exact) and isinstance(second, Exact):
        return max(first, second)
    return second if isinstance(first, Exact) else first


def pair_text(found: PairFindings) -> str:
    """Return the findings for a person, the worse order first."""
    worse = found.orders[2]
    rows: list[tuple[str, list[str]]] = []
    if found.exp_epsilon is not None:
        label = f"delta at epsilon = {exact_of(epsilon_of(found.exp_epsilon))}"
        rows.append(
            (
                label,
                [number_words(order.delta) for order in found.orders if order.delta is not None],
            )
        )
    if found.delta is not None:
        label = f"epsilon at delta = {exact_of(found.delta)}"
        rows.append((label, [_epsilon(order.exp_epsilon, order) for order in found.orders]))
    rows.append(
        (
            "pure epsilon (delta = 0)",
            [_epsilon(order.pure_exp_epsilon, order) for order in found.orders],
        )
    )
    copies = "" if found.times == 1 else f", {found.times} independent copies"
    lines = [f"P (null) and Q{copies}; the guarantee of the pair is the worse of both orders"]
    for label, values in rows:
        lines.append("")
        lines.append(label)
        names = ("Q against P: ", "P against Q: ", "worse:       ")
        lines += [f"  {name} {value}" for name, value in zip(names, values, strict=True)]
    lines += ["", f"total variation  {number_words(found.total_variation)}"]
    if worse.least_delta > 0:
        lines.append(f"mass that no epsilon hides  {number_words(worse.least_delta)}")
    lines += ["", f"power function of Q against P, {len(found.vertices)} vertices (alpha, power)"]
    lines += [
        f"  {place_words(alpha)}  {place_words(power)}" for alpha, power in found.vertices[:_SHOWN]
    ]
    hidden = len(found.vertices) - _SHOWN
    if hidden > 0:
        lines.append(f"  and {hidden} more (--format json lists all)")
    if found.warnings:
        lines += ["", *(f"Warning: {printable(text)}" for text in found.warnings)]
    return "\n".join(lines) + "\n"


def _epsilon(exp_epsilon: Exact | float | None, order: OrderFindings) -> str:
    assert exp_epsilon is not None
    if is_infinite(exp_epsilon):
        return f"inf: no finite eps; smallest possible delta {number_words(order.least_delta)}"
    return number_words(epsilon_of(exp_epsilon))


def pair_document(found: PairFindings) -> dict[str, Json]:
    """Return the findings for a program."""
    forward, backward, worse = found.orders
    document: dict[str, Json] = {
        "schema": "powercert/pair/1",
        "times": found.times,
        "exp_epsilon": None if found.exp_epsilon is None else exact_of(found.exp_epsilon),
        "epsilon": None if found.exp_epsilon is None else exact_of(epsilon_of(found.exp_epsilon)),
        "delta": None if found.delta is None else exact_of(found.delta),
        "q_against_p": _order_block(forward),
        "p_against_q": _order_block(backward),
        "worse": _order_block(worse),
        "total_variation": exact_block(found.total_variation),
        "power_function": [[exact_of(alpha), exact_of(power)] for alpha, power in found.vertices],
        "warnings": list(found.warnings),
    }
    return document


def _order_block(order: OrderFindings) -> Json:
    def optional(value: Exact | float | None) -> Json:
        return None if value is None else exact_block(value)

    def epsilon(value: Exact | float | None) -> Json:
        return None if value is None else exact_block(epsilon_of(value))

    return {
        "delta": optional(order.delta),
        "epsilon": epsilon(order.exp_epsilon),
        "exp_epsilon": optional(order.exp_epsilon),
        "pure_epsilon": epsilon(order.pure_exp_epsilon),
        "pure_exp_epsilon": optional(order.pure_exp_epsilon),
        "least_delta": exact_block(order.least_delta),
    }
