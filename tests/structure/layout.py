"""What may stand where: the top level, a README in each folder, links that lead somewhere, nothing unfinished and nothing
that is true on one machine only."""
import json
import os
import re

from project import LAYERS

TOP_LEVEL = {
    "runtime", "operators", "engine", "graphs", "examples", "tests", "docker",
    "README.md", "LICENSE", "CMakeLists.txt", "CMakePresets.json",
    ".ci", ".clang-format", ".clang-tidy", ".gitignore", ".dockerignore",
}

QUOTED_GRAPH = "examples/quickstart/actions-per-minute.json"

_MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:home|root|work|mnt|Users|tmp/[a-z]/)(?=/\w|\w)[\w/.-]*")
_UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
_SLEEP = re.compile(r"\b(?:sleep_for|sleep_until|usleep|nanosleep)\s*\(")
_LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def check(project):
    """Sentences, one a violation."""
    return [*_top_level(project), *_readmes(project), *_links(project), *_quotes(project), *_texts(project), *_json(project)]


def _top_level(project):
    for entry in sorted({f.split("/")[0] for f in project.files}):
        if entry not in TOP_LEVEL:
            yield f"{entry}: not one of the entries that the top level may hold"


def _readmes(project):
    folders = {os.path.dirname(f) for f in project.files if f.split("/")[0] in LAYERS}
    folders |= {f.split("/")[0] for f in project.files if "/" in f and not f.startswith(".")}
    for folder in sorted(folders):
        if f"{folder}/README.md" not in project.files:
            yield f"{folder}/: has no README.md that says what lives there and what may not"


def _links(project):
    for path in project.sources(".md"):
        for number, line in enumerate(project.read(path).splitlines(), 1):
            for target in _LINK.findall(line):
                full = os.path.normpath(os.path.join(os.path.dirname(path), target))
                if full not in project.files and not any(f.startswith(full + "/") for f in project.files):
                    yield f"{path}:{number}: links to {target}, which does not exist"


def _quotes(project):
    """The README explains a graph piece by piece; each piece must stand in the graph, whatever its indentation."""
    if QUOTED_GRAPH not in project.files:
        return
    graph = "".join(project.read(QUOTED_GRAPH).split())
    for piece in re.findall(r"```json\n(.*?)```", project.read("README.md"), re.DOTALL):
        if "".join(piece.split()) not in graph:
            yield f"README.md: explains a piece that {QUOTED_GRAPH} does not hold: {piece.strip().splitlines()[0]}"


def _texts(project):
    for path in project.files:
        if path == "LICENSE":
            continue
        for number, line in enumerate(project.read(path).splitlines(), 1):
            if m := _MACHINE_PATH.search(line):
                yield f"{path}:{number}: {m.group()} is a path of one machine"
            if m := _UNFINISHED.search(line):
                yield f"{path}:{number}: {m.group()}: finish it, or leave it out"
            if path.startswith("tests/") and path.endswith((".cpp", ".hpp")) and _SLEEP.search(line):
                yield f"{path}:{number}: a test that sleeps; wait for the event, with a deadline"


def _json(project):
    for path in project.sources(".json"):
        if path.startswith("graphs/invalid/"):
            continue
        try:
            json.loads(project.read(path))
        except ValueError as error:
            yield f"{path}: not JSON: {error}"
