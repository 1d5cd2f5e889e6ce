"""The report for a person: verdict first, then guarantees, then evidence.

Randomised response that keeps the bit with probability 3/4 has e^eps = 3, and at e^eps = E <= 3
its delta is (3 - E)/4. The numbers of the two-round counterexample are in paper 1, Appendix E.1.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

E1 = ("audit", "--example", "two-round-counterexample")


def test_the_first_line_is_the_verdict(certify: Run) -> None:
    ran = certify(*E1)
    assert ran.code == 1
    assert ran.out.splitlines()[0] == (
        "VIOLATED  two-round counterexample: claim (epsilon = 0, delta = 9/100) fails against "
        "adaptive adversaries"
    )
    assert ran.err == ""


def test_the_counterexample_prints_both_guarantees_the_gap_and_its_witness(certify: Run) -> None:
    out = certify(*E1).out
    for text in (
        "Against fixed input streams the claim holds; delta is tight at the claim.",
        "delta = 991/10000 (0.0991)",
        "delta = 9/100 (0.09)",
        "excess P0 - e^eps*P1 = 991/10000 (0.0991), above the claimed delta 9/100",
        "Adaptivity gap at the claim: 91/10000 (0.0091) in delta.",
        "replayed exactly",
    ):
        assert text in out


def test_the_printed_strategy_is_the_one_of_the_paper_up_to_the_worlds_names(certify: Run) -> None:
    # The adversary feeds the first output back as the common second input.
    lines = [line.strip() for line in certify(*E1).out.splitlines()]
    assert "after 0: feed (0 | 0)" in lines
    assert "after 1: feed (1 | 1)" in lines
    assert {"start with (0 | 1)", "start with (1 | 0)"} & set(lines)


@pytest.mark.parametrize(
    ("claim", "comment"),
    [
        ('claim = { epsilon = "ln(3)" }', "claim holds; eps is tight at the claim"),
        (
            'claim = { exp_epsilon = "2", delta = "1/4" }',
            "claim holds; delta is tight at the claim",
        ),
        ('claim = { exp_epsilon = "4" }', "claim holds with slack"),
        ('claim = { exp_epsilon = "2", delta = "1/3" }', "claim holds with slack"),
    ],
)
def test_a_claim_that_holds_is_called_tight_or_slack(
    certify: Run, flip_file: Callable[..., Path], claim: str, comment: str
) -> None:
    ran = certify("audit", flip_file(claim))
    assert ran.code == 0
    assert ran.out.startswith("HOLDS  flip: ")
    assert comment in ran.out


def test_a_pure_claim_that_fails_names_streams_event_and_excess(
    certify: Run, flip_file: Callable[..., Path]
) -> None:
    out = certify("audit", flip_file('claim = { epsilon = "ln(2)" }')).out
    assert "P0(S) = 3/4 (0.75), P1(S) = 1/4 (0.25)" in out
    # 3/4 - 2 * 1/4
    assert "excess P0 - e^eps*P1 = 1/4 (0.25), above the claimed delta 0" in out
    assert "at delta = 0 (pure):  epsilon = ln(3) (about 1.09861228867)" in out
    assert "Adaptivity gap at the claim: none." in out


def test_without_a_claim_only_the_guarantees_are_printed(
    certify: Run, flip_file: Callable[..., Path]
) -> None:
    ran = certify("audit", flip_file())
    assert ran.code == 0
    assert ran.out.startswith("NO CLAIM  flip: nothing was claimed")
    assert "e^eps = 1  delta = 1/2 (0.5)" in ran.out
    assert "claim holds" not in ran.out


def test_unavoidable_mass_is_named_where_no_epsilon_helps(certify: Run, tmp_path: Path) -> None:
    # The bit is published with probability 1/12.
    path = tmp_path / "leak.toml"
    path.write_text(
        """
        name = "leak"
        rounds = 1
        inputs = ["0", "1"]
        outputs = ["0", "1", "-"]
        states = ["s"]
        initial = { s = "1" }
        neighbours = "hamming"
        kernel = [
            [1, "s", "0", "0", "s", "1/12"],
            [1, "s", "0", "-", "s", "11/12"],
            [1, "s", "1", "1", "s", "1/12"],
            [1, "s", "1", "-", "s", "11/12"],
        ]
        claim = { epsilon = "1", delta = "1/24" }
        """
    )
    ran = certify("audit", path)
    assert ran.code == 1
    assert "no finite eps at this delta; smallest possible delta 1/12" in ran.out
    assert "-1" not in ran.out.replace("0-1", "")


def test_several_claims_get_one_verdict_line_each_and_the_worst_code(
    certify: Run, flip_file: Callable[..., Path]
) -> None:
    ran = certify("audit", flip_file('claims = [ { exp_epsilon = "4" }, { exp_epsilon = "2" } ]'))
    assert ran.code == 1
    first, second = ran.out.splitlines()[:2]
    assert first.startswith("HOLDS      flip: claim (epsilon = ln(4), delta = 0) holds")
    assert second.startswith("VIOLATED   flip: claim (epsilon = ln(2), delta = 0) fails")


def test_one_kind_of_adversary_can_be_asked_for_alone(certify: Run) -> None:
    ran = certify(*E1, "--adversary", "nonadaptive")
    assert ran.code == 0
    assert "fixed input streams" in ran.out.splitlines()[0]
    assert "Against adaptive adversaries the claim fails." in ran.out
    assert "991/10000" not in ran.out
    assert "strategy" not in ran.out


def test_the_profile_can_be_left_out(certify: Run) -> None:
    assert "Least delta for each epsilon" in certify(*E1).out
    assert "Least delta for each epsilon" not in certify(*E1, "--no-profile").out


def test_a_name_with_control_characters_cannot_touch_the_terminal(
    certify: Run, flip_file: Callable[..., Path]
) -> None:
    path = flip_file(name="\\u001b[2J\\nHOLDS")
    out = certify("audit", path).out
    assert "\x1b" not in out
    assert out.splitlines()[0].startswith("NO CLAIM  \\x1b[2J\\nHOLDS: ")


def test_an_event_that_does_not_exist_is_not_invented(
    certify: Run, flip_file: Callable[..., Path]
) -> None:
    out = certify("audit", flip_file('claim = { exp_epsilon = "5" }')).out
    assert "No event S has a positive excess" in out
    assert "event S of 0" not in out


@pytest.mark.parametrize("claim", [("--epsilon", "inf"), ("--delta", "1")])
def test_a_vacuous_claim_holds_with_a_warning(certify: Run, claim: Sequence[str]) -> None:
    ran = certify(*E1, *claim)
    assert ran.code == 0
    assert "The claim is vacuous" in ran.out
    assert "Warning: the claim" in ran.out
    assert "with slack" not in ran.out


def test_an_interval_that_settles_the_claim_is_short(certify: Run) -> None:
    # e^(1/3) and e to 10^-30 less have no common generator of low degree.
    just_below = "333333333333333333333333333333/1000000000000000000000000000000"
    out = certify("audit", "--example", "randomised-response", "--epsilon", just_below).out
    # delta = (1 - e^(epsilon - 1/3))/(1 + z) = 1/3 * 10^-30 * 0.58257...
    assert "delta is between 1.94190068" in out
    assert "above the claimed delta 0" in out
    assert "a worse one may exist" not in out
