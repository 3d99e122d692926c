"""Zips that strangers made."""

from __future__ import annotations

import stat
import struct
import zipfile

import pytest
from builders import MAIN, encrypted, member, of, raw_named, reasons, students, taken, zip_bytes, zipped
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.classroom.intake.limits import Limits, refused_member, refused_whole
from grader.classroom.intake.tree import Listing
from grader.classroom.intake.unzip import unzip, write_member
from grader.errors import UsageError

GOOD = ("s001/main.py", MAIN)
MANY_ZEROS = bytes(8 * 1024 * 1024)


def everything_below(folder):
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "name",
    ["../evil.py", "s002/../../evil.py", "/tmp/evil.py", "C:/evil.py", "C:evil.py", "..\\evil.py", "s002/.. /evil.py"],
)
def test_a_name_that_leads_out_is_refused_and_listed(tmp_path, name):
    box = tmp_path / "box"
    box.mkdir()
    source = zipped(tmp_path / "c.zip", [GOOD, (name, b"evil")])
    intake = taken(source, box)
    assert students(intake) == ["s001"]
    (reason,) = [why for file, why in reasons(intake).items() if "evil" in file]
    assert reason == "leads out of the zip; refused"
    assert everything_below(tmp_path) - everything_below(box) == {source}
    assert not any(path.read_bytes() == b"evil" for path in everything_below(box))


@given(st.lists(st.tuples(st.text(max_size=12), st.binary(max_size=20)), max_size=6))
@settings(max_examples=60, deadline=None)
def test_whatever_the_names_are_nothing_lands_outside(tmp_path_factory, entries):
    tmp_path = tmp_path_factory.mktemp("names")
    box = tmp_path / "box"
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        for number, (name, content) in enumerate(entries):
            archive.writestr(member(f"{name.replace(chr(0), '/')}-{number}"), content)
    listing = Listing()
    unzip(tmp_path / "c.zip", box / "in", above=(), limits=Limits(files=10, total_mib=1), listing=listing)
    assert everything_below(tmp_path) == everything_below(box) | {tmp_path / "c.zip"}
    assert all(path.name.isdigit() for path in everything_below(box))
    assert all(file.path == "/".join(parts) for parts, file in listing.files)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_in_a_zip_are_refused_and_the_student_is_seen(tmp_path, kind):
    source = zipped(tmp_path / "c.zip", [GOOD, (member("s002/main.py", mode=kind | 0o777), b"/etc/passwd")])
    intake = taken(source, tmp_path)
    assert "refused" in reasons(intake)["s002/main.py"]
    assert (reasons(intake)["s002/main.py"] == "a link; refused") == (kind == stat.S_IFLNK)
    with pytest.raises(UsageError, match=r"s002: main.py: .*refused"):
        of(intake, "s002").read()


def test_a_bomb_in_the_source_is_one_files_fault(tmp_path):
    source = zipped(tmp_path / "c.zip", [GOOD, ("s002/main.py", MANY_ZEROS), ("s003/main.py", MAIN)])
    intake = taken(source, tmp_path)
    assert of(intake, "s003").read().source == MAIN
    with pytest.raises(UsageError, match="looks like a zip bomb"):
        of(intake, "s002").read()
    assert all(path.stat().st_size < 1024 * 1024 for path in everything_below(tmp_path))


def test_a_bomb_that_a_student_handed_in_is_that_students_fault(tmp_path):
    source = zipped(tmp_path / "c.zip", [GOOD, ("s002/hw.zip", zip_bytes({"main.py": MANY_ZEROS}))])
    with pytest.raises(UsageError, match="looks like a zip bomb"):
        of(taken(source, tmp_path), "s002").read()


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(files=2, total_mib=100), "holds 3 files, more than 2"),
        (Limits(files=9, total_mib=1), "unpacks to 8 MiB, more than 1 MiB"),
    ],
)
def test_a_zip_is_refused_by_what_it_declares_before_a_byte_is_written(tmp_path, limits, reason):
    zipped(tmp_path / "c.zip", {"a": MANY_ZEROS, "b": b"", "c": b""})
    with pytest.raises(UsageError, match=reason):
        unzip(tmp_path / "c.zip", tmp_path / "in", above=(), limits=limits, listing=Listing())
    assert not (tmp_path / "in").exists()


def test_a_zip_that_lies_about_its_size_is_stopped_while_it_is_unpacked(tmp_path):
    source = zipped(tmp_path / "c.zip", {"s001/main.py": MAIN, "s002/main.py": MANY_ZEROS})
    raw = bytearray(source.read_bytes())
    for signature, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = raw.rindex(signature) + at
        raw[start : start + 4] = struct.pack("<I", 1000)
    source.write_bytes(bytes(raw))
    intake = taken(source, tmp_path)
    assert of(intake, "s001").read().source == MAIN
    with pytest.raises(UsageError, match="broken in the zip"):
        of(intake, "s002").read()
    assert all(path.stat().st_size < 1024 * 1024 for path in everything_below(tmp_path))


def test_the_bytes_of_all_files_together_are_counted(tmp_path):
    zipped(tmp_path / "c.zip", {"a": b"x" * 700_000, "b": b"y" * 700_000})
    with zipfile.ZipFile(tmp_path / "c.zip") as archive:
        members = archive.infolist()
    assert refused_whole(members, Limits(files=2, total_mib=1))
    assert not refused_whole(members, Limits(files=2, total_mib=2))


@pytest.mark.parametrize(
    ("limits", "left", "reason"),
    [
        (Limits(files=1, total_mib=100, ratio=1000), 3_000_000, "the zip unpacks to more than it may"),
        (Limits(files=1, total_mib=100, ratio=1000), 9_000_000, "unpacks to more than 1000 times"),
        (Limits(files=1, total_mib=100, file_mib=1), 9_000_000, "larger than 1 MiB"),
    ],
)
def test_bytes_are_counted_while_they_are_written_and_none_stay(tmp_path, limits, left, reason):
    with zipfile.ZipFile(zipped(tmp_path / "c.zip", {"a": MANY_ZEROS})) as archive:
        size, fault = write_member(archive, archive.infolist()[0], tmp_path / "a", limits=limits, left=left)
    assert (size, (tmp_path / "a").exists()) == (0, False)
    assert reason in fault


def test_text_may_pack_well_and_bombs_may_not():
    limits = Limits(files=1, total_mib=100)
    assert refused_member(2_000_000, 2_000, limits) == ""
    assert refused_member(20_000_000, 1_000_000, limits) == ""
    assert "more than 200 times" in refused_member(20_000_000, 20_000, limits)
    assert refused_member(100_000_000, 90_000_000, limits) == "larger than 64 MiB; no submission is"


def test_an_encrypted_source_is_refused_and_an_encrypted_student_is_one_students_fault(tmp_path):
    inner = encrypted(tmp_path / "inner.zip", "main.py")
    with pytest.raises(UsageError, match=r"inner\.zip: an encrypted zip; unpack it with its password first"):
        taken(inner, tmp_path)
    intake = taken(zipped(tmp_path / "c.zip", [GOOD, ("s002/hw.zip", inner.read_bytes())]), tmp_path)
    assert of(intake, "s001").read().source == MAIN
    with pytest.raises(UsageError, match="an encrypted zip"):
        of(intake, "s002").read()


@pytest.mark.parametrize("cut", [1, 30, 100])
def test_a_cut_download_is_said(tmp_path, cut):
    whole = zip_bytes(dict([GOOD]))
    (tmp_path / "c.zip").write_bytes(whole[:-cut])
    with pytest.raises(UsageError, match=r"c\.zip: a broken zip .*; download it again"):
        taken(tmp_path / "c.zip", tmp_path)


def test_a_damaged_file_in_a_zip_is_one_students_fault(tmp_path):
    source = raw_named(tmp_path / "c.zip", [(b"s001/main.py", MAIN), (b"s002/main.py", b"damaged = 1\n")])
    source.write_bytes(source.read_bytes().replace(b"damaged = 1", b"damaged = 2"))
    intake = taken(source, tmp_path)
    assert of(intake, "s001").read().source == MAIN
    with pytest.raises(UsageError, match="broken in the zip"):
        of(intake, "s002").read()


@pytest.mark.parametrize("encoding", ["utf-8", "cp437"])
def test_names_without_the_flag_are_read_as_they_were_written(tmp_path, encoding):
    source = raw_named(tmp_path / "c.zip", [("Zoë 001/main.py".encode(encoding), MAIN), (b"s002/main.py", MAIN)])
    assert students(taken(source, tmp_path)) == ["Zoë 001", "s002"]


def test_backslashes_of_old_windows_tools_separate(tmp_path):
    source = raw_named(tmp_path / "c.zip", [(b"s001\\main.py", MAIN), (b"s002\\main.py", MAIN)])
    assert students(taken(source, tmp_path)) == ["s001", "s002"]


def test_a_zip_three_deep_is_left_to_the_instructor(tmp_path):
    deep = zip_bytes({"deeper.zip": zip_bytes({"main.py": MAIN})})
    intake = taken(zipped(tmp_path / "c.zip", [GOOD, ("s002/hw.zip", deep)]), tmp_path)
    assert "unpack it by hand" in reasons(intake)["s002/hw.zip/deeper.zip"]
    with pytest.raises(UsageError, match="a zip in a zip in a zip"):
        of(intake, "s002").read()


def test_a_name_that_comes_twice_is_said(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        source = zipped(tmp_path / "c.zip", [("s001/main.py", b"n = 1\n"), ("s001/main.py", b"n = 2\n")])
    intake = taken(source, tmp_path)
    assert of(intake, "s001").read().source == b"n = 2\n"
    assert reasons(intake) == {"s001/main.py": "twice in the zip; the later one was taken"}


def test_folders_without_end_are_left_out(tmp_path):
    deep = "/".join(["d"] * 2000)
    intake = taken(zipped(tmp_path / "c.zip", [GOOD, (f"{deep}/main.py", MAIN)]), tmp_path)
    assert students(intake) == ["s001"]
    assert list(reasons(intake).values()) == ["more than 40 folders deep"]


@pytest.mark.parametrize("piece", ["d/", " ", "main-1 ", "_1", "("], ids=repr)
def test_names_as_long_as_the_format_allows_cost_nothing(tmp_path, piece):
    long = (piece * 65_000)[:60_000]
    intake = taken(zipped(tmp_path / "c.zip", [GOOD, *((f"{long}{n}/main.py", MAIN) for n in range(50))]), tmp_path)
    assert students(intake) == ["s001"]
    assert all(len(each.file) < 300 for each in intake.left_out)
