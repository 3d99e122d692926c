"""Commands that ask: predict, quiz."""

from __future__ import annotations

import difflib
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader import lesson as lessons
from grader.cli.asking import Ended, ask_line, ask_option
from grader.cli.console import console
from grader.cli.lesson_ids import LessonIdOrHere, here_or_last, whole
from grader.errors import UsageError

if TYPE_CHECKING:  # NumPy comes with it
    from grader.study.material import Option, Prediction, Question


def predict(
    lesson_id: LessonIdOrHere = None,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One prediction; else all still to make.")] = None,
) -> None:
    """Ask the lesson's predictions and record them, before the answer can be seen."""
    from grader.study.material import read_material
    from grader.study.predicting.predictions import open_predictions
    from grader.study.progress.record import read_progress

    lesson_id = here_or_last(lesson_id).lesson_id
    folder, kept = lessons.find_lesson(lesson_id), read_progress().lesson(lesson_id)
    material = read_material(folder)
    screen, beside = console(), f"Graded beside what happens: grade lesson {lesson_id}"
    todo: Sequence[Prediction] = open_predictions(material, kept)
    if name is not None:
        names = [one.name for one in material.predictions]
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1)
            raise UsageError(f"{name}: no prediction of {lesson_id}; {_meant(close) or 'it has ' + ', '.join(names)}")
        if name in kept.predictions:
            made = kept.predictions[name]
            screen.print(Text(f"You predicted {made.text} at {made.at}. That stays as it is. {beside}"))
            return
        todo = [one for one in todo if one.name == name]
    if not todo:
        screen.print(Text(f"All {len(material.predictions)} predictions are made. {beside}"))
        return
    count = f"{len(todo)} predictions" if len(todo) > 1 else "1 prediction"
    screen.print(Text(f"{count} to make: what you expect, then in one sentence why. Enter alone skips either."))
    screen.print(Text("Ctrl-D ends. What is recorded cannot be changed."))
    section, before = "", len(open_predictions(material, kept))
    try:
        for one in todo:
            if one.section != section:
                section = one.section
                screen.print(Text(f"\n{section}", style="bold"))
            _asked(one, folder, screen)
    except Ended:
        pass
    left = len(open_predictions(material, read_progress().lesson(lesson_id)))
    screen.print(Text(f"\n{before - left} recorded, {left} still to make. {beside}"))


def _meant(close: Sequence[str]) -> str:
    return f"did you mean {close[0]}?" if close else ""


def _asked(prediction: Prediction, folder: Path, screen: Console) -> None:
    """Ask one prediction until it is recorded or skipped. Raises Ended."""
    from grader.study.predicting.predictions import record, understood
    from grader.study.predicting.typed_numbers import NotUnderstood

    screen.print()
    screen.print(Text(prediction.question))
    for number, option in enumerate(prediction.options, 1):
        screen.print(Padding(Text(f"{number}  {option}"), (0, 0, 0, 2)))
    while typed := ask_line("your prediction: ", screen):
        try:
            text = understood(prediction, typed, folder)
        except NotUnderstood as error:
            screen.print(Text(f"not recorded: {error}", style="yellow"))
            continue
        try:
            reason = ask_line("why, in one sentence: ", screen)
        except Ended:
            record(folder, prediction.name, text=text, reason="")
            raise
        if record(folder, prediction.name, text=text, reason=reason).text != text:
            screen.print(Text("It was predicted in another terminal meanwhile; that one stays.", style="yellow"))
        return


def quiz(
    lesson_id: Annotated[
        str | None, typer.Argument(metavar="ID", callback=whole, help="The lesson; else all that you have begun.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Ask every question, not only those that are due.")] = False,
) -> None:
    """Ask the lesson's questions, with reasons; wrong ones come back, right ones later and later."""
    from grader.study.material import read_material
    from grader.study.progress.record import read_progress
    from grader.study.quiz import due, keep

    progress, today, screen = read_progress(), date.today(), console()
    ids = [lesson_id] if lesson_id else [one for one in lessons.lesson_ids() if one in progress.lessons]
    if not ids:
        raise UsageError("no lesson is begun here; name one: grade quiz ID, see: grade list")
    known = {one: read_material(lessons.find_lesson(one)).quiz for one in ids}
    asked = deque(
        (one, question)
        for one in ids
        for question in (known[one] if every else due(known[one], progress.lesson(one).quiz, today))
    )
    total, right_at_once, seen = len(asked), 0, set[tuple[str, str]]()
    if total:
        screen.print(Text(f"{total} {'questions' if total > 1 else 'question'}. q or Ctrl-D ends; answers are kept."))
    try:
        while asked:
            one, question = asked.popleft()
            chosen = _answered(one, question, screen, named=len(ids) > 1)
            if chosen is None:
                continue
            keep(one, question.name, chosen, today=today)
            right_at_once += chosen.right and (one, question.name) not in seen
            seen.add((one, question.name))
            if not chosen.right:
                asked.append((one, question))
    except Ended:
        pass
    if seen:
        screen.print(Text(f"\n{right_at_once} of {len(seen)} right at once.", style="bold"))
    screen.print(Text(_coming_back(known, today)))


def _answered(lesson_id: str, question: Question, screen: Console, *, named: bool) -> Option | None:
    """Ask one question and say why; the answer, None if it was skipped. Raises Ended."""
    from grader.study.progress.record import Answered, read_progress
    from grader.study.quiz import shuffled

    before = read_progress().lesson(lesson_id).quiz.get(question.name, Answered())
    options = shuffled(question, before)
    screen.print(Text(f"\n{f'{lesson_id} · ' if named else ''}{question.section}", style="dim"))
    screen.print(Text(question.question, style="bold"))
    for number, option in enumerate(options, 1):
        screen.print(Padding(Text(f"{number}  {option.text}"), (0, 0, 0, 2)))
    number_chosen = ask_option(len(options), screen)
    if number_chosen is None:
        return None
    chosen = options[number_chosen]
    screen.print(Text.assemble(("✓ right. ", "green") if chosen.right else ("✗ not so. ", "red"), chosen.reason))
    if not chosen.right:
        number, right = next((n, option) for n, option in enumerate(options, 1) if option.right)
        screen.print(Text(f"right is {number}: {right.text}", style="green"))
        screen.print(Text(right.reason))
    return chosen


def _coming_back(known: Mapping[str, Sequence[Question]], today: date) -> str:
    """When which questions come back, the nearest days first."""
    from grader.study.progress.record import read_progress
    from grader.study.quiz import coming_back, due

    progress = read_progress()
    kept = [(questions, progress.lesson(one).quiz) for one, questions in known.items()]
    now = sum(len(due(questions, answered, today)) for questions, answered in kept)
    days = sum((coming_back(questions, answered, today) for questions, answered in kept), Counter[str]())
    later = ", ".join(f"{count} on {day}" for day, count in sorted(days.items()))
    return f"Due now: {now}. Coming back: {later or 'none yet'}."
