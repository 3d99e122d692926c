"""%grade in a real kernel: what it shows, what it withstands, how it ends."""

from __future__ import annotations

import queue
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager

from grader.authoring.execution import kernel_environment, kernel_settings
from grader.percent import to_notebook

ID = "transformers-01"
SOFTMAX = "weights = exponentials / exponentials.sum(axis=-1, keepdims=True)"
LIMIT_S = 120


@dataclass
class Shown:
    """What one cell has shown."""

    text: str = ""
    html: str = ""
    printed: str = ""
    traceback: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Kernel:
    """A kernel that cells can be run in."""

    manager: Any
    client: Any
    folder: Path

    def send(self, code: str) -> str:
        return str(self.client.execute(code))

    def shown(self, request: str) -> Shown:
        shown, until = Shown(), time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            try:
                message = self.client.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue
            content = message["content"]
            if message["parent_header"].get("msg_id") != request:
                continue
            match message["msg_type"]:
                case "display_data":
                    shown.text += content["data"]["text/plain"]
                    shown.html += content["data"].get("text/html", "")
                case "stream":
                    shown.printed += content["text"]
                case "error":
                    shown.traceback += content["traceback"]
                case "status" if content["execution_state"] == "idle":
                    return shown
        raise AssertionError(f"the kernel did not come to an end within {LIMIT_S} s")

    def run(self, code: str) -> Shown:
        return self.shown(self.send(code))

    def grade(self, options: str = "--seed 0") -> Shown:
        return self.run(f"%grade {ID} {options}")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("kernel")
    short = Path("/tmp") / folder.name if sys.platform == "darwin" else folder  # sockets need a short path there
    short.mkdir(exist_ok=True)
    manager = KernelManager(**kernel_settings(short))
    manager.start_kernel(env=kernel_environment(short), cwd=str(folder))
    client: BlockingKernelClient = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=LIMIT_S)
        kernel = Kernel(manager, client, folder)
        assert kernel.run("%load_ext grader") == Shown()
        yield kernel
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(fresh: Kernel, solution: str) -> Kernel:
    """A kernel that has run the solution, whatever ran in it before."""
    fresh.run("%reset -f")
    for cell in to_notebook(solution)["cells"]:
        assert fresh.run(cell["source"]).traceback == []
    return fresh


def redefine(kernel: Kernel, solution: str, old: str, new: str) -> None:
    """Run the cell that defines attend again, changed."""
    cell = next(cell["source"] for cell in to_notebook(solution)["cells"] if "def attend" in cell["source"])
    assert old in cell
    assert kernel.run(cell.replace(old, new)).traceback == []


def test_the_solution_earns_full_marks_as_text_and_as_html(kernel):
    shown = kernel.grade()
    assert "31 of 31 points · all checks pass" in shown.text
    assert "All checks pass." in shown.html
    assert shown.printed == ""


def test_a_mistake_is_named_and_repaired_by_running_the_cell_again(kernel, solution):
    redefine(kernel, solution, "axis=-1", "axis=0")
    shown = kernel.grade()
    assert "softmax over the queries (axis 0)" in shown.text
    assert re.search(r'<p class="mistake bad">softmax over the queries \(axis 0\)</p>', shown.html)
    assert "change your cell, run it, then: %grade transformers-01" in shown.text
    redefine(kernel, solution, SOFTMAX, SOFTMAX)
    assert "31 of 31 points" in kernel.grade().text


def test_what_is_not_defined_yet_is_to_do(fresh):
    fresh.run("%reset -f")
    shown = fresh.grade()
    assert "0 of 31 points · to be continued" in shown.text
    assert "Still to write" in shown.html


def test_an_error_is_told_with_the_cell_and_its_line(kernel, solution):
    redefine(
        kernel,
        solution,
        "    output = weights",
        "    if len(k) > 3:\n        raise ValueError('four')\n    output = weights",
    )
    number = int(kernel.run("print(len(In) - 2)").printed)
    cell = kernel.run(f"print(In[{number}])").printed.splitlines()
    line = cell.index("        raise ValueError('four')") + 1
    assert f"attend: cell {number}, line {line}: ValueError: four" in " ".join(
        re.sub(r"[│\s]+", " ", kernel.grade().text).split()
    )


def test_nothing_that_is_patched_in_the_kernel_makes_wrong_code_right(kernel, solution):
    redefine(kernel, solution, SOFTMAX, "weights = jnp.full((len(q), len(k)), jnp.nan)")
    kernel.run(
        "import numpy as np, grader.checking, grader.grading, grader.checking.compare as compare\n"
        "np.allclose = lambda *_, **__: True\n"
        "compare.expect_close = grader.checking.expect_close = lambda *_, **__: None\n"
        "grader.grading.grade_live = None\n"
        "class Equal(float):\n    __eq__ = lambda *_: True\n"
        "output = Equal()"
    )
    shown = kernel.grade()
    assert "not there yet" in shown.text
    assert "31 of 31" not in shown.text


def test_markup_of_the_student_stays_text(kernel, solution):
    redefine(
        kernel,
        solution,
        "    output = weights",
        "    raise ValueError('<script>alert(1)</script><b>x')\n    output = weights",
    )
    html = kernel.grade().html
    assert "&lt;script&gt;alert(1)" in html
    assert "<script" not in html
    assert "<b>x" not in html


def test_what_functions_print_is_shown_on_demand_only(kernel, solution):
    redefine(kernel, solution, "    output = weights", "    print('seen from inside')\n    output = weights")
    assert kernel.grade().printed == ""
    assert "seen from inside" in kernel.grade("--seed 0 --verbose").printed


def test_a_function_without_end_is_stopped_and_the_kernel_lives_on(kernel, solution):
    endless = "import time\n    while len(k) > 3:\n        time.sleep(1000)\n    output = weights"
    redefine(kernel, solution, "output = weights", endless)
    shown = kernel.grade()
    assert "timeout: The mechanism" in shown.text
    assert "was still running after 10 s and was stopped" in shown.text
    assert kernel.run("print(1 + 1)").printed == "2\n"


def test_an_interrupt_ends_the_grading_and_leaves_no_process(kernel, solution):
    waiting = "import time\n    if len(k) > 3:\n        open('asked', 'w').close()\n        time.sleep(1000)\n    "
    redefine(kernel, solution, "output = weights", waiting + "output = weights")
    request, until = kernel.send(f"%grade {ID}"), time.monotonic() + LIMIT_S
    while not (kernel.folder / "asked").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    kernel.manager.interrupt_kernel()
    assert kernel.shown(request) == Shown(printed="stopped: nothing was graded\n")
    assert kernel.run("import psutil; print(psutil.Process().children())").printed == "[]\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%grade transformers-1", "UsageError: transformers-1: no such lesson; did you mean transformers-01?"),
        ("%grade", "the following arguments are required: ID; write it as %grade ID [--seed N] [--verbose]"),
        (f"%grade {ID} --seed x", "argument --seed: invalid int value: 'x'; write it as"),
        (f"%grade {ID} --seed -1", "--seed -1: negative; a seed is 0 or more"),
        (f"%grade {ID} --sed 1", "unrecognized arguments: --sed 1"),
    ],
)
def test_a_mistake_in_the_line_is_told_in_one_line(fresh, line, message):
    shown = fresh.run(line)
    assert message in shown.printed
    assert shown.printed.count("\n") == 1
    assert "Traceback" not in shown.printed
