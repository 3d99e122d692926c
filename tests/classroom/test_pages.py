"""The pages as text: what they say, what they never say, and that nothing of a submission becomes markup."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from graded_examples import SEED, graded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.classroom.names import slug
from grader.classroom.nouns import LeftOut
from grader.classroom.pages.course import class_page
from grader.classroom.pages.feedback import feedback_page
from grader.grading import report_without_run
from grader.model import Verdict
from grader.reporting.rendering import shown

ROOT = Path(__file__).parents[2]
ODD = "<script>alert(1)</script> \"><img src=x onerror=alert(1)> '{{ 7*7 }}' &amp; </pre></details>"


class Reader(HTMLParser):
    """The tags, ids, links and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.text += " " if tag in ("td", "th", "p", "li") else ""
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data):
        self.text += data


def words(page: str) -> str:
    return " ".join(Reader(page.partition("<body>")[2]).text.split())


@pytest.fixture(scope="module")
def feedback(example_class, lesson) -> dict[str, str]:
    return {student: feedback_page(one, lesson) for student, one in example_class.items()}


@pytest.fixture(scope="module")
def course(example_class, lesson) -> str:
    return class_page(list(example_class.values()), lesson)


def with_texts(one, text):
    """``one`` with ``text`` wherever a submission or its file can put some."""
    outcomes = [
        {**each, "message": text if each["verdict"] != "pass" else "", "title": each["title"]}
        for each in one.report["outcomes"]
    ]
    events = [{"line": 3, "kind": "raised", "message": text}, {"line": None, "kind": "note", "message": text}]
    report = {**one.report, "outcomes": outcomes, "events": events, "stdout": text, "stderr": text}
    return replace(one, report=report, name=text, file=f"folder/{text}")


def test_a_page_needs_nothing_from_elsewhere_and_runs_no_script(feedback, course):
    for page in (*feedback.values(), course):
        reader = Reader(page)
        assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in reader.tags}
        assert not [link for link in reader.links if not re.fullmatch(r"#[\w.-]+|reports/[\w.-]+\.html", link)]
        assert not [name for _, names in reader.tags for name in names if name.startswith("on")]
        assert "url(" not in page and "@import" not in page


def test_a_page_has_a_language_one_heading_of_the_first_level_landmarks_and_unique_ids(feedback, course):
    for page in (*feedback.values(), course):
        reader = Reader(page)
        tags = [tag for tag, _ in reader.tags]
        assert '<html lang="en">' in page
        assert [tags.count(tag) for tag in ("h1", "main", "header", "footer", "title")][:4] == [1, 1, 1, 1]
        assert len(set(reader.ids)) == len(reader.ids)


def test_feedback_says_neither_the_seed_nor_a_path_nor_another_student_nor_code_of_the_lesson(feedback, lesson):
    code = {
        line.strip()
        for path in (*lesson.folder.glob("*.py"), lesson.solution)
        for line in path.read_text(encoding="utf-8").splitlines()
        if len(line.strip()) > 24 and "=" in line
    }
    for student, page in feedback.items():
        assert str(SEED) not in page
        assert not [folder for folder in (str(ROOT), "/tmp/", "/root", "/home") if folder in page]
        assert not [other for other in feedback if other != student and other in page]
        assert not [line for line in code if line in unescape(page)]


def test_the_first_failing_check_is_told_in_full(feedback, example_class):
    outcome = next(one for one in example_class["s005"].report["outcomes"] if one["verdict"] == "fail")
    page = words(feedback["s005"])
    for part in (
        outcome["title"],
        outcome["message"],
        "softmax over the queries (axis 0)",
        *outcome["diagnosis"][0]["hints"],
    ):
        assert part in page
    assert "9 of 31 points" in page
    assert "grade lesson transformers-01" in page


def test_of_three_hints_the_first_is_open_and_two_are_folded(feedback, example_class):
    outcome = next(one for one in example_class["s005"].report["outcomes"] if one["verdict"] == "fail")
    page = re.sub(r"<details>.*?</details>", "", unescape(feedback["s005"]), flags=re.DOTALL)
    assert [hint in page for hint in outcome["diagnosis"][0]["hints"]] == [True, False, False]


def test_both_mistakes_of_a_pair_are_named(feedback):
    assert "no scale: scores not divided by √Dk" in feedback["s008"]
    assert "missing maximum: max not subtracted before the exponential" in feedback["s008"]


def test_the_witness_can_be_typed_again(feedback, example_class):
    witness = next(one["witness"] for one in example_class["s005"].report["outcomes"] if one["verdict"] == "fail")
    block = re.search(r"<pre>(q = .*?)</pre>", feedback["s005"], re.DOTALL)[1]
    typed = dict(line.split(" = ", 1) for line in block.splitlines())
    assert list(typed) == ["q", "k", "v", "right", "yours"]
    for name, array in witness["inputs"].items():
        np.testing.assert_allclose(ast.literal_eval(typed[name]), array, rtol=1e-5)


def test_a_file_that_cannot_be_read_is_told_with_its_line_and_reason_alone(feedback):
    page = words(feedback["s012"])
    assert "main.py cannot be read: line 19" in page
    assert "'(' was never closed" in page
    assert "Start here" not in page


def test_an_unfinished_submission_hears_what_is_proved_and_what_is_still_to_write(feedback):
    page = words(feedback["s010"])
    assert "scores are scaled by √Dk, whatever Dk is" in page
    assert "Exercise 1: make it yours: order, paired, mismatched" in page


def test_the_graders_own_failure_shows_no_points(lesson):
    report = report_without_run(lesson, Verdict.INTERNAL, "the worker died", path="/x/y", sha256="0" * 64, seed=SEED)
    page = words(feedback_page(graded("s001", report), lesson))
    assert "no fault of yours" in page
    assert "Start here" not in page and "of 31 points" not in page


def test_printed_markup_and_a_printed_report_stay_text(feedback):
    assert "<script>alert('graded')</script> <b>31 of 31 points</b>" in words(feedback["s017"])
    assert "22 of 31 points" in words(feedback["s017"])


@given(text=st.text(max_size=200).map(lambda text: ODD + text))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_submission_says_the_page_keeps_its_tags_and_can_be_written(example_class, lesson, text):
    for student in ("s005", "s012"):
        plain, odd = (feedback_page(with_texts(example_class[student], each), lesson) for each in ("x", text))
        assert Reader(odd).tags == Reader(plain).tags
        odd.encode("utf-8")
    plain, odd = (class_page([with_texts(example_class["s012"], each)], lesson) for each in ("x", text))
    assert Reader(odd).tags == Reader(plain).tags
    odd.encode("utf-8")


@pytest.mark.parametrize("student", ['="Zoë", Jr.', "a<b>&c", "..", "学生", "\udcff", "X" * 300])
def test_odd_student_keys_lead_to_their_own_row_and_report(example_class, lesson, student):
    page = class_page([replace(example_class["s005"], student=student)], lesson)
    reader = Reader(page)
    assert f"reports/{slug(student)}.html" in reader.links
    assert f"student-{slug(student)}" in reader.ids
    page.encode("utf-8")


@given(st.text())
def test_shown_text_holds_no_control_no_change_of_direction_and_no_half_character(text):
    kept = shown(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", kept)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('File "/tmp/tmpab12/main.py", line 3', 'File "…/main.py", line 3'),
        (r"C:\Users\x\work\main.py: no", "…/main.py: no"),
        ("see https://example.org/a/b/c", "see https://example.org/a/b/c"),
        ("1/√4 = 0.5 and a/b/c", "1/√4 = 0.5 and a/b/c"),
        ("\x1b[31mred", "\u241b[31mred"),
    ],
)
def test_shown_text_keeps_names_of_files_without_their_folders(text, kept):
    assert shown(text) == kept


def test_every_link_of_the_class_page_leads_somewhere(course, example_class):
    reader = Reader(course)
    assert {link[1:] for link in reader.links if link.startswith("#")} <= set(reader.ids)
    reports = {f"reports/{slug(student)}.html" for student in example_class}
    assert {link for link in reader.links if link.startswith("reports/")} == reports


def test_the_misconceptions_lead_to_the_students_who_show_them_the_most_frequent_first(course):
    rows = re.findall(r'<tr id="mistake-([\w-]+)">(.*?)</tr>', course, re.DOTALL)
    assert rows[0][0] == "no-scale"
    assert re.findall(r'href="#student-(\w+)"', rows[0][1]) == ["s006", "s008", "s017"]
    counts = [int(re.search(r'<td class="n">(\d+)</td>', row)[1]) for _, row in rows]
    assert counts == sorted(counts, reverse=True)


def test_the_table_in_words_says_what_every_check_came_to(course, example_class, lesson):
    table = re.search(r'<table class="grid-table">(.*?)</table>', course, re.DOTALL)[1]
    rows = re.findall(r'<tr><th scope="row">(\w+)</th>(.*?)</tr>', table, re.DOTALL)
    assert {student for student, _ in rows} == set(example_class)
    for student, row in rows:
        outcomes = [one["verdict"] for one in example_class[student].report["outcomes"] if one["max_points"]]
        assert re.findall("<td>(.*?)</td>", row) == outcomes


def test_the_class_page_lists_what_needs_attention(example_class, lesson):
    left_out = [LeftOut("notes<b>.txt", "neither Python nor a notebook")]
    page = words(class_page(example_class.values(), lesson, left_out=left_out, missing=["s019"]))
    assert "1 student of the roster without a submission s019" in page
    assert "notes<b>.txt neither Python nor a notebook" in page
    assert "s012 line 19: SyntaxError: '(' was never closed 0" in page
    assert "the notebook's JSON breaks off" in page


def test_the_course_seed_and_machine_paths_are_not_on_the_class_page(course):
    assert str(SEED) not in course
    assert str(ROOT) not in course


def test_times_are_those_given(example_class, lesson):
    page = words(class_page(example_class.values(), lesson, timing=dict.fromkeys(example_class, 77.25)))
    assert "median 77.2 s" in page


def test_three_hundred_students_fit_on_a_page_and_are_read_once(example_class, lesson):
    base = list(example_class.values())
    many = (replace(base[n % len(base)], student=f"s{n:03}") for n in range(300))
    page = class_page(many, lesson)
    assert len(page.encode()) < 2_000_000
    assert len(set(re.findall(r'id="student-(\w+)"', page))) == 300


def test_an_empty_class_has_a_page(lesson):
    page = words(class_page([], lesson))
    assert "Nobody has a score yet." in page and "Nothing is graded yet" in page
