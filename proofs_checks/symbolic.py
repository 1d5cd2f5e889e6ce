"""Polynomial certificates: identities and signs proved for all values of the variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import fmpq_mpoly

__all__ = ["certified_non_negative", "variables"]


def variables(names: str) -> tuple[fmpq_mpoly, ...]:
    """Return variables with rational coefficients; python-flint is loaded when first needed.

    Example:
        >>> x, y = variables("x y")
        >>> (x + y) ** 2 == x**2 + 2 * x * y + y**2
        True
    """
    from flint import fmpq_mpoly_ctx

    return fmpq_mpoly_ctx.get(names.split()).gens()


def certified_non_negative(
    difference: fmpq_mpoly,
    terms: Iterable[Sequence[fmpq_mpoly]],
    assumed: Sequence[fmpq_mpoly],
) -> bool:
    """Return whether a polynomial is, as an identity, a sum of products of assumed factors.

    Args:
        difference: What must be non-negative.
        terms: The products, each a list of factors.
        assumed: Polynomials that are non-negative on the domain; other factors are refused.

    Example:
        >>> x, y = variables("x y")
        >>> certified_non_negative((1 + x) * y - y, [[x, y]], [x, y])
        True
        >>> certified_non_negative((1 - x) * y - y, [[x, y]], [x, y])
        False
    """
    total = difference - difference
    for factors in terms:
        product = total - total + 1
        for factor in factors:
            if factor not in assumed:
                return False
            product = product * factor
        total = total + product
    return bool(total == difference)
