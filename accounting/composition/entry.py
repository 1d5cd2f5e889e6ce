"""`compose`: from pairs and multiplicities to one composition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from ..arguments import read_integer, read_items
from ..errors import InputError
from ..ladder import DEFAULT_LIMIT_ATOMS, Ladder
from ..ladder_products import compose_ladders
from ..numbers import exact_number
from ..pair import Pair, read_count
from .composed import Composition, Order, demand_order

__all__ = ["compose"]


def compose(
    items: Iterable[Pair | tuple[Pair, int]],
    *,
    tolerance: object = "1e-6",
    order: Order = "both",
    limit_atoms: int = DEFAULT_LIMIT_ATOMS,
) -> Composition:
    """Compose independent pairs, each as often as its multiplicity says.

    Words of draws are enumerated up to equal likelihood ratio, with integer masses over one
    common denominator: k + 1 words for k draws of a pair with two ratios, at most
    C(k + m - 1, m - 1) for m ratios, and fewer where products of ratios coincide. An infinite loss
    (an outcome that one law cannot produce) is one more atom.

    Guarantee: with method "exact", every answer is the exact value.

    Args:
        items: Pairs, or (pair, multiplicity) with multiplicity >= 0.
        tolerance: Relative width allowed for an answer, at least 0. Exact answers meet all.
        order: "both" (the worse of the two orders), "as_given" (Q against the null P) or
            "swapped".
        limit_atoms: Largest number of atoms to enumerate; an atom whose masses need more than
            2048 bits counts once for each 2048.

    Raises:
        InputError: An argument is outside its domain.
        LimitError: The estimated number of atoms is above ``limit_atoms``.

    Example:
        >>> pair = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
        >>> composed = compose([(pair, 2)])
        >>> composed.method, composed.delta(exp_epsilon=3).upper
        ('exact', Exact('3/8'))
        >>> str(composed.epsilon(delta=0).upper)
        'ln(9)'

    Source: Kairouz, Oh and Viswanath 2015 (two ratios); Sommer, Meiser and Mohammadi 2019.
    """
    demand_order(order)
    try:
        width = exact_number(tolerance)
    except InputError as error:
        raise error.located("tolerance") from None
    if width < 0:
        raise InputError(
            "tolerance is negative", where="tolerance", found=str(width), expected="write 0 or more"
        )
    limit = read_integer(limit_atoms, "limit_atoms", least=1)
    listed = read_items(items, "items", "write [(pair, 10), other_pair]")
    components = [_read_item(item, index) for index, item in enumerate(listed)]
    return Composition(Pair(compose_ladders(components, limit_atoms=limit)), order, width)


def _read_item(item: object, index: int) -> tuple[Ladder, int]:
    where, kind = f"items[{index}]", type(item).__name__
    if isinstance(item, Pair):
        return item.ladder, 1
    parts = list(cast("Iterable[object]", item)) if isinstance(item, tuple | list) else []
    if len(parts) != 2 or not isinstance(parts[0], Pair):
        raise InputError(
            "not a pair with a multiplicity",
            where=where,
            found=kind,
            expected="write pair or (pair, 10)",
        )
    try:
        return parts[0].ladder, read_count(parts[1])
    except InputError as error:
        raise error.located(where) from None
