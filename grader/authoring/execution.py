"""Running a notebook from top to bottom, in a kernel of this very interpreter."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from grader.errors import LessonError
from grader.running.environment import environment

CELL_S = 300
KERNEL = "this-interpreter"


def execute(notebook: Any, *, name: str) -> Any:
    """``notebook`` (nbformat) with the outputs of its cells, whatever kernels and settings this machine has.

    Raises LessonError, with the cell's number and the interpreter's words, when a cell raises.
    """
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    with tempfile.TemporaryDirectory(prefix="headwork-", ignore_cleanup_errors=True) as path:
        folder = Path(path)
        client = NotebookClient(
            notebook,
            km=AsyncKernelManager(**kernel_settings(folder)),
            kernel_name=KERNEL,
            timeout=CELL_S,
            resources={"metadata": {"path": path}},
        )
        try:
            return client.execute(env=kernel_environment(folder), cleanup_kc=True)
        except CellExecutionError as error:
            number = sum(cell.get("execution_count") is not None for cell in notebook["cells"])
            raise LessonError(f"{name}: cell {number}: {error.ename}: {error.evalue}; correct it") from error
        except (DeadKernelError, TimeoutError) as error:
            reason = str(error).partition("\n")[0]
            raise LessonError(f"{name}: {reason}; does the notebook run in Jupyter?") from error


def kernel_settings(folder: Path) -> dict[str, Any]:
    """What a kernel manager has to be told to start IPython in this interpreter, with its files in ``folder``."""
    from jupyter_client.kernelspec import KernelSpecManager

    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = folder / "kernels" / KERNEL / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"}), encoding="utf-8")
    # Sockets in the folder where the system has them: nobody else on the machine can listen in.
    local = {"transport": "ipc", "ip": str(folder / "ipc")} if os.name == "posix" else {}
    return {
        "kernel_name": KERNEL,
        "kernel_spec_manager": KernelSpecManager(kernel_dirs=[str(folder / "kernels")]),
        "connection_file": str(folder / "connection.json"),
        **local,
    }


def kernel_environment(folder: Path) -> dict[str, str]:
    """The environment of such a kernel: no settings of this machine's user."""
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    return {**environment(folder), **dict.fromkeys(names, str(folder))}


def printed(notebook: Any) -> str:
    """What the cells of an executed notebook wrote to standard output."""
    return "".join(
        output["text"]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
        for output in cell["outputs"]
        if output["output_type"] == "stream" and output["name"] == "stdout"
    )
