#!/usr/bin/env python3
"""Counts a CTest result file (JUnit form) and shows what failed. usage: tally.py RESULTS.xml

Standard output: passed, failed and skipped as three numbers. Standard error: each failed test with the end of its output.
"""
import sys
import xml.etree.ElementTree as ElementTree

SHOWN_LINES = 60


def outcome(case):
    if case.find("skipped") is not None and case.get("status") == "notrun":
        reason = case.find("skipped").get("message", "")
        sound = "Status: FAILURE" not in (case.findtext("system-out") or "")
        return "skipped" if reason.startswith("SKIP_") and sound else "failed"
    return {"run": "passed", "disabled": "skipped"}.get(case.get("status"), "failed")


def main():
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        result = outcome(case)
        count[result] += 1
        if result == "failed":
            output = (case.findtext("system-out") or "(no output)").strip().splitlines()
            print(f"--- FAILED {case.get('name')}", *output[-SHOWN_LINES:], sep="\n    ", file=sys.stderr)
        elif result == "skipped":
            print(f"--- skipped {case.get('name')}", file=sys.stderr)
    print(count["passed"], count["failed"], count["skipped"])


main()
