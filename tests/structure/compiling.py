"""Each header compiles alone, so that including it never depends on what was included before; and the formatter's view of
every source is the one that is checked in."""
import concurrent.futures
import os
import subprocess


def _each(work, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for problem in pool.map(work, items) if problem]


def check_headers(project):
    compiler = os.environ.get("CXX", "c++")

    def alone(header):
        command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", project.root, "-x", "c++", "-"]
        run = subprocess.run(command, input=f'#include "{header}"\n', cwd=project.root, capture_output=True, text=True)
        return f"{header} does not compile alone:\n{run.stderr.strip()}" if run.returncode else None

    return _each(alone, project.sources(".hpp"))


def check_format(project):
    def formatted(path):
        command = ["clang-format", "--dry-run", "-Werror", os.path.join(project.root, path)]
        run = subprocess.run(command, capture_output=True, text=True)
        if not run.returncode:
            return None
        return f"{path}: not as the formatter writes it (clang-format -i {path})\n  {run.stderr.splitlines()[0]}"

    return _each(formatted, project.sources())
