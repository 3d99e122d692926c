"""What to do about what keeps a grading from working."""

from __future__ import annotations

# Protection -> what it keeps a submission from.
MEANINGS = {
    "files": "reading solutions, checks, other submissions or your home",
    "sockets": "opening a network connection",
    "processes": "starting a process or staying behind",
    "programs": "running another program",
    "signals": "signalling the grader or another submission",
    "signals by files": "having the kernel signal them",
    "memory": "using more memory than it may",
    "links": "making links out of its folder",
}
CONFINEMENT = (
    "Linux 6.2 or newer on x86-64 or AArch64 confines student code. In a container, allow the system calls "
    "landlock_create_ruleset, landlock_add_rule, landlock_restrict_self and seccomp (recent engines do by default). "
    "Your own file is graded without it; a class only with --allow-weak-sandbox."
)
VISUAL_CPP = (
    "Install the Microsoft Visual C++ Redistributable for Visual Studio 2015–2022, X64 (vc_redist.x64.exe), "
    "then open a new terminal."
)
ARM_PYTHON = (
    "Install a Python for Apple silicon and make the environment anew with it; "
    'python -c "import platform; print(platform.machine())" has to answer arm64.'
)
NO_AVX = "Use another computer; in a virtual machine, pass the host's processor through (CPU type host)."
# System, machine -> what to do where jaxlib has no build; those it has are in BUILDS.
BUILDS = {("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"), ("win32", "amd64")}
ELSEWHERE = {
    ("darwin", "x86_64"): "Use a hosted notebook, or another computer: the last jaxlib for Intel Macs is too old.",
    ("win32", "arm64"): "Install the 64-bit Python for x86-64 (Windows translates it), or work in WSL 2.",
}

REINSTALL = "{pip} install --force-reinstall jax jaxlib numpy"

# What a worker that does not start says -> what to do about it. The first that matches is used.
SYMPTOMS: tuple[tuple[str, str], ...] = (
    (r"DLL load failed", VISUAL_CPP),
    (r"incompatible architecture|wrong architecture", ARM_PYTHON),
    (r"\bAVX\b", NO_AVX),
    (
        r"GLIBC(XX)?_|libstdc\+\+",
        "This Linux is older than jaxlib allows: use a newer one, or a newer container image.",
    ),
    (r"jaxlib version|jaxlib is version", "Install the two together: {pip} install --upgrade jax jaxlib"),
    (
        r"NumPy 1\.|numpy\.core|_ARRAY_API|numpy\.dtype size changed",
        "Install them together: {pip} install --upgrade numpy scipy jax jaxlib",
    ),
    (
        r"MemoryError|bad_alloc|Cannot allocate|SIGKILL|lack of memory",
        "Close other programs, or raise the memory limit.",
    ),
    (r"temporary folder|No space left|Read-only file", "Free space, or set TMPDIR to a folder that can be written."),
)
