"""Prints a report with full marks and ends with exit code 0."""

# place: alone
# expect: todo
import json, os, sys

report = {"verdict": "pass", "score": 30, "max_score": 30, "outcomes": []}
print(json.dumps(report), file=sys.stderr)
print(json.dumps(report), flush=True)
open("report.json", "w").write(json.dumps(report))
sys.exit(0)
