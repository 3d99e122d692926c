"""The report as a learner reads it in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from grader.model import Lesson, Outcome, Report, Verdict, Witness
from grader.reporting.view import MARKS, file_name, happenings, in_the_way, proved, trouble, unwritten, witness_lines

STYLES = {
    Verdict.PASS: "green",
    Verdict.FAIL: "red",
    Verdict.ERROR: "red",
    Verdict.TIMEOUT: "red",
    Verdict.SKIP: "dim",
    Verdict.TODO: "yellow",
    Verdict.INTERNAL: "magenta",
}
SIGNS = {verdict: (MARKS[verdict], style) for verdict, style in STYLES.items()}
LINES_OF_OUTPUT = 8
EVENTS_SHOWN = 3
STOPS = ("raised", "timeout", "died", "exit")
THEN = "change your file, save it"


def print_report(
    report: Report,
    lesson: Lesson,
    console: Console,
    *,
    command: str,
    then: str = THEN,
    onward: str = "",
    verbose: bool = False,
) -> None:
    """Print ``report`` of ``lesson``; ``command``, if any, repeats the grading, ``then`` is what to do before.

    ``onward`` is what follows a pass; else it is the comparison with the reference.
    """
    console.print()
    console.print(headline(report, lesson))
    unreadable = any(event.kind == "unreadable" for event in report.events)
    if not unreadable:
        console.print(_exercises(report, verbose=verbose))
    parts: list[RenderableType] = [Text()]
    troubles = [one for one in report.outcomes if _stands_in_the_way(one) and not unreadable]
    parts.extend(_events(report, shown_anyway={one.message for one in troubles[:1]}, verbose=verbose))
    hinted: set[str] = set()
    for number, one in enumerate(troubles):
        full = verbose or number == 0
        parts.append(_panel(report, one, hinted, verbose=verbose) if full else _line(one))
    if len(troubles) > 1 and not verbose:
        parts.append(Text("  --verbose shows each of these in full.", style="dim"))
    parts.extend(_advice(report, verbose=verbose))
    parts.extend(_proved(report, lesson))
    parts.extend(_output(report, verbose=verbose))
    for part in parts:
        console.print(part)
    onward = onward or f"yours beside the reference: grade solution {report.lesson}"
    console.print(_next(report, lesson, f"{then}, then: {command}" if command else then, onward))
    console.print(
        Text(
            f"{file_name(report.path) or report.path} · seed {report.seed} (--seed {report.seed} repeats this) · "
            f"JAX {report.versions.get('jax', '?')} · "
            f"sandbox {report.sandbox}",
            style="dim",
        )
    )


def _stands_in_the_way(outcome: Outcome) -> bool:
    return in_the_way(outcome) or (outcome.verdict is Verdict.INTERNAL and outcome.max_points > 0)


def headline(report: Report, lesson: Lesson) -> Text:
    """One line: the lesson, its points, and how it stands."""
    sign, style = SIGNS[report.verdict]
    words = {
        Verdict.PASS: "all checks pass",
        Verdict.TODO: "to be continued",
        Verdict.INTERNAL: "the grader failed: no score, and no fault of yours",
    }.get(report.verdict, "not there yet")
    if report.verdict is Verdict.PASS and (stopped := [one for one in report.events if one.kind in STOPS]):
        where = f" line {stopped[0].line}" if stopped[0].line else " its end"
        words, style = f"all checks pass, but {file_name(report.path) or 'main.py'} does not get past{where}", "yellow"
    text = Text.assemble((f"{sign} ", style), (report.lesson, "bold"), f" · {lesson.title} · ")
    if report.score is not None:
        text.append(f"{report.score} of {report.max_score} points", style="bold")
        text.append(" · ")
    return text.append(words, style=style)


def _exercises(report: Report, *, verbose: bool) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for exercise in report.exercises:
        outcomes = [one for one in report.outcomes if one.exercise == exercise.name and one.max_points]
        marks = Text()
        for one in outcomes:
            marks.append(*SIGNS[one.verdict])
        state_style = {"done": "green", "attempted": "default", "not started": "yellow"}[exercise.state]
        table.add_row(
            Text(f"  {exercise.title}"),
            Text(f"{exercise.points}/{exercise.max_points}"),
            Text.assemble((f"{exercise.state:12}", state_style), marks),
        )
        if verbose:
            for one in outcomes:
                table.add_row(
                    Text.assemble("    ", SIGNS[one.verdict], f" {one.title}"), f"{one.points}/{one.max_points}"
                )
    return table


def _events(report: Report, *, shown_anyway: set[str], verbose: bool) -> Iterator[RenderableType]:
    """What happened while the file ran; the same message once, and without --verbose the first few causes."""
    file = file_name(report.path) if "." in file_name(report.path) else "main.py"
    # Causes first: what was left out of a notebook must not push an error out.
    happened = sorted(happenings(report, told=shown_anyway, follows=verbose), key=lambda one: one.kind == "note")
    shown = len(happened) if verbose else EVENTS_SHOWN
    for one in happened[:shown]:
        head = "note " if one.kind == "note" else f"{file} "
        yield Text.assemble((head + (f"{one.where}: " if one.where else ""), "yellow"), one.what)
    if len(happened) > shown:
        yield Text(f"… and more of this kind ({len(happened) - shown}); --verbose shows all.", style="dim")


def _panel(report: Report, outcome: Outcome, hinted: set[str], *, verbose: bool) -> Panel:
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    rows.add_row("what came out", Text(outcome.message))
    if outcome.diagnosis:
        rows.add_row("the mistake", Text(" and ".join(one.title for one in outcome.diagnosis), style="bold red"))
        for one in outcome.diagnosis:
            if one.name in hinted:
                continue
            hinted.add(one.name)
            rows.add_row("ask yourself", Text(one.hints[0]))
            # The numbers of the second hint are those of the mistake alone.
            further = one.hints[1:] if len(outcome.diagnosis) == 1 else one.hints[2:]
            for hint in further if verbose else ():
                rows.add_row("", Text(hint))
        if not verbose:
            rows.add_row("", Text("--verbose gives more hints and the numbers to try.", style="dim"))
    if outcome.witness is not None and (verbose or not outcome.diagnosis):
        rows.add_row("try it", _witness(outcome.witness))
    if waiting := trouble(report, outcome).waiting:
        count = f"{waiting} checks wait" if waiting > 1 else "1 check waits"
        rows.add_row("then", Text(f"{count} for this one."))
    rows.add_row("more", Text(f"grade explain {outcome.check}", style="dim"))
    sign, style = SIGNS[outcome.verdict]
    exercise = next(one.title for one in report.exercises if one.name == outcome.exercise)
    return Panel(
        Group(Text(outcome.title, style="bold"), Padding(rows, (1, 0, 0, 0))),
        title=Text(f" {sign} {outcome.verdict}: {exercise} ", style=style),
        title_align="left",
        border_style=style,
        padding=(1, 2),
    )


def _line(outcome: Outcome) -> Padding:
    return Padding(Text.assemble(SIGNS[outcome.verdict], f" {outcome.title}"), (0, 0, 0, 2))


def _witness(witness: Witness) -> Text:
    """The numbers as they can be typed again."""
    text = Text("".join(f"{line}\n" for line in witness_lines(witness)))
    where = "" if witness.index is None or not witness.index else f" at [{', '.join(map(str, witness.index))}]"
    text.append(f"largest error {witness.largest_error:.3g}{where}, allowed {witness.tolerance:.0e}", style="dim")
    return text


def _advice(report: Report, *, verbose: bool) -> Iterator[RenderableType]:
    for one in report.outcomes:
        if not one.max_points and one.verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT):
            said = f" {one.message}" if verbose else ""
            yield Text.assemble("\n", ("advice ", "cyan"), f"(no points), not so yet: {one.title}{said}")


def _proved(report: Report, lesson: Lesson) -> Iterator[RenderableType]:
    if phrases := proved(report, lesson):
        yield Text("\nproved", style="green")
        yield Padding(Columns([Text(f"✓ {phrase}") for phrase in phrases], padding=(0, 3)), (0, 0, 0, 2))


def _output(report: Report, *, verbose: bool) -> Iterator[RenderableType]:
    """What main.py printed; shown unasked only when something went wrong while it ran, since it may hold answers."""
    went_wrong = any(event.kind not in ("note", "unreadable") for event in report.events)
    printed = len(report.stdout.splitlines()) + len(report.stderr.splitlines())
    if printed and not verbose and not went_wrong:
        file = file_name(report.path) or "main.py"
        yield Text(f"\n{file} printed {printed} line{'s' * (printed > 1)}; --verbose shows all of it.", style="dim")
        return
    for name, text in (("printed", report.stdout), ("error output", report.stderr)):
        lines = text.rstrip().split("\n") if text.strip() else []
        if not lines:
            continue
        shown = lines if verbose else lines[-LINES_OF_OUTPUT:]
        left_out = len(lines) - len(shown)
        more = f" (the last {len(shown)} of {len(lines)} lines; --verbose shows all)" if left_out else ""
        cut = " (cut: it went on)" if report.truncated else ""
        yield Text(f"\n{name}{more}{cut}:", style="dim")
        yield Padding(Text("\n".join(shown), style="dim"), (0, 0, 0, 2))


def _next(report: Report, lesson: Lesson, what: str, onward: str) -> Text:
    if report.verdict is Verdict.PASS:
        return Text.assemble(
            ("\ntry: ", "green"),
            lesson.next_idea,
            ("\nthen: ", "green"),
            onward,
        )
    text = Text()
    if todo := unwritten(report, lesson):
        first, *later = todo
        text.append("\nto write: ", style="yellow")
        text.append(f"{first.title} ({', '.join(first.names)})")
        said = next((o.message for o in report.outcomes if o.exercise == first.name and o.message), "")
        text.append(f": {said}" if said and report.verdict is Verdict.TODO else ".")
        if later:
            text.append(f" Later: {'; '.join(one.title for one in later)}.")
    text.append("\nnext: ", style="bold")
    return text.append(what)
