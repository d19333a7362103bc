from __future__ import annotations

import hashlib
import io
import json
import random
import re
import shutil
import socket
import ssl
import tarfile
import threading
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from archive_server import Site, serving

from metaeval.errors import InputError
from metaeval.io.fetch import MARK, MIRROR, OFFICIAL, fetch
from metaeval.io.web import _opener, _reason

NOISE = random.Random(0).randbytes(400_000)
FILES = {"wmt23/sources/zh-en.txt": "一\n".encode(), "wmt23/noise": NOISE}
OTHERWISE = f"Try another address: metaeval fetch --from {MIRROR}"


def tgz(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return packed.getvalue()


ARCHIVE = tgz({f"mt-metrics-eval-v2/{name}": data for name, data in FILES.items()})
NEWER = tgz({"mt-metrics-eval-v2/newer": NOISE[::-1]})
SHA256 = hashlib.sha256(ARCHIVE).hexdigest()
CUT = 150_000


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving(ARCHIVE) as site:
        yield site


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "home" / "data"


def holds(into: Path, files: dict[str, bytes] = FILES) -> bool:
    """Whether the folder, and nothing beside it, is there with these files and a mark."""
    found = {str(path.relative_to(into)): path for path in into.rglob("*") if path.is_file()}
    alone = [path.name for path in into.parent.iterdir()] == [into.name]
    return (
        alone
        and {name: found[name].read_bytes() for name in found if name != MARK} == files
        and MARK in found
    )


def leaves(into: Path) -> set[str]:
    """What is beside the place where the folder would be."""
    return {path.name for path in into.parent.iterdir()} if into.parent.exists() else set()


PARTIAL = {"data.part", "data.part.json"}


def broken(site: Site, into: Path, at: int = CUT) -> None:
    """A download that stopped at ``at``; the site is well again afterwards."""
    site.cuts = [at, 0]
    with pytest.raises(InputError, match="the connection broke"):
        fetch(site.address, into)
    assert leaves(into) == PARTIAL
    assert (into.parent / "data.part").stat().st_size >= at - 1
    site.asked.clear()
    site.cuts.clear()


def test_an_archive_is_downloaded_checked_and_unpacked(site: Site, into: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    found = fetch(
        site.address,
        into,
        sha256=SHA256.upper(),
        size=len(ARCHIVE),
        progress=lambda here, total: seen.append((here, total)),
    )
    assert found == into
    assert holds(into)
    assert json.loads((into / MARK).read_text()) == {"from": site.address, "sha256": SHA256}
    assert seen[0] == (0, len(ARCHIVE))
    assert seen[-1] == (len(ARCHIVE), len(ARCHIVE))
    assert len(seen) > 3
    assert seen == sorted(seen)


def test_a_server_that_tells_no_size_is_believed_until_the_end(site: Site, into: Path) -> None:
    site.says_length = False
    totals: set[int | None] = set()
    fetch(site.address, into, size=len(ARCHIVE), progress=lambda _, total: totals.add(total))
    assert holds(into)
    assert totals == {None}


def test_an_archive_of_several_folders_keeps_them(tmp_path: Path, into: Path) -> None:
    files = {"wmt22/a": b"a", "wmt23/b": b"b"}
    (tmp_path / "x.tgz").write_bytes(tgz(files))
    fetch(tmp_path / "x.tgz", into)
    assert holds(into, files)


# Broken connections


def test_a_cut_connection_is_resumed_at_once(site: Site, into: Path) -> None:
    site.cuts = [CUT, CUT]
    fetch(site.address, into, sha256=SHA256)
    assert holds(into)
    assert site.asked == [
        (None, None),
        (f"bytes={CUT - 1}-", '"v1"'),
        (f"bytes={2 * CUT - 2}-", '"v1"'),
    ]


def test_a_later_call_goes_on_where_the_last_one_stopped(site: Site, into: Path) -> None:
    broken(site, into)
    seen: list[int] = []
    fetch(site.address, into, sha256=SHA256, progress=lambda here, _: seen.append(here))
    assert holds(into)
    assert [start for start, _ in site.asked] == [f"bytes={seen[0]}-"]
    assert CUT - 2 <= seen[0] < CUT


def test_a_connection_that_brings_nothing_ends_the_attempts(site: Site, into: Path) -> None:
    site.cuts = [CUT, 0]
    with pytest.raises(InputError) as raised:
        fetch(site.address, into)
    here = (into.parent / "data.part").stat().st_size
    assert str(raised.value).startswith(
        f"{site.address}: the connection broke after {here:,} bytes (of {len(ARCHIVE):,})\n"
        f"  Run the same command again: it goes on from there if the server can.\n  {OTHERWISE}"
    )
    assert len(site.asked) == 2


def test_a_connection_that_falls_silent_is_given_up(site: Site, into: Path) -> None:
    site.cuts, site.stalls = [CUT, 0], True
    with pytest.raises(InputError, match=r"the connection broke after .* \(then nothing came any more\)"):
        fetch(site.address, into, timeout=0.1)
    assert leaves(into) == PARTIAL


def test_an_answer_in_pieces_that_stops_between_them_is_broken(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    answer = b"HTTP/1.1 200 OK\r\nETag: x\r\nTransfer-Encoding: chunked\r\n\r\n" + b"3\r\nabc\r\n"

    def answer_once(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(10_000)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer_once, args=(server,))
        thread.start()
        with pytest.raises(InputError, match=r"the connection broke after 0 bytes \(IncompleteRead"):
            fetch(f"http://127.0.0.1:{server.getsockname()[1]}/x.tgz", into)
        thread.join()
    assert leaves(into) == PARTIAL


def test_an_interruption_keeps_the_download_and_nothing_else(site: Site, into: Path) -> None:
    def interrupt(here: int, total: int | None) -> None:
        if here > CUT:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(site.address, into, progress=interrupt)
    assert leaves(into) == PARTIAL
    fetch(site.address, into, sha256=SHA256)
    assert holds(into)
    assert site.asked[1][0] is not None


def test_an_interruption_while_unpacking_keeps_the_archive(
    site: Site, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("metaeval.io.unpack._write", interrupt)
        with pytest.raises(KeyboardInterrupt):
            fetch(site.address, into)
    assert leaves(into) == PARTIAL
    fetch(site.address, into, sha256=SHA256)
    assert holds(into)
    assert site.asked[1:] == [(f"bytes={len(ARCHIVE) - 1}-", '"v1"')]


def test_a_server_without_ranges_makes_it_start_over(site: Site, into: Path) -> None:
    broken(site, into)
    site.knows_ranges = False
    fetch(site.address, into, sha256=SHA256)
    assert holds(into)
    assert len(site.asked) == 1


@pytest.mark.parametrize("heeds_if_range", [True, False])
def test_a_file_that_changed_is_started_over(site: Site, into: Path, heeds_if_range: bool) -> None:
    broken(site, into)
    site.body, site.headers, site.heeds_if_range = NEWER, {"ETag": '"v2"'}, heeds_if_range
    fetch(site.address, into)
    assert holds(into, {"newer": NOISE[::-1]})
    assert len(site.asked) == (1 if heeds_if_range else 2)


def test_old_bytes_never_pass_for_those_of_the_new_version(
    site: Site, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    broken(site, into)
    site.body, site.headers = NEWER, {"ETag": '"v2"'}
    with monkeypatch.context() as patched:
        patched.setattr("metaeval.io.download.Download._receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            fetch(site.address, into)
    fetch(site.address, into)
    assert holds(into, {"newer": NOISE[::-1]})


def test_a_file_that_shrank_is_started_over(site: Site, into: Path) -> None:
    broken(site, into)
    site.body, site.heeds_if_range = tgz({"small/file": b"x"}), False
    fetch(site.address, into)
    assert holds(into, {"file": b"x"})
    assert site.asked[1:] == [(None, None)]


def test_a_server_that_resumes_at_the_wrong_place_is_asked_for_everything(site: Site, into: Path) -> None:
    broken(site, into)
    site.shifts_ranges = 5
    fetch(site.address, into, sha256=SHA256)
    assert holds(into)
    assert site.asked[1:] == [(None, None)]


def test_the_date_tells_versions_apart_where_the_tag_is_weak(site: Site, into: Path) -> None:
    date = "Tue, 21 Apr 2026 10:00:00 GMT"
    site.headers = {"ETag": 'W/"v1"', "Last-Modified": date}
    broken(site, into)
    fetch(site.address, into, sha256=SHA256)
    assert holds(into)
    assert [condition for _, condition in site.asked] == [date]


def test_without_tag_and_date_nothing_is_resumed(site: Site, into: Path) -> None:
    site.headers = {}
    site.cuts = [CUT, CUT]
    with pytest.raises(InputError, match="the connection broke"):
        fetch(site.address, into)
    fetch(site.address, into, sha256=SHA256)
    assert holds(into)
    assert site.asked == [(None, None)] * 3


def test_the_beginning_of_another_file_is_not_used(site: Site, into: Path) -> None:
    broken(site, into)
    fetch(site.address + "?other", into, sha256=SHA256)
    assert holds(into)
    assert site.asked == [(None, None)]
    assert json.loads((into / MARK).read_text())["from"] == site.address


@pytest.mark.parametrize("note", ["", "[]", "{}", "null", '{"address": 1, "version": 2}', "\ufeff{"])
def test_a_damaged_note_means_starting_over(site: Site, into: Path, note: str) -> None:
    broken(site, into)
    (into.parent / "data.part.json").write_text(note, encoding="utf-8")
    fetch(site.address, into, sha256=SHA256)
    assert holds(into)
    assert site.asked == [(None, None)]


# Files that are not the right one


@pytest.mark.parametrize("says_length", [True, False])
def test_a_file_of_the_wrong_size_is_not_kept(site: Site, into: Path, says_length: bool) -> None:
    site.says_length = says_length
    with pytest.raises(InputError) as raised:
        fetch(site.address, into, size=5)
    assert str(raised.value).startswith(
        f"{site.address}: the file has {len(ARCHIVE):,} bytes, expected 5\n  "
    )
    assert leaves(into) == set()


def test_a_wrong_checksum_leaves_nothing_to_be_used_again(site: Site, into: Path) -> None:
    with pytest.raises(InputError) as raised:
        fetch(site.address, into, sha256="0" * 64)
    assert str(raised.value) == (
        f"{site.address}: the sha256 of the file is {SHA256}, expected {'0' * 64}\n"
        "  It is damaged, or another version: find out which one you need. Nothing was unpacked."
    )
    assert leaves(into) == set()
    fetch(site.address, into, sha256=SHA256)
    assert site.asked[1:] == [(None, None)]


@pytest.mark.parametrize(
    ("says_length", "message"), [(True, "at most 1,000 are accepted"), (False, "more bytes than the 1,000")]
)
def test_a_file_above_the_bound_is_not_kept(site: Site, into: Path, says_length: bool, message: str) -> None:
    site.says_length = says_length
    with pytest.raises(InputError, match=message):
        fetch(site.address, into, max_bytes=1000)
    assert leaves(into) == set()


def test_the_bound_holds_for_what_is_unpacked_too(site: Site, into: Path) -> None:
    site.body = tgz({"zeros": bytes(1_000_000)})
    with pytest.raises(InputError, match=f"{site.address}: holds more than 900,000 bytes"):
        fetch(site.address, into, max_bytes=900_000)
    assert leaves(into) == set()


def test_a_hostile_archive_leaves_nothing(site: Site, into: Path) -> None:
    site.body = tgz({"good": b"x", "../../evil": b"x"})
    with pytest.raises(
        InputError, match=f"{site.address}: a member of the archive is refused: its name holds"
    ):
        fetch(site.address, into)
    assert leaves(into) == set()
    assert not list(into.parent.parent.rglob("evil"))


def test_a_file_that_is_cut_short_at_its_source_is_not_kept(site: Site, into: Path) -> None:
    site.body = ARCHIVE[:-1000]
    with pytest.raises(InputError, match="the archive is damaged or cut short"):
        fetch(site.address, into)
    assert leaves(into) == set()


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/xhtml+xml"])
def test_a_web_page_is_recognised_by_its_type(site: Site, into: Path, kind: str) -> None:
    site.headers = {"Content-Type": kind}
    with pytest.raises(InputError) as raised:
        fetch(site.address, into)
    assert str(raised.value).startswith(
        f"{site.address}: the server sends a web page, not an archive\n  {OTHERWISE}"
    )
    assert leaves(into) == set()


def test_a_web_page_that_calls_itself_an_archive_is_recognised_by_its_content(site: Site, into: Path) -> None:
    site.body, site.headers = b"<!doctype html><p>Please log in", {"Content-Type": "application/gzip"}
    with pytest.raises(InputError, match=f"{site.address}: found a web page, expected a .tgz"):
        fetch(site.address, into)
    assert leaves(into) == set()


def test_a_disk_that_is_too_small_is_noticed_before_the_download(
    site: Site, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(into.parents[1])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2 * len(ARCHIVE) - 1))
    with pytest.raises(InputError) as raised:
        fetch(site.address, into)
    assert str(raised.value) == (
        f"{site.address}: needs {2 * len(ARCHIVE):,} bytes, but only {2 * len(ARCHIVE) - 1:,} are free in "
        f"{into.parent}\n  Make room, or choose a folder on another disk with --into."
    )
    assert leaves(into) == set()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2 * len(ARCHIVE)))
    fetch(site.address, into)
    assert holds(into)


def test_a_disk_that_fills_up_keeps_the_download(
    site: Site, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(28, "No space left on device", str(into))

    monkeypatch.setattr("metaeval.io.unpack._write", full)
    with pytest.raises(InputError) as raised:
        fetch(site.address, into)
    assert str(raised.value) == (
        f"{into}: cannot be read or written (No space left on device)\n"
        "  Put that right, or choose another folder with --into. What is downloaded is kept."
    )
    assert leaves(into) == PARTIAL


# Servers that give nothing


@pytest.mark.parametrize(
    ("status", "said"),
    [(403, "403 Forbidden"), (404, "404 Not Found"), (500, "500 Internal Server Error"), (416, "416")],
)
def test_an_error_of_the_server_is_passed_on(site: Site, into: Path, status: int, said: str) -> None:
    site.status = status
    with pytest.raises(InputError) as raised:
        fetch(site.address, into)
    assert str(raised.value).startswith(f"{site.address}: the server answers {said}")
    assert str(raised.value).endswith(
        f"\n  {OTHERWISE}\n"
        "  Or bring the archive here by other means: metaeval fetch --from PATH/mt-metrics-eval-v2.tgz"
    )
    assert leaves(into) == set()


def test_an_answer_without_content_is_not_an_archive(site: Site, into: Path) -> None:
    site.status = 202
    with pytest.raises(InputError, match="the server answers 202 Accepted, expected 200"):
        fetch(site.address, into)
    assert leaves(into) == set()


def test_a_failing_server_does_not_cost_what_is_here(site: Site, into: Path) -> None:
    broken(site, into)
    site.status, site.knows_ranges = 503, False
    with pytest.raises(InputError, match="503 Service Unavailable"):
        fetch(site.address, into)
    assert leaves(into) == PARTIAL
    site.status, site.knows_ranges = 200, True
    fetch(site.address, into, sha256=SHA256)
    assert holds(into)
    assert site.asked[-1][0] is not None


def test_a_server_that_never_answers_is_given_up(into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/x.tgz"
        with pytest.raises(InputError) as raised:
            fetch(address, into, timeout=0.1)
    assert str(raised.value).startswith(
        f"{address}: 127.0.0.1 does not answer within 0.1 seconds\n  {OTHERWISE}"
    )
    with pytest.raises(InputError, match=re.escape("127.0.0.1 refuses the connection")):
        fetch(address, into)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (urllib.error.URLError(socket.gaierror(-2, "Name not known")), "cannot be reached (Name not known)"),
        (urllib.error.URLError(ssl.SSLError(1, "bad certificate")), "cannot be trusted"),
        (ConnectionResetError(104, "reset by peer"), "does not answer as a web server does"),
        (urllib.error.URLError("no host given"), "cannot be reached (no host given)"),
    ],
)
def test_the_reason_for_silence_is_said(error: OSError, reason: str) -> None:
    assert _reason(error, timeout=1).startswith(reason)


# Redirects and addresses


def redirecting(site: Site, target: str, status: int = 302) -> None:
    site.status, site.headers = status, {"Location": target}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_on_the_web_is_followed(site: Site, into: Path, status: int) -> None:
    with serving(ARCHIVE) as elsewhere:
        redirecting(site, elsewhere.address, status)
        fetch(site.address, into)
        assert len(elsewhere.asked) == 1
    assert holds(into)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x.tgz", "data:,x"])
def test_a_redirect_to_anything_else_is_refused(site: Site, into: Path, target: str, status: int) -> None:
    redirecting(site, target, status)
    with pytest.raises(InputError) as raised:
        fetch(site.address, into)
    assert str(raised.value) == (
        f"{site.address}: redirects to an address that is not http or https\n    {target}\n"
        "  If you trust it, download the archive by hand and pass its path with --from."
    )
    assert leaves(into) == set()


def test_redirects_in_a_circle_end(site: Site, into: Path) -> None:
    redirecting(site, site.address)
    with pytest.raises(InputError, match="the server answers 302"):
        fetch(site.address, into)
    assert 1 < len(site.asked) < 20


def test_a_redirect_from_https_to_http_is_refused() -> None:
    [redirects] = [h for h in _opener().handlers if type(h).__name__ == "_Redirects"]  # type: ignore[attr-defined]
    request = urllib.request.Request("https://example.org/x")
    headers = {"location": "http://example.org/x"}
    with pytest.raises(
        InputError, match=r"redirects to an address that is not https\n    http://example\.org/x"
    ):
        redirects.http_error_302(request, io.BytesIO(), 302, "Found", headers)


@pytest.mark.parametrize(
    "address", ["ftp://host/x.tgz", "gs://bucket/x.tgz", "file://host/x.tgz", "http:///x.tgz"]
)
def test_other_kinds_of_address_are_refused(address: str, into: Path) -> None:
    with pytest.raises(
        InputError, match=f"{address}: expected an http or https address, file:///PATH, or a path"
    ):
        fetch(address, into)


@pytest.mark.parametrize(
    "address", ["http://host:port/", "http://[::1/x", "http://ho st/x", "https://host/ü", "http://host/\n"]
)
def test_what_is_no_address_is_refused(address: str, into: Path) -> None:
    with pytest.raises(InputError, match="is not a valid address"):
        fetch(address, into)


def test_a_password_is_neither_used_nor_shown(into: Path) -> None:
    with pytest.raises(InputError) as raised:
        fetch("https://me:secret@example.org/x.tgz", into)
    assert str(raised.value).startswith(
        "https://example.org/x.tgz: an address with a user name is not accepted"
    )
    assert "secret" not in str(raised.value)


def test_the_official_address_and_its_mirror_point_at_each_other(
    into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object, **__: object) -> NoReturn:
        raise urllib.error.URLError(socket.gaierror(-2, "Name not known"))

    monkeypatch.setattr("urllib.request.OpenerDirector.open", unreachable)
    with pytest.raises(InputError, match=f"storage.googleapis.com cannot be reached(.|\n)*--from {MIRROR}\n"):
        fetch(into=into)
    with pytest.raises(InputError, match=f"data.statmt.org cannot be reached(.|\n)*--from {OFFICIAL}\n"):
        fetch(MIRROR, into)


# Files that are here already


def test_a_local_archive_is_unpacked_and_left_where_it_is(tmp_path: Path, into: Path) -> None:
    local = tmp_path / "my archive.tgz"
    local.write_bytes(ARCHIVE)
    assert fetch(str(local), into, sha256=SHA256, size=len(ARCHIVE)) == into
    assert holds(into)
    shutil.rmtree(into)
    fetch(local.as_uri(), into)
    assert holds(into)
    assert local.read_bytes() == ARCHIVE


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        ({"size": 7}, "expected 7"),
        ({"max_bytes": 7}, "at most 7 are accepted"),
        ({"sha256": "a" * 64}, f"expected {'a' * 64}"),
    ],
)
def test_a_local_archive_that_is_not_wanted_is_left_where_it_is(
    tmp_path: Path, into: Path, bound: dict[str, object], message: str
) -> None:
    local = tmp_path / "x.tgz"
    local.write_bytes(ARCHIVE)
    with pytest.raises(InputError, match=f"{local}: .*{message}"):
        fetch(local, into, **bound)  # type: ignore[arg-type]
    assert local.read_bytes() == ARCHIVE
    assert leaves(into) == set()


def test_a_path_that_is_no_file_is_said_to_be_none(tmp_path: Path, into: Path) -> None:
    with pytest.raises(InputError, match=f"nowhere.tgz: there is no such file\n  {OTHERWISE}"):
        fetch("nowhere.tgz", into)
    with pytest.raises(InputError, match="is a folder, expected an archive\n  Nothing to fetch"):
        fetch(tmp_path, into)


@pytest.mark.parametrize("sha256", ["", "abc", "g" * 64, "a" * 65])
def test_a_checksum_that_is_none_is_refused_at_once(into: Path, sha256: str) -> None:
    with pytest.raises(InputError, match="a sha256 has 64 hexadecimal digits"):
        fetch("nowhere.tgz", into, sha256=sha256)


# The folder that is already there


@pytest.fixture
def local(tmp_path: Path) -> Path:
    (tmp_path / "x.tgz").write_bytes(ARCHIVE)
    return tmp_path / "x.tgz"


def test_an_empty_folder_is_filled(local: Path, into: Path) -> None:
    into.mkdir(parents=True)
    fetch(local, into)
    assert holds(into)


def test_a_link_to_a_folder_stays_a_link(local: Path, into: Path, tmp_path: Path) -> None:
    into.mkdir(parents=True)
    (tmp_path / "link").symlink_to(into)
    assert fetch(local, tmp_path / "link") == into
    assert (tmp_path / "link").is_symlink()
    assert holds(into)


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_fetch_did_not_make_is_never_replaced(
    local: Path, into: Path, kind: str, overwrite: bool
) -> None:
    precious = into if kind == "file" else into / "precious"
    precious.parent.mkdir(parents=True)
    precious.write_text("work of years")
    with pytest.raises(InputError) as raised:
        fetch(local, into, overwrite=overwrite)
    assert str(raised.value) == (
        f"{into}: exists, and was not made by metaeval fetch; it is left alone\n"
        "  Move it away, or name a new folder with --into."
    )
    assert precious.read_text() == "work of years"
    assert leaves(into) == {"data"}


def test_a_fetched_folder_is_replaced_when_asked(local: Path, into: Path) -> None:
    fetch(local, into)
    local.write_bytes(NEWER)
    with pytest.raises(InputError) as raised:
        fetch(local, into)
    assert str(raised.value) == f"{into}: has been fetched already\n  Use it, or replace it with --overwrite."
    assert holds(into)
    fetch(local, into, overwrite=True)
    assert holds(into, {"newer": NOISE[::-1]})


@pytest.mark.parametrize("error", [OSError(1, "not permitted"), KeyboardInterrupt()])
def test_the_old_folder_stays_if_the_new_one_cannot_take_its_place(
    local: Path, into: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    fetch(local, into)
    rename = Path.rename
    renamed: list[str] = []

    def failing(path: Path, target: Path) -> Path:
        renamed.append(path.name)
        if len(renamed) == 2:
            raise error
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises((InputError, KeyboardInterrupt)):
        fetch(local, into, overwrite=True)
    assert renamed == ["data", "mt-metrics-eval-v2", "old"]
    assert holds(into)


def test_nothing_is_left_if_the_new_folder_cannot_be_put_in_place(
    local: Path, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(path: Path, target: Path) -> NoReturn:
        raise OSError(1, "not permitted", str(target))

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(InputError, match=f"{into}: cannot be read or written \\(not permitted\\)"):
        fetch(local, into)
    assert leaves(into) == set()


def test_a_damaged_archive_does_not_cost_the_old_folder(local: Path, into: Path) -> None:
    fetch(local, into)
    local.write_bytes(ARCHIVE[:-100])
    with pytest.raises(InputError, match="damaged or cut short"):
        fetch(local, into, overwrite=True)
    assert holds(into)


def test_the_folder_one_is_in_is_not_replaced(
    local: Path, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    into.mkdir(parents=True)
    monkeypatch.chdir(into)
    for here in (Path(), into.parent):
        with pytest.raises(InputError, match="is the folder you are in\n  Name a new one with --into"):
            fetch(local, here)
    assert list(into.iterdir()) == []
