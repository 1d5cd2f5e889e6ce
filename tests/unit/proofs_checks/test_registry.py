"""The registry refuses records and findings that do not say what they must."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import cast

import pytest

from powercert.accounting import InputError
from powercert.proofs_checks import Finding, Status, all_records, claim, judged, refuted
from powercert.proofs_checks.registry import records_of


@pytest.mark.parametrize("status", ["REFUTED", "GAP"])
def test_a_refutation_without_a_witness_is_refused(status: Status) -> None:
    with pytest.raises(InputError, match="has a witness"):
        Finding(status, "a method", "a scope")


@pytest.mark.parametrize("method, scope", [("", "a scope"), ("a method", "")])
def test_a_finding_says_how_and_where(method: str, scope: str) -> None:
    with pytest.raises(InputError, match="how it was found"):
        Finding("VERIFIED", method, scope)


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(InputError, match="unknown status"):
        Finding(cast("Status", "TRUE"), "a method", "a scope")


def test_a_counterexample_refutes_and_none_verifies() -> None:
    assert judged({"n": "2"}, "m", "s") == refuted("m", "s", {"n": "2"})
    assert judged(None, "m", "s", status="PROVED").status == "PROVED"


@pytest.mark.parametrize("label", ["fact A.6", "Fact", "A.6", "Fact A.6 example", "Fact A.6 ()"])
def test_a_label_is_a_heading(label: str) -> None:
    with pytest.raises(InputError, match="not a heading"):
        claim(1, label, statement="Something.")


def test_a_claim_has_a_statement() -> None:
    with pytest.raises(InputError, match="has a statement"):
        claim(1, "Fact A.6", statement="")


def test_a_record_without_a_twin_says_so() -> None:
    @claim(1, "Fact Z.1 (part)", statement="Something.")
    def check() -> Finding:
        return judged(None, "m", "s")

    assert check.heading == "Fact Z.1"
    with pytest.raises(InputError, match="no sabotaged twin"):
        check.run_sabotaged()


def test_only_a_modules_own_records_count() -> None:
    importer = ModuleType("importer")
    vars(importer)["borrowed"] = all_records()[0]
    assert records_of(importer) == ()
    home = sys.modules[all_records()[0].module]
    assert all_records()[0] in records_of(home)


def test_a_paper_without_records_is_refused() -> None:
    with pytest.raises(InputError, match="no claims of this paper"):
        all_records(9)
