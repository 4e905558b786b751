#!/usr/bin/env python3
"""Writes the CTest entries of a doctest program, one a test case, so that each runs in a process of its own, under its own
time limit, and a crash costs no other test its result.

usage: discover.py PROGRAM LAYER OUTPUT

A case is chosen by its place in the program's list, not by its name, so that a name may be any sentence.
"""
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

TIME_LIMIT_SECONDS = 300


def quoted(text):
    """`text` as a CMake bracket argument, in which nothing is special."""
    marks = "="
    while f"]{marks}]" in text:
        marks += "="
    return f"[{marks}[{text}]{marks}]"


def entries(program, layer):
    listing = subprocess.run([program, "--list-test-cases", "--reporters=xml"], check=True, capture_output=True)
    seen = set()
    for place, case in enumerate(ElementTree.fromstring(listing.stdout).iter("TestCase"), 1):
        name = f"{layer}: {case.get('name')}"
        if name in seen:
            name += f" ({case.get('filename')}:{case.get('line')})"
        seen.add(name)
        yield f"add_test({quoted(name)} {quoted(program)} --first={place} --last={place})"
        # A case that asserts nothing cannot fail. One that cannot run here says so in a line that starts with "skipped: ".
        yield (f"set_tests_properties({quoted(name)} PROPERTIES TIMEOUT {TIME_LIMIT_SECONDS} LABELS {layer} "
               f'FAIL_REGULAR_EXPRESSION "assertions: +0 " SKIP_REGULAR_EXPRESSION "skipped: ")')


def main():
    program, layer, output = sys.argv[1:]
    text = "\n".join(entries(program, layer)) + "\n"
    with open(output, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
