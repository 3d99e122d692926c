"""Imports the parts of the grader that know the answers."""

# expect: pass
import importlib, importlib.machinery, importlib.util, pkgutil, sys

for name in (
    "grader.oracle",
    "grader.oracle.attention",
    "grader.checking",
    "grader.checking.examine",
    "grader.lesson",
    "grader.grading",
    "grader.authoring.verify",
    "grader.cli.app",
    "grader.reporting.report",
    "pytest",
    "hypothesis",
    "rich",
):
    if name in sys.modules:
        print("BREACH: loaded", name)
    attempt(importlib.import_module, name)
importlib.invalidate_caches()
sys.path_importer_cache.clear()
for name in ("grader.oracle.attention", "grader.checking.compare"):
    attempt(importlib.import_module, name)
import grader

for folder in grader.__path__:
    for inner in ("oracle/attention.py", "checking/compare.py"):
        attempt(importlib.machinery.SourceFileLoader("x", f"{folder}/{inner}").load_module)
        attempt(importlib.machinery.SourcelessFileLoader("x", f"{folder}/{inner}").get_data, f"{folder}/{inner}")
    if [module.name for module in pkgutil.iter_modules([f"{folder}/oracle"])]:
        print("BREACH: listing of the oracle")
