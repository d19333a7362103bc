"""The progress bar: only where somebody watches, and whatever the task is called."""

from __future__ import annotations

import sys

import pytest

from metaeval.cli import progress


def test_nobody_is_told_in_a_pipe() -> None:
    with progress.progress_bar() as report:
        assert report is None


def test_a_task_may_be_called_anything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0.0)
    with progress.progress_bar() as report:
        assert report is not None
        report("[/red] metric", 1, 2)
    assert "[/red] metric" in capsys.readouterr().err
