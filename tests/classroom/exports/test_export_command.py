"""``grade export`` and ``grade package`` over a real gradebook: what they write, say and refuse."""

from __future__ import annotations

import json
import zipfile

import pytest
import typer
from typer.testing import CliRunner

from grader.classroom.gradebook import Facts, Gradebook
from grader.classroom.names import slug
from grader.cli import exporting
from grader.errors import UsageError

CANVAS = (
    "\ufeffStudent,ID,SIS Login ID,Section,transformers-01 (12)\r\n"
    "    Points Possible,,,,31\r\n"
    '"=""Zoë"", Jr.",501,student-001,"A, B",\r\n'
    "002; Student,502,student-002,A,3\r\n"
).encode()


@pytest.fixture
def out(tmp_path, make_graded):
    """What a batch leaves: a gradebook of two students, a page for one."""
    folder = tmp_path / "OUT"
    (folder / "reports").mkdir(parents=True)
    with Gradebook.open(folder / "gradebook.sqlite") as gradebook:
        for one in (
            make_graded("501", '="Zoë", Jr.', passed=3, identity={"user id": "501", "participant id": "41"}),
            make_graded("502", "Student 002"),
        ):
            facts = Facts("transformers-01", one.student, one.name, one.file, one.sha256, one.sha256,
                          identity=one.identity)  # fmt: skip
            gradebook.add(facts, one.report)
    (folder / "reports" / f"{slug('501')}.html").write_text("<p>page</p>", encoding="utf-8")
    return folder


def grade(*args):
    app = typer.Typer()
    app.command("export")(exporting.export)
    app.command("package")(exporting.package)
    done = CliRunner().invoke(app, [str(one) for one in args])
    if isinstance(done.exception, UsageError):
        raise done.exception
    assert done.exception is None, done.output
    return done.stdout


def test_a_canvas_export_comes_back_with_one_column_filled(out, tmp_path):
    mine = tmp_path / "grades.csv"
    mine.write_bytes(CANVAS)
    said = grade("export", "canvas", "--out", out, "--into", mine)
    with Gradebook.read(out) as gradebook:
        score = next(gradebook.best()).score
    expected = CANVAS.replace(b'B",\r\n', f'B",{score}\r\n'.encode()).replace(b",A,3", b",A,0")
    assert (out / "exports" / "canvas.csv").read_bytes() == expected
    assert mine.read_bytes() == CANVAS
    assert "Student 002 (502): 0 instead of 3" in said


def test_a_preview_says_the_same_and_writes_nothing(out, tmp_path):
    mine = tmp_path / "grades.csv"
    mine.write_bytes(CANVAS)
    preview = grade("export", "canvas", "--out", out, "--into", mine, "--dry-run")
    assert not (out / "exports").exists()
    done = grade("export", "canvas", "--out", out, "--into", mine)
    assert preview.replace("would write", "written") == done


def test_a_moodle_worksheet_comes_back_with_the_feedback_beside_it(out, tmp_path):
    mine = tmp_path / "Grades.csv"
    mine.write_bytes('Identifier,Full name,Grade,Last modified (grade)\nParticipant 41,"=""Zoë"", Jr.",,-\n'.encode())
    said = grade("export", "moodle", "--out", out, "--into", mine, "--to", tmp_path / "there")
    with zipfile.ZipFile(tmp_path / "there" / "feedback.zip") as archive:
        assert archive.namelist() == ["=Zoë, Jr_41_assignsubmission_file_/feedback.html"]
    assert "Student 002 (502): no row has this id or name" in said


@pytest.mark.parametrize("kind", ["junit", "github", "lti", "gradescope"])
def test_the_others_need_nothing_but_the_folder(out, kind):
    said = grade("export", kind, "--out", out)
    assert "2 grades" in said
    assert [path for path in (out / "exports").rglob("*") if path.is_file()]


def test_the_instructors_file_is_never_overwritten(out):
    mine = out / "exports" / "canvas.csv"
    mine.parent.mkdir()
    mine.write_bytes(CANVAS)
    with pytest.raises(UsageError, match="would be overwritten by the copy; name another folder with --to"):
        grade("export", "canvas", "--out", out, "--into", mine)
    assert mine.read_bytes() == CANVAS


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["canvas"], "grade export: no folder; name the one that grade batch wrote with --out"),
        (["canvas", "--out", "OUT"], "grade export canvas: fills a file of yours; name it with --into"),
        (["lti", "--out", "OUT", "--into", "x"], "grade export lti: fills no file; leave out --into"),
        (["junit", "--out", "OUT", "--points", "10"], "grade export junit: carries points of its own"),
        (["lti", "--out", "OUT", "--points", "ten"], "--points ten: not a number of points"),
        (["lti", "--out", "OUT", "--lesson", "nothing"], "no gradings of nothing"),
        (["lti", "--out", "EMPTY"], "no gradebook; name the folder that grade batch wrote with --out"),
        (["canvas", "--out", "OUT", "--into", "missing.csv"], "missing.csv: no such file"),
        (["canvas", "--report", "x.json"], "not made of a single report"),
        (["github", "--report", "x.json"], "x.json: not a report"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_remedy(out, tmp_path, args, message):
    (tmp_path / "EMPTY").mkdir()
    (tmp_path / "x.json").write_text('{"score": []}', encoding="utf-8")
    places = {"OUT": out, "EMPTY": tmp_path / "EMPTY", "x.json": tmp_path / "x.json"}
    with pytest.raises(UsageError) as caught:
        grade("export", *(places.get(one, one) for one in args))
    assert message in str(caught.value)


def test_a_single_report_is_turned_into_what_gradescope_and_github_read(make_graded, tmp_path):
    graded = make_graded(passed=2)
    (tmp_path / "report.json").write_text(json.dumps(graded.report), encoding="utf-8")
    assert json.loads(grade("export", "gradescope", "--report", tmp_path / "report.json"))["score"] == graded.score
    assert grade("export", "github", "--report", tmp_path / "report.json").startswith("result=")


def test_packages_are_written_where_they_are_wanted(tmp_path):
    assert "Configure Autograder" in grade("package", "gradescope", "transformers-01", tmp_path / "a.zip")
    assert zipfile.is_zipfile(tmp_path / "a.zip")
    grade("package", "github", "transformers-01", tmp_path / "template", "--install", "headwork==1.2")
    assert "headwork==1.2" in (tmp_path / "template/.github/workflows/classroom.yml").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="has the grader inside"):
        grade("package", "gradescope", "transformers-01", tmp_path / "a.zip", "--install", "x")
