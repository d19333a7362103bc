"""Archives are built here byte by byte where Python's own writers would be too polite."""

from __future__ import annotations

import contextlib
import gzip
import io
import re
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.io.members import UnusableArchive
from metaeval.io.unpack import name_fault, unpack

type_of = {
    "symlink": tarfile.SYMTYPE,
    "hard link": tarfile.LNKTYPE,
    "character device": tarfile.CHRTYPE,
    "block device": tarfile.BLKTYPE,
    "pipe": tarfile.FIFOTYPE,
}


def header(name: str, size: int = 0, **fields: object) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = size
    for field, value in fields.items():
        setattr(info, field, value)
    return info


def tgz(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def zipped(path: Path, *members: tuple[zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in members:
            archive.writestr(info, data)
    return path


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"(folder)"
        for path in folder.rglob("*")
    }


def refusal(archive: Path, into: Path, **bounds: int) -> str:
    """The message; and nothing may have appeared beside the archive and the new folder."""
    with pytest.raises(UnusableArchive) as raised:
        unpack(archive, into, name="the archive", **bounds)
    assert {path.name for path in into.parent.iterdir()} == {archive.name, into.name}
    return str(raised.value)


SMALL = [("wmt/sources/zh-en.txt", "一\n二\n".encode()), ("wmt/README", b"read me")]
UNPACKED = {
    "wmt": b"(folder)",
    "wmt/sources": b"(folder)",
    "wmt/sources/zh-en.txt": "一\n二\n".encode(),
    "wmt/README": b"read me",
}


@pytest.mark.parametrize("kind", ["w:gz", "w"])
@pytest.mark.parametrize("dialect", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_tar_archive_is_unpacked_whatever_it_is_called(tmp_path: Path, kind: str, dialect: int) -> None:
    with tarfile.open(tmp_path / "download.part", kind, format=dialect) as tar:  # type: ignore[call-overload]
        tar.addfile(header("./", type=tarfile.DIRTYPE))
        for name, data in SMALL:
            tar.addfile(header(name, len(data)), io.BytesIO(data))
    unpack(tmp_path / "download.part", tmp_path / "new")
    assert tree(tmp_path / "new") == UNPACKED


def test_a_zip_archive_is_unpacked_too(tmp_path: Path) -> None:
    archive = zipped(
        tmp_path / "a", *((zipfile.ZipInfo(name), data) for name, data in [("wmt/", b""), *SMALL])
    )
    unpack(archive, tmp_path / "new")
    assert tree(tmp_path / "new") == UNPACKED


def test_long_names_and_large_members_are_no_special_case(tmp_path: Path) -> None:
    name, data = "/".join(["d" * 60] * 5), bytes(range(256)) * 5000
    archive = tgz(tmp_path / "a", (header(name), data), (header("last"), b"x"))
    unpack(archive, tmp_path / "new")
    assert (tmp_path / "new" / name).read_bytes() == data
    assert (tmp_path / "new" / "last").read_bytes() == b"x"


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    archive = tgz(
        tmp_path / "a",
        (header("setuid", mode=0o6777), b"x"),
        (header("unreadable", mode=0), b"x"),
        (header("shut", mode=0, type=tarfile.DIRTYPE), b""),
        (header("shut/in"), b"x"),
    )
    unpack(archive, tmp_path / "new")
    (tmp_path / "plain").write_text("x")
    (tmp_path / "folder").mkdir()
    expected = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "folder")}
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").rglob("*")}
    plain, folder = expected["plain"], expected["folder"]
    assert found == {"setuid": plain, "unreadable": plain, "in": plain, "shut": folder}


HOSTILE_NAMES = {
    "../outside": "its name holds ..",
    "wmt/../../outside": "its name holds ..",
    "/tmp/outside": "its name is an absolute path",
    "//server/share": "its name is an absolute path",
    "C:/outside": "its name holds a drive letter",
    "wmt/c:outside": "its name holds a drive letter",
    "..\\outside": "its name holds a backslash",
    "a\nb": "its name holds characters that cannot be printed",
    "a\x1b[2Jb": "its name holds characters that cannot be printed",
}


@pytest.mark.parametrize(("name", "fault"), HOSTILE_NAMES.items())
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_member_that_would_land_elsewhere_is_refused(
    tmp_path: Path, name: str, fault: str, kind: str
) -> None:
    (tmp_path / "deep").mkdir()
    archive = tmp_path / "deep" / "a"
    if kind == "tar":
        tgz(archive, (header("good"), b"x"), (header(name), b"evil"))
    else:
        zipped(archive, (zipfile.ZipInfo("good"), b"x"), (zipfile.ZipInfo(name), b"evil"))
    message = refusal(archive, tmp_path / "deep" / "new")
    assert message.startswith(f"the archive: a member of the archive is refused: {fault}\n    ")
    assert message.isprintable() or message.replace("\n", "").isprintable()
    assert message.endswith(
        "Nothing was unpacked. If you trust the archive, unpack it yourself and use that folder."
    )
    assert tree(tmp_path / "deep" / "new") == {"good": b"x"}


def test_a_name_with_a_nul_is_refused_where_the_format_can_hold_one(tmp_path: Path) -> None:
    extended = tgz(tmp_path / "a", (header("x", pax_headers={"path": "good\0/../evil"}), b"x"))
    assert "its name holds .." in refusal(extended, tmp_path / "new")
    assert name_fault("good\0") == "its name holds characters that cannot be printed"


def test_a_zip_name_is_judged_as_written_not_as_python_cuts_it(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a", (zipfile.ZipInfo("good@evil"), b"x"))
    archive.write_bytes(archive.read_bytes().replace(b"good@evil", b"good\0evil"))
    assert "characters that cannot be printed\n    good\\x00evil" in refusal(archive, tmp_path / "new")


@pytest.mark.parametrize("kind", type_of)
def test_links_devices_and_pipes_are_refused(tmp_path: Path, kind: str) -> None:
    special = header("trap", type=type_of[kind], linkname="/etc/passwd")
    message = refusal(tgz(tmp_path / "a", (special, b"")), tmp_path / "new")
    what = "a link" if "link" in kind else "a device"
    assert message.startswith(f"the archive: a member of the archive is refused: it is {what}\n    trap\n")
    assert tree(tmp_path / "new") == {}


def test_a_link_that_stays_inside_is_refused_as_well(tmp_path: Path) -> None:
    inside = header("wmt/link", type=tarfile.SYMTYPE, linkname="file")
    archive = tgz(tmp_path / "a", (header("wmt/file"), b"x"), (inside, b""))
    assert "it is a link" in refusal(archive, tmp_path / "new")


@pytest.mark.parametrize(("mode", "what"), [(stat.S_IFLNK, "a link"), (stat.S_IFCHR, "a device")])
def test_a_zip_member_that_is_no_file_is_refused(tmp_path: Path, mode: int, what: str) -> None:
    special = zipfile.ZipInfo("trap")
    special.external_attr = (mode | 0o777) << 16
    assert f"it is {what}" in refusal(zipped(tmp_path / "a", (special, b"/etc/passwd")), tmp_path / "new")


def test_encrypted_and_oddly_compressed_zip_members_are_refused(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a", (zipfile.ZipInfo("trap"), b"x"))
    plain = archive.read_bytes()
    index = plain.index(b"PK\x01\x02")
    archive.write_bytes(plain[: index + 8] + b"\x01" + plain[index + 9 :])
    assert "it is encrypted" in refusal(archive, tmp_path / "new")
    (tmp_path / "new").rmdir()
    archive.write_bytes(plain[: index + 10] + b"\x0e" + plain[index + 11 :])
    assert "it is compressed in an uncommon way" in refusal(archive, tmp_path / "new")


def test_sparse_files_are_refused_for_their_map_can_make_tarfile_read_for_ever(tmp_path: Path) -> None:
    sparse = {"GNU.sparse.map": "5,1", "GNU.sparse.size": "9", "GNU.sparse.name": "trap"}
    archive = tgz(tmp_path / "a", (header("x", pax_headers=sparse), b"x"))
    assert "it is a sparse file" in refusal(archive, tmp_path / "new")


def test_a_member_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    archive = tgz(tmp_path / "a", (header("trap", type=b"Z"), b""))
    assert "it is of an unknown kind" in refusal(archive, tmp_path / "new")


def test_a_negative_size_is_refused_before_it_turns_the_reader_back(tmp_path: Path) -> None:
    block = bytearray(header("trap").tobuf(tarfile.GNU_FORMAT))
    block[124:136] = b"\xff" * 10 + (-1024 & 0xFFFF).to_bytes(2, "big")
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    (tmp_path / "a").write_bytes(block + bytes(10240))
    assert "its size is negative" in refusal(tmp_path / "a", tmp_path / "new")


@pytest.mark.parametrize("second", ["wmt/file", "wmt/file/below", "wmt/./file"])
def test_no_member_replaces_another(tmp_path: Path, second: str) -> None:
    archive = tgz(tmp_path / "a", (header("wmt/file"), b"first"), (header(second), b"second"))
    assert "another one is in its place" in refusal(archive, tmp_path / "new")
    assert (tmp_path / "new/wmt/file").read_bytes() == b"first"


def test_a_file_cannot_take_the_place_of_a_folder(tmp_path: Path) -> None:
    archive = tgz(tmp_path / "a", (header("wmt/file"), b"first"), (header("wmt"), b"second"))
    assert "another one is in its place" in refusal(archive, tmp_path / "new")


def test_the_bound_on_bytes_is_exact_and_covers_all_members_together(tmp_path: Path) -> None:
    archive = tgz(tmp_path / "a", (header("one"), bytes(600)), (header("two"), bytes(400)))
    unpack(archive, tmp_path / "fits", max_bytes=1000)
    assert len(tree(tmp_path / "fits")) == 2
    with pytest.raises(
        UnusableArchive, match="the archive: holds more than 999 bytes\n  Nothing was unpacked"
    ):
        unpack(archive, tmp_path / "new", name="the archive", max_bytes=999)
    assert tree(tmp_path / "new") == {"one": bytes(600)}


def test_the_bound_on_members_counts_folders(tmp_path: Path) -> None:
    folders = [(header(f"d{i}", type=tarfile.DIRTYPE), b"") for i in range(4)]
    archive = tgz(tmp_path / "a", *folders)
    unpack(archive, tmp_path / "fits", max_members=4)
    assert len(tree(tmp_path / "fits")) == 4
    with pytest.raises(UnusableArchive, match="holds more than 3 files and folders"):
        unpack(archive, tmp_path / "new", max_members=3)


def test_a_bomb_is_refused_before_a_byte_is_written(tmp_path: Path) -> None:
    huge = 50_000_000
    with tarfile.open(tmp_path / "a", "w:gz", compresslevel=1) as tar:
        tar.addfile(header("bomb", huge), io.BytesIO(bytes(huge)))
    assert (tmp_path / "a").stat().st_size < huge / 100
    assert "holds more than 1,000,000 bytes" in refusal(tmp_path / "a", tmp_path / "new", max_bytes=1_000_000)
    assert tree(tmp_path / "new") == {}


def test_a_zip_bomb_that_lies_about_its_size_gives_no_more_than_it_announced(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a", (zipfile.ZipInfo("bomb"), bytes(3_000_000)))
    honest = (3_000_000).to_bytes(4, "little")
    archive.write_bytes(archive.read_bytes().replace(honest, (1000).to_bytes(4, "little")))
    assert "damaged or cut short (Bad CRC-32" in refusal(archive, tmp_path / "new", max_bytes=2000)
    assert (tmp_path / "new/bomb").stat().st_size <= 1000


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_cannot_make_the_reader_hold_gigabytes(tmp_path: Path, kind: bytes) -> None:
    with gzip.open(tmp_path / "a", "wb", compresslevel=1) as file:
        file.write(header("bomb", 8 * 2**30 - 1, type=kind).tobuf(tarfile.USTAR_FORMAT))
        file.write(bytes(4_000_000))
    message = refusal(tmp_path / "a", tmp_path / "new")
    assert "(more than a header or an end mark can need)" in message


def test_headers_of_headers_end_somewhere(tmp_path: Path) -> None:
    one = header("x", 12, type=tarfile.XHDTYPE).tobuf(tarfile.USTAR_FORMAT) + b"12 comment=a".ljust(
        512, b"\0"
    )
    (tmp_path / "a").write_bytes(one * 1500)
    assert "the archive is damaged or cut short" in refusal(tmp_path / "a", tmp_path / "new")


def test_nothing_may_follow_the_end_of_a_tar_archive_without_bound(tmp_path: Path) -> None:
    with gzip.open(tgz(tmp_path / "a", (header("good"), b"x")), "ab") as file:
        file.write(bytes(4_000_000))
    assert "(more than a header or an end mark can need)" in refusal(tmp_path / "a", tmp_path / "new")


def test_an_archive_that_is_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    whole = tgz(tmp_path / "a", *((header(name), data * 200) for name, data in SMALL)).read_bytes()
    assert len(whole) > 100
    for length in range(2, len(whole), 7):
        (tmp_path / "a").write_bytes(whole[:length])
        with pytest.raises(UnusableArchive, match="the archive is damaged or cut short"):
            unpack(tmp_path / "a", tmp_path / f"new{length}")


def test_a_plain_tar_without_its_end_mark_is_cut_short(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a", "w") as tar:
        tar.addfile(header("one", 512), io.BytesIO(bytes(512)))
        tar.addfile(header("two", 512), io.BytesIO(bytes(512)))
    whole = (tmp_path / "a").read_bytes()
    for blocks in (1, 2, 3, 4):
        (tmp_path / "a").write_bytes(whole[: blocks * 512])
        with pytest.raises(UnusableArchive, match="damaged or cut short"):
            unpack(tmp_path / "a", tmp_path / f"new{blocks}")
    (tmp_path / "a").write_bytes(whole[: 5 * 512])
    unpack(tmp_path / "a", tmp_path / "new")


def test_a_damaged_header_is_not_taken_for_the_end(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a", "w") as tar:
        tar.addfile(header("one", 3), io.BytesIO(b"one"))
        tar.addfile(header("two", 3), io.BytesIO(b"two"))
    data = bytearray((tmp_path / "a").read_bytes())
    data[1024] ^= 1
    (tmp_path / "a").write_bytes(data)
    message = refusal(tmp_path / "a", tmp_path / "new")
    assert message.startswith("the archive: the archive is damaged or cut short (bad checksum)")
    assert message.endswith("Fetch it again, or name another one with --from.")


def test_a_single_flipped_byte_in_the_data_is_noticed(tmp_path: Path) -> None:
    archive = tgz(tmp_path / "a", (header("one"), b"data"))
    data = bytearray(archive.read_bytes())
    data[-6] ^= 1  # in the checksum of gzip, behind the end mark of tar
    archive.write_bytes(data)
    assert "damaged or cut short (CRC check failed" in refusal(archive, tmp_path / "new")


@settings(deadline=None)
@given(data=st.data())
def test_a_damaged_archive_is_unpacked_or_refused_but_never_a_crash(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    if data.draw(st.booleans()):
        zipped(folder / "a", *((zipfile.ZipInfo(name), content) for name, content in SMALL))
    else:
        with tarfile.open(folder / "a", "w") as tar:
            for name, content in SMALL:
                tar.addfile(header(name, len(content), pax_headers={"comment": "x"}), io.BytesIO(content))
    raw = bytearray((folder / "a").read_bytes())
    places = st.integers(0, min(len(raw), 4096) - 1)
    for place, value in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=4)):
        raw[place] = value
    (folder / "a").write_bytes(raw)
    with contextlib.suppress(UnusableArchive):
        unpack(folder / "a", folder / "new", max_bytes=100_000)
    assert {path.name for path in folder.iterdir()} == {"a", "new"}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "an empty file"),
        (b"\xef\xbb\xbf\r\n <!DOCTYPE html><html>", "a web page"),
        (b"<?xml version='1.0'?><Error>", "a web page"),
        (b"SYSTEM\t0.5\n", "not an archive"),
        (b"7z\xbc\xaf\x27\x1c", "not an archive"),
    ],
)
def test_what_is_no_archive_is_called_by_its_name(tmp_path: Path, content: bytes, found: str) -> None:
    (tmp_path / "a").write_bytes(content)
    assert refusal(tmp_path / "a", tmp_path / "new") == (
        f"the archive: found {found}, expected a .tgz, .tar or .zip file\n"
        "  Look at the address in a browser, or name another one with --from."
    )


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_an_archive_without_members_is_refused(tmp_path: Path, kind: str) -> None:
    archive = tgz(tmp_path / "a") if kind == "tar" else zipped(tmp_path / "a")
    assert refusal(archive, tmp_path / "new") == (
        "the archive: the archive is empty\n  Name another one with --from."
    )


def test_messages_name_the_file_unless_told_otherwise(tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(b"no")
    with pytest.raises(UnusableArchive, match=re.escape(f"{tmp_path / 'a.tgz'}: found not an archive")):
        unpack(tmp_path / "a.tgz", tmp_path / "new")


def test_a_zip_index_of_any_length_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = zipped(tmp_path / "a", *((zipfile.ZipInfo(f"file{i}"), b"") for i in range(100)))
    unpack(archive, tmp_path / "fits")
    monkeypatch.setattr("metaeval.io.members._ZIP_INDEX", 1000)
    with pytest.raises(UnusableArchive, match="its index is too long"):
        unpack(archive, tmp_path / "new")


def test_a_zip_member_before_the_start_of_the_file_is_damage(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a", (zipfile.ZipInfo("file"), b"x"))
    data = bytearray(archive.read_bytes())
    data[-6] += 1  # the place of the index, from which zipfile reckons where the members are
    archive.write_bytes(data)
    assert "damaged or cut short (a member lies outside of the file)" in refusal(archive, tmp_path / "new")
