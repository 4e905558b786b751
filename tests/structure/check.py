#!/usr/bin/env python3
"""Checks the structure of the project. usage: check.py direction|layout|headers|format… [--root FOLDER]

Prints one sentence a violation; exit status 1 if there is any.
"""
import argparse
import os
import sys

import compiling
import direction
import layout
from project import Project

CHECKS = {
    "direction": direction.check,
    "layout": layout.check,
    "headers": compiling.check_headers,
    "format": compiling.check_format,
}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="+", choices=CHECKS)
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(here)))
    arguments = parser.parse_args()
    project = Project(arguments.root)
    failed = False
    for name in arguments.checks:
        problems = CHECKS[name](project)
        failed |= bool(problems)
        print(f"{name}: {len(project.files)} files, {len(problems)} violations")
        for problem in problems:
            print(f"  {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
