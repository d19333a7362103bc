"""The pages say what is so: what the README shows is what the program prints, and links lead somewhere."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from conftest import ROOT
from typer.testing import CliRunner

from metaeval.cli.main import VERBS, build

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_shows_what_the_demo_prints() -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[3].partition("  ...")[0]
    assert "cluster" in shown
    assert shown.strip() in CliRunner().invoke(build(), ["demo"]).stdout


def test_the_picture_is_the_board_of_the_demo() -> None:
    spec = spec_from_file_location("picture", ROOT / "docs" / "picture.py")
    assert spec is not None
    assert spec.loader is not None
    picture = module_from_spec(spec)
    spec.loader.exec_module(picture)
    assert picture.PICTURE.read_text(encoding="utf-8") == picture.draw(picture.demo_board())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_a_page_exist(page: Path) -> None:
    named = set(re.findall(r"(?:^|`|\$ )metaeval ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert named - set(VERBS) == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_figure_is_left_to_fill_in(page: Path) -> None:
    assert re.findall(r"@@\w*@@|\bTBD\b|\?\?\?", page.read_text(encoding="utf-8")) == []
