"""Records learner-loop.svg for the README: PYTHONPATH=tests/study/watching python docs/learner_loop.py."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from learner_recording import Frame, RecordedTerminal, animated_svg

from grader.lesson import content_root

ID = "transformers-01"
COLUMNS, SHOWN_ROWS = 88, 28
ROWS = 64  # of the terminal itself: the longest report fits, and a frame shows the part that matters
IDLE, BACK = "watching main.py: save it, or press r", "any other key: back to the report"
BEGIN, PREDICT, WRITE, ONWARD = (
    "Begin: a main.py with TODOs",
    "Predict, before the answer can be seen",
    "Write: every save is graded",
    "Go on: grade says with what",
)
# The command as installed, but with one seed in place of a new one at each save: recorded again, this looks the same.
GRADE = f"""#!{sys.executable}
import secrets
from grader.cli.app import main
secrets.randbelow = lambda _: 1
main()
"""
ATTEMPT = {
    "import jax.numpy": "import jax\nimport jax.numpy",
    "scores = ...": "scores = q @ k.T / jnp.sqrt(k.shape[-1])",
    "weights = ...": "weights = jax.nn.softmax(scores, axis=0)",
    "output = ...": "output = weights @ v",
}
EXERCISES = "# %% Exercise 1"
TITLE = "The learner's loop: predict, write, save, read the report, ask for a hint, repair"
DESCRIPTION = (
    "grade start lays out main.py. grade predict asks for the weights of a zero query; 1/3 1/3 1/3 is recorded. "
    "grade watch grades at every save. A softmax over the wrong axis is saved: the report says that the rows do not "
    "sum to 1 and names the mistake, softmax over the queries. Key h shows the hints one at a time. With the axis "
    "repaired and the exercises filled in all checks pass, and the prediction is compared with what happened."
)


def attempt() -> str:
    """The scaffold with a mechanism that has softmax over the wrong axis."""
    text = (content_root() / "scaffolds" / ID / "main.py").read_text(encoding="utf-8")
    for before, after in ATTEMPT.items():
        text = text.replace(before, after, 1)
    return text


def repaired() -> str:
    """The attempt over the right axis, with the exercises of the reference."""
    solution = (content_root() / "solutions" / ID / "main.py").read_text(encoding="utf-8")
    mechanism = attempt().partition(EXERCISES)[0].replace("axis=0", "axis=-1")
    return mechanism + EXERCISES + solution.partition(EXERCISES)[2]


def story(terminal: RecordedTerminal, main_py: Path) -> Iterator[Frame]:
    """What a learner does, and what is seen meanwhile."""

    def frame(caption: str, shown_s: float, *, scrolled_back: bool = False) -> Frame:
        lines = terminal.seen(SHOWN_ROWS, hidden=str(content_root()), scrolled_back=scrolled_back)
        return Frame(caption, lines, shown_s)

    def prompt() -> None:
        terminal.until(lambda: terminal.lines[-1] == "$", "the prompt")

    def types(text: str, caption: str) -> Frame:
        terminal.press(text)
        terminal.until(lambda: terminal.lines[-1].endswith(text), "the echo")
        return frame(caption, 1)

    prompt()
    yield types(f"grade start {ID}", BEGIN)
    terminal.press("\n")
    terminal.shows("is yours")
    prompt()
    yield frame(BEGIN, 2)
    yield types(f"grade predict {ID} uniform-weights", PREDICT)
    terminal.press("\n")
    terminal.shows("your prediction:")
    yield types("1/3 1/3 1/3", PREDICT)
    terminal.press("\nall three scores are 0\n")
    terminal.shows("1 recorded")
    prompt()
    yield frame(PREDICT, 2)
    yield types(f"grade watch {ID}", WRITE)
    terminal.press("\n")
    terminal.shows(IDLE)
    yield frame(WRITE, 2.5)
    main_py.write_text(attempt(), encoding="utf-8")
    terminal.shows("the mistake")
    terminal.shows(IDLE)
    yield frame("Saved: weights = jax.nn.softmax(scores, axis=0)", 6, scrolled_back=True)
    terminal.press("h")  # the report has asked the question of the first hint
    terminal.shows("hint 2 of 3")
    terminal.until(lambda: terminal.lines[-1] == BACK, "the keys again")
    yield frame("Key h: a hint, one at a time", 5)
    main_py.write_text(repaired(), encoding="utf-8")
    terminal.shows("all checks pass: n goes on")
    yield frame("Saved: axis=-1, with the exercises", 3, scrolled_back=True)
    terminal.press("q")
    prompt()
    yield types("grade", ONWARD)
    terminal.press("\n")
    terminal.shows("next  ")
    prompt()
    yield frame(ONWARD, 4)


def main() -> None:
    """Play the story in a folder of its own and write the picture."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "grade").write_text(GRADE, encoding="utf-8")
        (folder / "grade").chmod(0o755)
        env = {
            "PATH": f"{folder}:/usr/bin:/bin",
            "PS1": "$ ",
            "TERM": "xterm-256color",
            "HEADWORK_PROGRESS": str(folder / "progress.toml"),
        }
        shell = ["bash", "--norc", "--noprofile", "--noediting", "-i"]
        terminal = RecordedTerminal(shell, cwd=folder, env=env, columns=COLUMNS, rows=ROWS)
        with terminal:
            frames = list(story(terminal, folder / ID / "main.py"))
            terminal.press("exit\n")
            terminal.ends()
    svg = animated_svg(frames, columns=COLUMNS, rows=SHOWN_ROWS, title=TITLE, description=DESCRIPTION)
    Path(__file__).with_name("learner-loop.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
