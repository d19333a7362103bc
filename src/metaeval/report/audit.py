"""An audit as a screen or as JSON."""

from __future__ import annotations

import json
import textwrap

from metaeval.errors import printable
from metaeval.probes.audit.finding import Audit, checks

WIDTH = 104
MARKS = {"serious": "!!", "warning": "! ", "note": "  "}


def as_text(audit: Audit) -> str:
    """The verdict, each finding with what to do, and what was looked at."""
    count = {s: sum(f.severity == s for f in audit.findings) for s in MARKS}
    parts = [f"  {_verdict(audit, count)}"]
    parts += [
        f"{_wrapped(f'{MARKS[f.severity]} {printable(f.sentence, 600)}', '  ', '     ')}\n"
        f"{_wrapped(f'-> {printable(f.remedy, 300)}', '     ', '        ')}"
        for f in audit.findings
    ]
    if audit.unchecked:
        parts.append("\n".join(["  not checked:", *(f"    {printable(r, 300)}" for r in audit.unchecked)]))
    s = audit.signature
    about = [f"metaeval {s['version']}", f"data {s['data']}", f"human {s['human']}"]
    about += [f"reference {s['reference']}"] if s["reference"] else []
    about += [f"{s['metrics']} metrics, {s['systems']} systems, {s['items']} items"]
    about += [f"{s['dropped_cells']:,} rated cells dropped"] if s["dropped_cells"] else []
    about += [f"sentinels {s['sentinels']}", f"seed {s['seed']}"]
    return "\n\n".join([*parts, "  " + printable(" | ".join(about), 300)])


def as_json(audit: Audit) -> str:
    """The findings in the same order, with their numbers."""
    return json.dumps(
        {
            "signature": dict(audit.signature),
            "clean": audit.clean,
            "findings": [
                {
                    "check": f.check,
                    "severity": f.severity,
                    "sentence": f.sentence,
                    "remedy": f.remedy,
                    "numbers": dict(f.numbers),
                }
                for f in audit.findings
            ],
            "checks": list(audit.checks),
            "unchecked": list(audit.unchecked),
        },
        indent=1,
        ensure_ascii=False,
        allow_nan=False,
    )


def _verdict(audit: Audit, count: dict[str, int]) -> str:
    if audit.clean:
        return f"nothing wrong was found: {len(checks()) - _undone(audit)} of {len(checks())} checks done"
    said = [f"{n} {s if n == 1 or s == 'serious' else s + 's'}" for s, n in count.items() if n]
    return "findings: " + ", ".join(said)


def _undone(audit: Audit) -> int:
    return sum(reason.partition(":")[0] in audit.checks for reason in audit.unchecked)


def _wrapped(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
