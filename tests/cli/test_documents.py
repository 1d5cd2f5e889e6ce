"""What README and docs show is what the tool does."""

import doctest
import json
import re
import shlex
from collections.abc import Callable, Iterator
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import click
import pytest

Run = Callable[..., Any]

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def fenced(page: Path, language: str) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    yield from re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def shown_commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for block in fenced(page, "console"):
            for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = entry.partition("\n")
                yield command, output


@pytest.mark.parametrize(("command", "expected"), list(shown_commands()))
def test_a_shown_command_prints_what_is_shown(certify: Run, command: str, expected: str) -> None:
    program, *words = shlex.split(command)
    assert program == "certify"
    out = certify(*words).out
    checker = doctest.OutputChecker()
    assert checker.check_output(expected, out, doctest.ELLIPSIS), out


def test_there_are_commands_shown() -> None:
    assert len(list(shown_commands())) >= 5


def test_every_python_block_of_a_page_runs() -> None:
    # pytest collects the doctests of README.md and docs; a block without prompts would not be run.
    blocks = [(page, block) for page in PAGES for block in fenced(page, "python")]
    assert sum(page.name == "library.md" for page, _ in blocks) >= 10
    for page, block in blocks:
        assert block.startswith(">>> "), f"{page.name}: {block}"
        assert block.endswith("\n\n"), f"{page.name}: an empty line must end the last output"
        assert doctest.DocTestParser().get_examples(block)


def test_a_newcomer_finds_the_guide_and_the_papers() -> None:
    for page, folder in ((ROOT / "README.md", "docs/"), (ROOT / "docs" / "README.md", "")):
        text = page.read_text(encoding="utf-8")
        assert f"]({folder}library.md)" in text
        assert f"]({folder}papers.md)" in text
    papers = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    schema_file = resources.files("powercert.certify") / "schemas" / "1"
    schema = json.loads((schema_file / "audit-report.schema.json").read_text(encoding="utf-8"))
    conditions = [
        key for key in schema["properties"]["checklist"]["required"] if key != "certified"
    ]
    assert len(conditions) == 5
    assert all(f"`{name}`" in papers for name in conditions)


def test_the_readme_sets_everything_up_with_two_commands() -> None:
    # .ci/run takes the commands from behind these marks and runs them as they are.
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for mark in ("audit", "tests"):
        commands = re.findall(
            rf"^<!-- ci: {mark} -->\n```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL
        )
        assert len(commands) == 1
        assert commands[0].count("\n") == 1


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_spec_page_shows_a_spec_that_loads(certify: Run, tmp_path: Path) -> None:
    whole, relation = list(fenced(ROOT / "docs" / "spec-format.md", "toml"))
    path = tmp_path / "shown.toml"
    path.write_text(whole, encoding="utf-8")
    ran = certify("audit", path)
    assert ran.code == 0
    assert "eps is tight at the claim" in ran.out
    # The automaton on that page is the relation "hamming" over two inputs.
    head, claim = whole.replace('neighbours = "hamming"\n', "").split("[claim]")
    path.write_text(f"{head}\n{relation}\n[claim]{claim}", encoding="utf-8")
    spelled_out = certify("audit", path)
    assert spelled_out.code == 0
    assert spelled_out.out.split("Work:")[0] == ran.out.split("Work:")[0]


def test_the_other_specs_of_that_page_load(certify: Run, tmp_path: Path) -> None:
    """The core with a release map is certified; the answer that repeats itself is not fresh."""
    released, repeating = list(fenced(ROOT / "docs" / "spec-format.md", "json"))
    path = tmp_path / "shown.json"
    path.write_text(released, encoding="utf-8")
    assert certify("checklist", path).out.startswith("CERTIFIED")
    path.write_text(repeating, encoding="utf-8")
    ran = certify("checklist", path, "--format", "json")
    assert ran.document["checklist"]["fresh_randomness"]["status"] == "fail"


def test_the_spec_page_names_every_key_of_the_schema() -> None:
    path = resources.files("powercert.certify") / "schemas" / "1" / "spec.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "spec-format.md").read_text(encoding="utf-8")
    missing = [key for key in schema["properties"] if f"`{key}`" not in page]
    assert missing == []


def test_the_command_page_names_every_option_and_every_default_limit() -> None:
    from powercert.certify.limits import Limits
    from powercert.certify.spec_reader import DEFAULT_LIMIT_ROWS

    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in ("audit", "checklist", "pair", "selftest"):
        command: click.Command = import_module(f"powercert.certify.commands.{name}").command
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.opts[0] in page, f"{name} {parameter.opts[0]}"
    limits = Limits()
    defaults = {
        "nodes": limits.nodes,
        "edges": limits.edges,
        "laws": limits.laws,
        "transitions": limits.transitions,
        "rows": DEFAULT_LIMIT_ROWS,
    }
    for name, value in defaults.items():
        assert re.search(rf"`--limit-{name} N` \| [^|]* \| {value} \|", page), name


def test_every_folder_explains_itself() -> None:
    rooms = [ROOT / name for name in ("accounting", "mechanisms", "certify", "proofs_checks")]
    folders = [
        folder
        for room in rooms
        for folder in [room, *(path for path in room.rglob("*") if path.is_dir())]
        # A folder named by a version number is explained one level up.
        if folder.name != "__pycache__" and not folder.name.isdigit()
    ]
    folders += [
        ROOT / name for name in ("tests", "docs", "docs/proofs", "benchmarks", ".namespace")
    ]
    silent: list[str] = []
    for folder in folders:
        module = folder / "__init__.py"
        documented = module.exists() and module.read_text(encoding="utf-8").startswith('"""')
        if not documented and not (folder / "README.md").exists():
            silent.append(str(folder.relative_to(ROOT)))
    assert silent == []
