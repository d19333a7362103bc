"""The command ``metaeval``: finds the verbs, turns errors into one message and an exit code.

0 done; 2 the input or the call is wrong; 1 a bug in metaeval; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated

import typer

import metaeval
from metaeval.errors import MetaevalError, printable, visible

VERBS = (
    "demo",
    "rank",
    "compare",
    "leaderboard",
    "stability",
    "power",
    "describe",
    "convert",
    "score",
    "scorers",
    "measures",
    "simulate",
    "fetch",
    "ties",
    "audit",
    "sentinel",
    "local",
    "interference",
    "adjust",
)

_INTERRUPTED = 130
_HELP = "Usage: "
"""How the message for a call without arguments begins: it is the help."""
# The base of typer's usage errors; the module it lives in differs between typer's versions.
_CallError: type[Exception] = typer.BadParameter.__mro__[2]


def build() -> typer.Typer:
    """The application with every verb; importing a verb's file is cheap, running it is not."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for verb in VERBS:
        found = getattr(import_module(f"metaeval.cli.{verb}"), verb)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=verb)
        else:
            app.command(verb)(found)
    app.callback()(_common)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script. Never shows a traceback, unless METAEVAL_DEBUG is set."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what an encoding cannot hold is spelt out
            stream.reconfigure(errors="backslashreplace")
    try:
        code = build()(args=arguments, prog_name="metaeval", standalone_mode=False)
        if code == _INTERRUPTED:
            raise KeyboardInterrupt
    except MetaevalError as error:
        _stop(str(error), 2)
    except _CallError as error:
        _stop(_call_message(error), 2)
    except (typer.Abort, KeyboardInterrupt):
        _stop("interrupted", _INTERRUPTED)
    except SystemExit as stop:
        if not isinstance(stop.__context__, BrokenPipeError):  # which typer takes for a failure
            raise
        sys.stdout = None  # nobody reads on: keep the interpreter from flushing
        sys.exit(0)
    except (OSError, MemoryError) as error:
        if os.environ.get("METAEVAL_DEBUG"):
            raise
        _stop(_refusal(error), 2)
    except Exception as error:
        if os.environ.get("METAEVAL_DEBUG"):
            raise
        what = f"{type(error).__name__}: {error}"
        _stop(f"a bug in metaeval ({what})\n  Please report it; METAEVAL_DEBUG=1 shows where it happened.", 1)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"metaeval {metaeval.__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Which automatic metric to trust, on your data, with honest uncertainty."""


def _call_message(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "metaeval"
    message = getattr(error, "format_message", lambda: str(error))()
    return message if message.startswith(_HELP) else f"{message}\n  See: {command} --help"


def _refusal(error: OSError | MemoryError) -> str:
    """What the system does not give: a file, room, memory."""
    if isinstance(error, MemoryError):
        return f"there is not enough memory ({error})\n  Choose fewer systems, items, metrics or draws."
    where = "" if error.filename is None else f"{printable(str(error.filename))}: "
    return f"{where}the system refuses it: {error.strerror or error}"


def _stop(message: str, code: int) -> None:
    print(visible(message if message.startswith(_HELP) else f"metaeval: {message}"), file=sys.stderr)
    sys.exit(code)
