#!/usr/bin/env python3
"""Runs each case's graph under several settings and compares what they write: the same rows, whatever the order.

usage: cases.py --sluice PATH --folder CASES [--setting "ARGUMENTS OF RUN"]… CASE…

A case is a folder with a graph.json that writes to $SLUICE_CASE_OUT. Whether the rows are right is not asked here. The last
line is `N passed, N failed`; exit status 1 if any case differs.
"""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile

TIME_LIMIT_SECONDS = 300


def rows(sluice, graph, setting, out):
    """The sorted lines that a run writes, or a sentence on why there are none."""
    command = [sluice, "run", graph, *shlex.split(setting)]
    try:
        run = subprocess.run(command, env={**os.environ, "SLUICE_CASE_OUT": out}, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"still running after {TIME_LIMIT_SECONDS} s"
    if run.returncode != 0 or not os.path.exists(out):
        return None, f"exit status {run.returncode}: {run.stderr.strip()[-600:]}"
    with open(out, "rb") as f:
        return sorted(f), None


def problem(sluice, graph, settings):
    first = None
    for number, setting in enumerate(settings):
        with tempfile.TemporaryDirectory() as folder:
            got, reason = rows(sluice, graph, setting, os.path.join(folder, "out.csv"))
        if reason:
            return f"`{setting}`: {reason}"
        if number == 0:
            first = got
        elif got != first:
            only = next((a for a, b in zip(got, first) if a != b), None) or b"(rows at the end)"
            return f"`{setting}` writes other rows than `{settings[0]}`, e.g. {only!r}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--setting", action="append", required=True)
    parser.add_argument("cases", nargs="+")
    arguments = parser.parse_args()
    failed = 0
    for name in arguments.cases:
        graph = os.path.join(arguments.folder, name, "graph.json")
        found = problem(arguments.sluice, graph, arguments.setting)
        failed += bool(found)
        print(f"{'FAIL' if found else 'ok  '} {name}" + (f"\n     {found}" if found else ""))
    print(f"{len(arguments.cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
