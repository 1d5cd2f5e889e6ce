"""Factorisations of linear workloads over time: what is made noisy, and what is shown of it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, cast

from ...accounting.errors import InputError, LimitError
from ...accounting.numbers import exact_number
from ..values import as_sequence, describe, require_count, require_items
from .dyadic import nodes_ending_at, prefix_nodes

__all__ = ["Factorisation", "Row", "Scaled", "square_root_coefficients"]

Row = tuple[Fraction, ...]

#: A matrix of this size of exact fractions is some hundred megabytes.
_LARGEST_MATRIX = 1_000_000
_MOST_PRODUCTS = 100_000_000


class Scaled(NamedTuple):
    """A matrix as integers over one denominator."""

    rows: tuple[tuple[int, ...], ...]
    denominator: int


@dataclass(frozen=True)
class Factorisation:
    """Two matrices: ``encoder`` R, whose rows are released with noise, and ``decoder`` L.

    Row r of R is released in round ``times[r]`` and reads inputs up to that round only. Row t of
    L makes the view of round t + 1 from the rows released by then. The views estimate L R x; the
    privacy cost is that of the noisy R x, whatever L is.

    Args:
        encoder: Rows of R, one number per round; a number is anything ``exact_number`` reads that
            is rational.
        decoder: Rows of L, one number per row of R; None shows the noisy rows themselves.
        times: The round of each row, in 1..T and never falling. None means one row per round.

    Raises:
        InputError: The shapes do not fit, a number is not rational, a row reads later inputs, or
            the decoder reads later rows.
        LimitError: A matrix has more than 10^6 entries.

    Example:
        >>> Factorisation([[1, 0], ["1/2", 1]]).squared_column_norms
        (Fraction(5, 4), Fraction(1, 1))
        >>> Factorisation([[1, 1], [0, 1]])
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: encoder[0]: a row released in round 1 reads the \
input of round 2; found 1

    Source: Section F.1 of the buffering-recipe paper; Li, Miklau, Hay, McGregor and Rastogi (2015).
    """

    encoder: tuple[Row, ...]
    decoder: tuple[Row, ...] | None
    times: tuple[int, ...]

    def __init__(
        self,
        encoder: Iterable[Sequence[object]],
        decoder: Iterable[Sequence[object]] | None = None,
        times: Iterable[int] | None = None,
    ) -> None:
        """Read and check both matrices."""
        rows = _read_matrix(encoder, "encoder")
        rounds = len(rows[0])
        given = (
            tuple(range(1, len(rows) + 1))
            if times is None
            else tuple(require_items(times, "times"))
        )
        if times is None and len(rows) != rounds:
            raise InputError(
                "the encoder is not square, so times are needed",
                where="encoder",
                found=f"{len(rows)} rows of {rounds} numbers",
                expected="say with times in which round each row is released",
            )
        _check_times(given, len(rows), rounds)
        for index, (row, time) in enumerate(zip(rows, given, strict=True)):
            for position in range(time, rounds):
                if row[position]:
                    raise InputError(
                        f"a row released in round {time} reads the input of round {position + 1}",
                        where=f"encoder[{index}]",
                        found=str(row[position]),
                    )
        object.__setattr__(self, "encoder", rows)
        object.__setattr__(self, "times", given)
        object.__setattr__(self, "decoder", None)
        if decoder is not None:
            object.__setattr__(self, "decoder", _read_decoder(decoder, rounds, given))

    @staticmethod
    def identity(rounds: int) -> Factorisation:
        """Return R = I without a decoder: every input is shown with noise.

        Example:
            >>> Factorisation.identity(2).encoder
            ((Fraction(1, 1), Fraction(0, 1)), (Fraction(0, 1), Fraction(1, 1)))
        """
        return Factorisation(_square(rounds, lambda distance: int(distance == 0)))

    @staticmethod
    def summed_inputs(rounds: int) -> Factorisation:
        """Return R = I and L = M_count: noisy inputs are summed.

        Example:
            >>> Factorisation.summed_inputs(3).counts_prefixes
            True
        """
        identity = _square(rounds, lambda distance: int(distance == 0))
        return Factorisation(identity, _square(rounds, lambda distance: 1))

    @staticmethod
    def noisy_sums(rounds: int) -> Factorisation:
        """Return R = M_count without a decoder: every prefix sum gets noise of its own.

        Example:
            >>> Factorisation.noisy_sums(3).squared_sensitivity
            Fraction(3, 1)
        """
        return Factorisation(_square(rounds, lambda distance: 1))

    @staticmethod
    def tree(rounds: int) -> Factorisation:
        """Return the binary tree: R holds the nodes finished by the horizon, L the prefixes.

        Example:
            >>> tree = Factorisation.tree(5)
            >>> tree.times, tree.counts_prefixes, tree.squared_sensitivity
            ((1, 2, 2, 3, 4, 4, 4, 5), True, Fraction(3, 1))

        Source: Section F.1 of the buffering-recipe paper, which pads T to a power of two.
        """
        require_count(rounds, "rounds", 1)
        _refuse_large(2 * rounds, rounds)
        nodes = [node for time in range(1, rounds + 1) for node in nodes_ending_at(time)]
        prefixes = [frozenset(prefix_nodes(time)) for time in range(1, rounds + 1)]
        return Factorisation(
            [[int(n.first <= i <= n.last) for i in range(1, rounds + 1)] for n in nodes],
            [[int(node in prefix) for node in nodes] for prefix in prefixes],
            [node.last for node in nodes],
        )

    @staticmethod
    def square_root(rounds: int) -> Factorisation:
        """Return L = R, the Toeplitz square root of M_count.

        Example:
            >>> root = Factorisation.square_root(4)
            >>> root.counts_prefixes, root.squared_sensitivity
            (True, Fraction(381, 256))

        Source: Fichtenberger, Henzinger and Upadhyay (2023).
        """
        require_count(rounds, "rounds", 1)
        _refuse_large(rounds, rounds)
        matrix = _square(rounds, square_root_coefficients(rounds).__getitem__)
        return Factorisation(matrix, matrix)

    @property
    def rounds(self) -> int:
        """The horizon T."""
        return len(self.encoder[0])

    @cached_property
    def scaled_encoder(self) -> Scaled:
        """R as integers over one denominator."""
        return _scaled(self.encoder)

    @cached_property
    def scaled_decoder(self) -> Scaled | None:
        """L as integers over one denominator, or None."""
        return None if self.decoder is None else _scaled(self.decoder)

    @property
    def product(self) -> tuple[Row, ...]:
        """The workload L R that the views estimate (R itself without a decoder).

        Raises:
            LimitError: It takes more than 10^8 multiplications.
        """
        decoder = self.scaled_decoder
        if decoder is None:
            return self.encoder
        encoder = self.scaled_encoder
        work = self.rounds**2 * len(self.times)
        if work > _MOST_PRODUCTS:
            raise LimitError(
                f"a matrix product of {work} multiplications", expected=f"at most {_MOST_PRODUCTS}"
            )
        columns = tuple(zip(*encoder.rows, strict=True))
        denominator = encoder.denominator * decoder.denominator
        return tuple(
            tuple(Fraction(_dot(row, column), denominator) for column in columns)
            for row in decoder.rows
        )

    @property
    def counts_prefixes(self) -> bool:
        """Whether L R is exactly the matrix of prefix sums, M_count."""
        return self.product == _read_matrix(_square(self.rounds, lambda distance: 1), "")

    @property
    def squared_column_norms(self) -> tuple[Fraction, ...]:
        """The squared length of each column of R."""
        rows, denominator = self.scaled_encoder
        return tuple(
            Fraction(_dot(column, column), denominator**2) for column in zip(*rows, strict=True)
        )

    @property
    def squared_sensitivity(self) -> Fraction:
        """How far R x can move (squared length) if one input moves by at most 1.

        Guarantee: exact: s(R)^2, the largest squared column length.

        Source: Lemma F.5 of the buffering-recipe paper. (Its closed bound Psi(T) for the square
            root is too small from T = 11 on.)
        """
        return max(self.squared_column_norms)

    @property
    def squared_two_bin_sensitivity(self) -> Fraction:
        """How far R x can move (squared length) if two adjacent inputs move by at most 1 each.

        Guarantee: exact: the largest squared length of R (a e_i + b e_(i+1)) over all i and all
        a, b in [-1, 1]; with one round only, that of one input. This is the figure for streams of
        bins, where one edit moves two adjacent bins.

        Example:
            >>> Factorisation.tree(8).squared_two_bin_sensitivity
            Fraction(14, 1)

        Source: Definition D.2 of the buffering-recipe paper (whose Theorem 3.1 counts one bin).
        """
        rows, denominator = self.scaled_encoder
        norms = self.squared_column_norms
        products = (
            Fraction(abs(_dot(one, two)), denominator**2)
            for one, two in pairwise(zip(*rows, strict=True))
        )
        return max(
            (a + b + 2 * ab for (a, b), ab in zip(pairwise(norms), products, strict=True)),
            default=norms[0],
        )


def square_root_coefficients(count: int) -> tuple[Fraction, ...]:
    """Return f(0), ..., f(count - 1) with f(0) = 1 and f(k) = f(k - 1) (2k - 1) / (2k).

    They are the coefficients of (1 - z)^(-1/2), so their convolution with themselves is
    1, 1, 1, ...

    Example:
        >>> [str(number) for number in square_root_coefficients(5)]
        ['1', '1/2', '3/8', '5/16', '35/128']

    Source: Fichtenberger, Henzinger and Upadhyay (2023).
    """
    require_count(count, "count", 1)
    found = [Fraction(1)]
    for k in range(1, count):
        found.append(found[-1] * Fraction(2 * k - 1, 2 * k))
    return tuple(found)


def _square(rounds: int, entry: Callable[[int], Fraction | int]) -> list[list[Fraction | int]]:
    """Return the lower-triangular Toeplitz matrix with an entry for each distance t - s >= 0."""
    require_count(rounds, "rounds", 1)
    _refuse_large(rounds, rounds)
    return [[entry(t - s) if s <= t else 0 for s in range(rounds)] for t in range(rounds)]


def _refuse_large(rows: int, columns: int) -> None:
    if rows * columns > _LARGEST_MATRIX:
        raise LimitError(
            f"a matrix of {rows} x {columns} exact numbers",
            expected=f"at most {_LARGEST_MATRIX} entries; use TreeCounter for long streams",
        )


def _dot(first: Sequence[int], second: Sequence[int]) -> int:
    return sum(map(operator.mul, first, second))


def _scaled(matrix: tuple[Row, ...]) -> Scaled:
    denominator = math.lcm(*(entry.denominator for row in matrix for entry in row))
    rows = tuple(
        tuple(entry.numerator * (denominator // entry.denominator) for entry in row)
        for row in matrix
    )
    return Scaled(rows, denominator)


def _read_matrix(rows: Iterable[Sequence[object]], where: str) -> tuple[Row, ...]:
    found: list[Row] = []
    for index, row in enumerate(require_items(rows, where)):
        place = f"{where}[{index}]"
        entries = as_sequence(row)
        if entries is None or not entries:
            raise InputError("not a row of numbers", where=place, found=describe(row))
        if found and len(entries) != len(found[0]):
            raise InputError(
                "rows of different lengths",
                where=place,
                found=f"{len(entries)} numbers",
                expected=f"{len(found[0])}",
            )
        _refuse_large(index + 1, len(entries))
        found.append(tuple(_read_entry(entry, place) for entry in entries))
    if not found:
        raise InputError("there are no rows", where=where)
    return tuple(found)


def _read_entry(entry: object, where: str) -> Fraction:
    if isinstance(entry, Fraction):
        return entry
    if isinstance(entry, int) and not isinstance(entry, bool):
        return Fraction(entry)
    try:
        return exact_number(entry).as_fraction()
    except InputError as error:
        raise error.located(where) from None


def _read_decoder(
    decoder: Iterable[Sequence[object]], rounds: int, times: tuple[int, ...]
) -> tuple[Row, ...]:
    rows = _read_matrix(decoder, "decoder")
    if (len(rows), len(rows[0])) != (rounds, len(times)):
        raise InputError(
            "the decoder does not fit the encoder",
            where="decoder",
            found=f"{len(rows)} x {len(rows[0])}",
            expected=f"{rounds} x {len(times)}: a row per round, a column per row of the encoder",
        )
    for index, row in enumerate(rows):
        for entry, time in zip(row, times, strict=True):
            if entry and time > index + 1:
                raise InputError(
                    f"the view of round {index + 1} reads a row released in round {time}",
                    where=f"decoder[{index}]",
                    found=str(entry),
                )
    return rows


def _check_times(times: tuple[object, ...], rows: int, rounds: int) -> None:
    if len(times) != rows:
        raise InputError(
            "there is not one time per row of the encoder",
            where="times",
            found=f"{len(times)} times, {rows} rows",
        )
    for index, time in enumerate(times):
        if require_count(time, f"times[{index}]", 1) > rounds:
            raise InputError(
                "a row is released after the horizon",
                where=f"times[{index}]",
                found=str(time),
                expected=f"at most {rounds}",
            )
    numbers = cast("tuple[int, ...]", times)
    for index, (before, after) in enumerate(pairwise(numbers)):
        if after < before:
            raise InputError(
                "times fall", where=f"times[{index + 1}]", found=f"{after} after {before}"
            )
