"""A submission that reads everything it can find meets no secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from corpus import LIMITS, Place, composed, place, problems_of

from grader.model import Lesson, Report, Verdict

# Reads for a while, from the folders that it may be expected to know and from the secrets themselves.
WALK = r"""
import os, re, sys, time
wanted, end = re.compile(rb"canary-[0-9a-f]{8}|AT_LARGE_SCORE[S]|rows_sum_to_on[e]"), time.monotonic() + 8
def walk(start):
    files = 0
    for folder, folders, names in os.walk(start, onerror=lambda error: None):
        for name in names:
            if time.monotonic() > end:
                return files
            path = os.path.join(folder, name)
            try:
                if os.path.isfile(path) and os.path.getsize(path) < 1 << 20:
                    with open(path, "rb") as stream:
                        content = stream.read(1 << 20)
                    files += 1
                    if wanted.search(content):
                        print("BREACH:", path)
            except OSError:
                pass
    return files
top = ["/", *(f"/{name}" for name in "bin boot dev etc home lib lib32 lib64 media mnt opt proc root run sbin srv sys tmp usr var work workspace app data".split())]
def listable(folder):
    try:
        return bool(os.listdir(folder))
    except OSError:
        return False
print("listable:", *(folder for folder in top if listable(folder)))
places = {PLACES}
for start in [*places, *(os.path.dirname(place) for place in places), ".", "..", os.path.expanduser("~root"), *top]:
    print("read", walk(start), "files in", start)
homes = {os.path.dirname(getattr(module, "__file__", None) or ".") for module in list(sys.modules.values())}
print("read", sum(walk(start) for start in [*sys.path, *sorted(homes)]), "files of libraries")
if any(wanted.search(f"{name}={value}".encode()) for name, value in os.environ.items()):
    print("BREACH: the environment")
"""


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, lesson: Lesson) -> Iterator[Place]:
    with place(tmp_path_factory.mktemp("ground"), lesson) as made:
        yield made


@pytest.fixture(scope="module")
def walked(ground: Place, solution: str) -> Report:
    attack = WALK.replace("{PLACES}", repr([str(path) for path in ground.secrets.values()]))
    limits = replace(LIMITS, run_s=20, total_s=60, cpu_s=60)
    return ground.grade("walker", composed(attack, solution, {}), limits)


def test_a_walk_over_all_files_meets_no_canary(ground: Place, walked: Report) -> None:
    assert problems_of(walked, ground.lesson, ground.canary) == []
    assert (walked.verdict, walked.events, walked.stderr) == (Verdict.PASS, (), "")


def test_the_walk_read_what_it_may_and_none_of_the_secrets(ground: Place, walked: Report) -> None:
    read = {
        where: int(count) for count, where in re.findall(r"^read (\d+) files in (.*)$", walked.stdout, re.MULTILINE)
    }
    for path in ground.secrets.values():
        assert (read[str(path)], read[str(path.parent)]) == (0, 0)
    assert read["."] == 2  # data.txt and main.py; the links and the pipe were not copied
    libraries = re.search(r"^read (\d+) files of libraries", walked.stdout, re.MULTILINE)
    assert libraries and int(libraries[1]) > 100


def test_no_folder_at_the_top_can_be_listed_but_the_loader_s(walked: Report) -> None:
    listable = re.search(r"^listable:(.*)$", walked.stdout, re.MULTILINE)
    assert listable
    assert set(listable[1].split()) <= {"/lib64"}
