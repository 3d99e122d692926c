"""The doctor: every trap is named with its remedy, and only what prevents grading counts as an obstacle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageError
from grader.study.machine.facts import Facts, gather
from grader.study.machine.findings import Finding, Level, findings, grading_works
from grader.study.machine.folders import Place
from grader.study.machine.mounts import file_system, reports_changes
from grader.study.machine.remedies import MEANINGS
from grader.study.machine.trial import Trial

ROOT = Path(__file__).parents[2]
GOOD_TRIAL = Trial(wall_s=0.5, protections=dict.fromkeys(MEANINGS, True))
GOOD = Facts(
    python="3.12.1",
    executable="/home/me/.venv/bin/python",
    python_on_path="/home/me/.venv/bin/python",
    same_python=True,
    bits=64,
    supported=">=3.11",
    tested=("3.11", "3.12"),
    installed={"headwork": "0.1.0", "jax": "0.10.2", "jaxlib": "0.10.2", "numpy": "2.4.6"},
    required=(
        ("headwork", "jax>=0.6"),
        ("headwork", "jaxlib>=0.6"),
        ("headwork", "numpy>=2.0"),
        ("jax", "jaxlib<=0.10.2,>=0.10.1"),
    ),
    system="linux",
    machine="x86_64",
    kernel="6.8.0-45-generic",
    libc="glibc 2.39",
    translated=False,
    avx=True,
    visual_cpp=True,
    long_paths=True,
    memory_mib={"this machine": 16000},
    variables={},
    encoding="UTF-8",
    terminal=True,
    folder="/home/me/transformers-01",
    file_system="ext4",
    shadowing=(),
    cache=Place("/home/me/.cache/headwork", "", 50_000),
    prepared=1,
    temporary=Place("/tmp", "", 50_000),
    noexec=False,
    trial=GOOD_TRIAL,
)
MAC = {"system": "darwin", "kernel": "24.1.0", "libc": "", "machine": "arm64", "avx": None}
WINDOWS = {"system": "win32", "kernel": "11", "libc": "", "machine": "AMD64"}
WSL = {"kernel": "5.15.153.1-microsoft-standard-WSL2"}
UNCONFINED = replace(GOOD_TRIAL, protections={}, weakness="confinement needs Linux")
BROKEN = Trial(error="the warm worker did not start; is jax installed here? Traceback\nImportError: no such thing")


def installed(**versions: str | None) -> dict[str, Any]:
    changed = {**GOOD.installed, **versions}
    return {"installed": {name: version for name, version in changed.items() if version}}


# What differs from a good machine, whether it can keep a worker from starting, words of the finding, of the remedy.
TRAPS: dict[str, tuple[dict[str, Any], bool, str, str]] = {
    "an old Python": ({"python": "3.10.4"}, True, "3.10.4 is too old", "newer Python"),
    "a new Python": ({"python": "3.13.0rc1"}, False, "newer than 3.12", "use Python 3.12"),
    "a 32-bit Python": ({"bits": 32}, True, "32 bits", "64-bit"),
    "another python": (
        {"same_python": False, "python_on_path": "/usr/bin/python"},
        False,
        "/usr/bin/python",
        "ctivate",
    ),
    "no python": ({"same_python": False, "python_on_path": ""}, False, "no `python`", "/home/me/.venv/bin/python"),
    "no jax": (installed(jax=None), True, "jax is not installed", 'python -m pip install "jax>=0.6"'),
    "no jaxlib": (installed(jaxlib=None), True, "jaxlib is not installed", 'pip install "jaxlib>=0.6"'),
    "an old jax": (installed(jax="0.4.30"), True, "jax 0.4.30", "--upgrade"),
    "another jaxlib": (installed(jaxlib="0.9.0"), True, "jaxlib 0.9.0 does not fit: jax", '--upgrade "jaxlib'),
    "an old numpy": (installed(numpy="1.26.4"), True, "numpy 1.26.4", "--upgrade"),
    "Rosetta": ({**MAC, "machine": "x86_64", "translated": True, "avx": False}, True, "Rosetta", "Apple silicon"),
    "an Intel Mac": ({**MAC, "machine": "x86_64", "avx": True}, True, "darwin on x86_64", "notebook"),
    "Windows on ARM": ({**WINDOWS, "machine": "ARM64", "avx": None}, True, "win32 on ARM64", "x86-64"),
    "no AVX": ({"avx": False}, True, "AVX", "host"),
    "no Visual C++": ({**WINDOWS, "visual_cpp": False}, True, "Visual C++", "Redistributable"),
    "WSL 1": ({"kernel": "4.4.0-19041-Microsoft"}, False, "WSL 1", "wsl --set-version"),
    "a WSL mount": ({**WSL, "file_system": "9p", "folder": "/mnt/c/me"}, False, "9p", "~/"),
    "a network folder": ({"file_system": "nfs4"}, False, "nfs4", "own disk"),
    "long paths": (
        {**WINDOWS, "long_paths": False, "cache": Place("C:\\" + "u" * 80, "", 9000)},
        False,
        "too long",
        "LongPathsEnabled",
    ),
    "OneDrive": ({**WINDOWS, "folder": r"C:\Users\me\OneDrive - School\x"}, False, "OneDrive", "not synchronised"),
    "iCloud": ({**MAC, "folder": "/Users/me/Library/Mobile Documents/x"}, False, "Mobile Documents", "synchronised"),
    "no cache": ({"cache": Place("/c", "Permission denied", 0)}, False, "Permission denied", "HEADWORK_CACHE"),
    "a full cache": ({"cache": Place("/c", "", 3)}, False, "3 MiB free", "HEADWORK_CACHE"),
    "no temporary folder": ({"temporary": Place("/t", "Read-only file system", 0)}, True, "/t", "TMPDIR"),
    "a full temporary folder": ({"temporary": Place("/t", "", 1)}, True, "1 MiB free", "TMPDIR"),
    "noexec": ({"noexec": True}, False, "noexec", "TMPDIR"),
    "a small container": ({"memory_mib": {"the container or job": 512}}, True, "512 MiB", "1024 MiB"),
    "a small ulimit": ({"memory_mib": {"ulimit -v": 2048}}, True, "ulimit -v", "4096 MiB"),
    "variables": ({"variables": {"JAX_ENABLE_X64": "1"}}, False, "JAX_ENABLE_X64", "Unset"),
    "shadows": ({"shadowing": ("jax.py", "numpy.py")}, False, "jax.py, numpy.py", "Rename"),
    "a narrow encoding": ({"encoding": "cp1252"}, False, "cp1252", "PYTHONUTF8=1"),
    "an unknown encoding": ({"encoding": "cp999999"}, False, "cp999999", "PYTHONUTF8=1"),
    "macOS": ({**MAC, "trial": UNCONFINED}, False, "not confined", "Linux"),
    "Windows": ({**WINDOWS, "trial": UNCONFINED}, False, "not confined", "Linux"),
}


def named(found: list[Finding], words: str) -> Finding:
    """The one finding that is no praise and has ``words``."""
    (one,) = [finding for finding in found if words in finding.what and finding.level is not Level.GOOD]
    return one


def test_of_a_good_machine_only_good_is_said_and_the_proof_comes_last():
    found = findings(GOOD)
    assert {finding.level for finding in found} == {Level.GOOD}
    assert found[-1].what == "a worker starts and answers (0.5 s)"
    assert grading_works(found)


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_is_named_with_its_remedy_and_is_no_obstacle_while_a_worker_starts(trap):
    changes, _, what, remedy = TRAPS[trap]
    found = findings(replace(GOOD, **changes))
    assert named(found, what).level is Level.WARNING
    assert remedy in named(found, what).remedy
    if changes.get("system", "linux") == "linux":
        assert len([finding for finding in found if finding.level is not Level.GOOD]) == 1, found
    assert grading_works(found)


@pytest.mark.parametrize("trap", TRAPS)
def test_what_can_keep_a_worker_from_starting_is_an_obstacle_where_none_starts(trap):
    changes, can_be_the_cause, what, _ = TRAPS[trap]
    found = findings(replace(GOOD, **{**changes, "trial": BROKEN}))
    assert named(found, what).level is (Level.OBSTACLE if can_be_the_cause else Level.WARNING)
    assert found[-1].what == "no worker starts: ImportError: no such thing"
    assert ("asked for above" in found[-1].remedy) is can_be_the_cause
    assert not grading_works(found)


@pytest.mark.parametrize("libc", ["", "musl 1.2.5", "glibc 2.17"])
def test_a_libc_without_jaxlib_is_named_only_where_no_worker_starts(libc):
    assert findings(replace(GOOD, libc=libc)) == findings(GOOD)
    assert "image" in named(findings(replace(GOOD, libc=libc, trial=BROKEN)), "glibc").remedy


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("ImportError: DLL load failed while importing _jax: The specified module could not be found.", "vc_redist"),
        ("RuntimeError: This version of jaxlib was built using AVX instructions", "Use another computer"),
        ("ImportError: dlopen(x.so): mach-o file, but is an incompatible architecture (have 'x86_64')", "arm64"),
        ("ImportError: /lib/libm.so.6: version `GLIBC_2.29' not found", "newer container image"),
        ("RuntimeError: jaxlib version 0.5.0 is newer than jax", "python -m pip install --upgrade jax jaxlib"),
        ("ImportError: numpy.core.multiarray failed to import", "install --upgrade numpy"),
        ("MemoryError", "memory limit"),
        ("the temporary folder cannot be written (No space left on device)", "TMPDIR"),
        ("ValueError: something nobody thought of", "python -m pip install --force-reinstall jax"),
    ],
)
def test_what_a_worker_says_that_does_not_start_leads_to_the_remedy(said, remedy):
    proof = findings(replace(GOOD, trial=Trial(error=f"worker: it ended; is jax installed here? Traceback\n{said}\n")))
    assert (proof[-1].level, remedy in proof[-1].remedy) == (Level.OBSTACLE, True)


def test_on_linux_each_missing_protection_is_an_obstacle_with_the_remedy():
    protections = {**GOOD_TRIAL.protections, "sockets": False, "links": False}
    found = findings(replace(GOOD, trial=replace(GOOD_TRIAL, protections=protections)))
    for words in ("opening a network connection", "making links out of its folder"):
        assert (named(found, words).level, "landlock" in named(found, words).remedy) == (Level.OBSTACLE, True)
    weak = findings(replace(GOOD, trial=Trial(weakness="not allowed to raise maximum limit")))
    assert "ulimit" in named(weak, "cannot be confined").remedy


@given(st.lists(st.sampled_from(sorted(TRAPS))), st.sampled_from([GOOD_TRIAL, BROKEN]))
def test_whatever_comes_together_every_trouble_has_a_remedy_and_grading_works_with_a_worker(traps, trial):
    changes = {name: value for trap in traps for name, value in TRAPS[trap][0].items()}
    found = findings(replace(GOOD, **{**changes, "trial": trial}))
    assert all(bool(finding.remedy) is (finding.level is not Level.GOOD) for finding in found)
    assert grading_works(found) is (not trial.error)


@pytest.mark.parametrize("type_name", ["ext4", "apfs", "NTFS", "btrfs", "overlay", "fuseblk", ""])
def test_local_file_systems_report_changes(type_name):
    assert reports_changes(type_name)


@pytest.mark.parametrize("type_name", ["9p", "drvfs", "nfs4", "cifs", "smbfs", "fuse.sshfs", "remote", "NFS"])
def test_remote_file_systems_do_not(type_name):
    assert not reports_changes(type_name)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_the_innermost_file_system_counts():
    assert file_system(Path("/proc/self")) == "proc"


def test_the_facts_of_this_machine_are_found(tmp_path, monkeypatch):
    (tmp_path / "jax.py").touch()
    (tmp_path / "main.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAX_ENABLE_X64", "1")
    monkeypatch.setenv("HEADWORK_CACHE", str(tmp_path / "main.py" / "cache"))
    facts = gather()
    assert facts.shadowing == ("jax.py",)
    assert facts.variables["JAX_ENABLE_X64"] == "1"
    assert facts.cache.problem
    assert not facts.temporary.problem
    assert facts.temporary.free_mib > 0
    assert facts.memory_mib["this machine"] > 0
    assert ("headwork", "jax>=0.6") in facts.required
    assert not [text for _, text in facts.required if "pytest" in text], "extras are not required"
    assert facts.trial.error == ""


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps a folder that someone is in")
def test_a_folder_that_is_gone_is_a_usage_error(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(UsageError, match="this folder is gone; change to another one"):
        gather()


def test_the_command_prints_lines_that_fit_and_the_same_as_json(run_grade):
    shown, data = run_grade("doctor"), run_grade("doctor", "--json")
    assert shown.stderr == data.stderr == ""
    report = json.loads(data.stdout)
    assert shown.returncode == data.returncode == (0 if report["works"] else 1)
    lines = shown.stdout.splitlines()
    assert all(len(line) <= 100 or " " not in line.strip() for line in lines)
    assert all(line[0] in "✓!✗ " and line == line.rstrip() for line in lines)
    assert [line[0] for line in lines if line[0] != " "] == [
        {"good": "✓", "warning": "!", "obstacle": "✗"}[finding["level"]] for finding in report["findings"]
    ]
    assert "a worker starts and answers (" in lines[-1]


@pytest.fixture
def environment_without(tmp_path):
    """Makes an interpreter with all packages of this one, but some replaced or left out."""
    if os.name != "posix":
        pytest.skip("needs links")

    def make(*left_out: str, **replaced: str) -> Path:
        libraries = tmp_path / "libraries"
        libraries.mkdir()
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            name = path.name.partition("-")[0].partition(".")[0]
            if path.name not in replaced and name not in left_out and path.suffix != ".pth":
                (libraries / path.name).symlink_to(path)
        for name, source in replaced.items():
            (libraries / name).mkdir()
            (libraries / name / "__init__.py").write_text(source, encoding="utf-8")
        venv.create(tmp_path / "environment", with_pip=False, symlinks=True)
        packages = sysconfig.get_path("purelib", vars={"base": str(tmp_path / "environment")})
        (Path(packages) / "libraries.pth").write_text(f"{libraries}\n{ROOT}\n", encoding="utf-8")
        return tmp_path / "environment" / "bin" / "python"

    return make


def doctor(python: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "grader.cli.app", "doctor"]
    env = {**os.environ, "COLUMNS": "200", "HEADWORK_CACHE": str(cwd / "cache")}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8", timeout=120)


def test_an_installation_without_jax_is_told_to_install_it(environment_without, tmp_path):
    done = doctor(environment_without("jax", "jaxlib"), tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    for name in ("jax", "jaxlib"):
        assert f"✗ {name} is not installed; headwork needs {name}>=0.6\n" in done.stdout
    assert "✗ no worker starts: ModuleNotFoundError: No module named 'jax'" in done.stdout


def test_a_jax_that_cannot_load_its_library_on_windows_leads_to_the_runtime(environment_without, tmp_path):
    source = 'raise ImportError("DLL load failed while importing _jax: The specified module could not be found.")\n'
    done = doctor(environment_without(jax=source), tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "✗ no worker starts: ImportError: DLL load failed while importing _jax" in done.stdout
    assert "Microsoft Visual C++ Redistributable" in done.stdout
