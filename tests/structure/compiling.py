"""Each header compiles alone, so that including it never depends on what was included before; and every source is as the
formatter writes it."""
import concurrent.futures
import os
import subprocess

from project import LAYERS


def _each(work, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for problem in pool.map(work, items) if problem]


def _unproved(project):
    """The headers that no source of a layer includes first. Of the others the lint step, which reads each of those sources by
    itself, shows that they compile alone; the builds that put files together would not."""
    first = set()
    for path in project.sources(".cpp"):
        if path.split("/")[0] in LAYERS:
            first.update(included for _, _, included in list(project.includes(path))[:1])
    return [header for header in project.sources(".hpp") if header not in first]


def check_headers(project):
    compiler = os.environ.get("CXX", "c++")

    def alone(header):
        command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", project.root, "-x", "c++", "-"]
        run = subprocess.run(command, input=f'#include "{header}"\n', cwd=project.root, capture_output=True, text=True)
        return f"{header} does not compile alone:\n{run.stderr.strip()}" if run.returncode else None

    return _each(alone, _unproved(project))


def check_format(project):
    command = ["clang-format", "--dry-run", "-Werror", *project.sources()]
    run = subprocess.run(command, cwd=project.root, capture_output=True, text=True)
    unformatted = sorted({line.split(":")[0] for line in run.stderr.splitlines() if ": error: " in line})
    if run.returncode and not unformatted:
        return [run.stderr]
    return [f"{path}: not as the formatter writes it (clang-format -i {path})" for path in unformatted]
