"""Includes go down only: engine → operators → runtime, and inside a layer along the DEPENDS of the CMake files."""
import os

from project import LAYERS, LIBRARIES

# What a whole layer must not touch, whatever its folders could reach through others.
FORBIDDEN = {
    "runtime": ["nlohmann/", "simdjson", "CLI/", "operators/", "engine/"],
    "operators": ["CLI/", "engine/"],
    "engine": ["runtime/ring/", "runtime/transport/"],
}


# Benchmarks measure the parts of the data path one by one, which nothing else in the engine may touch.
EXEMPT = {"engine": "engine/bench/"}


def layer(path):
    return path.split("/")[0]


def check(project):
    """Sentences, one a violation."""
    return [*_dependencies(project), *_cycles(project), *_homeless(project), *_includes(project)]


def _dependencies(project):
    """A CMake target names only targets of its own layer or of lower ones."""
    for target, used in sorted(project.uses.items()):
        owner = project.folder_of[target]
        if layer(owner) not in LAYERS:
            continue
        for other in sorted(used):
            folder = project.folder_of.get(other)
            if folder and layer(folder) in LAYERS and LAYERS.index(layer(folder)) > LAYERS.index(layer(owner)):
                yield f"{layer(owner)}/CMakeLists.txt: {owner} depends on {folder}, which stands above it"
            if other.startswith("sluice_") and folder is None and other != "sluice_options":
                yield f"{layer(owner)}/CMakeLists.txt: {owner} depends on {other}, which no folder makes"


def _cycles(project):
    for target in sorted(project.uses):
        for used in sorted(project.uses[target]):
            if used in project.uses and target in project.closure(used):
                yield f"{project.folder_of[target]} depends on {project.folder_of[used]}, which depends on it in turn"


def _homeless(project):
    """Every source of a layer is built by a target; headers in a layer's top folder are its interface and need none."""
    for path in project.sources():
        if layer(path) not in LAYERS or project.targets_of(path):
            continue
        if os.path.dirname(path) in LAYERS and path.endswith(".hpp"):
            continue
        yield f"{path}: its folder has no sluice_folder() line in {layer(path)}/CMakeLists.txt"


def _includes(project):
    for path in project.sources():
        for line, quoted, included in project.includes(path):
            problem = _own(project, path, included) if quoted else _library(project, path, included)
            problem = problem or _forbidden(path, included)
            if problem:
                yield f"{path}:{line}: {problem}"


def _own(project, path, included):
    if included not in project.files:
        beside = os.path.normpath(os.path.join(os.path.dirname(path), included))
        if beside in project.files:
            return f'includes "{included}" by a relative path; write "{beside}", from the project\'s root'
        return f'includes "{included}", which is no file of the project'
    if layer(included) == "tests" and layer(path) in LAYERS:
        return f'includes "{included}": the code must not know its tests'
    if layer(path) not in LAYERS and not project.targets_of(path):
        return None
    missing = _unreachable(project, path, included, set())
    if missing:
        owners = " or ".join(sorted(project.folder_of[t] for t in project.targets_of(path))) or os.path.dirname(path)
        return f'includes "{included}", but {owners} does not depend on {missing}'
    return None


def _unreachable(project, path, included, seen):
    """The folder that `path` would have to depend on to include `included`, or None if all is well. A header in a layer's
    top folder has no target of its own: whoever reaches all that it includes may include it."""
    if included in seen or os.path.dirname(included) == os.path.dirname(path):
        return None
    seen.add(included)
    if os.path.dirname(included) in LAYERS:
        if os.path.dirname(path) in LAYERS and not project.targets_of(path):
            return None
        for _, quoted, deeper in project.includes(included):
            if quoted and deeper in project.files and (missing := _unreachable(project, path, deeper, seen)):
                return missing
        return None
    if layer(included) not in LAYERS:
        return None
    if os.path.dirname(path) in LAYERS and not project.targets_of(path):  # an interface: at least down the layers
        above = LAYERS.index(layer(included)) > LAYERS.index(layer(path))
        return os.path.dirname(included) if above else None
    reached = {project.folder_of.get(t) for t in project.may_use(path)}
    return None if os.path.dirname(included) in reached else os.path.dirname(included)


def _library(project, path, included):
    if layer(path) not in LAYERS or not project.targets_of(path):
        return None
    for beginning, target in LIBRARIES.items():
        if included.startswith(beginning) and not any(t.startswith(target) for t in project.may_use(path)):
            return f"includes <{included}>, but its folder does not depend on {target.rstrip(':')}"
    return None


def _forbidden(path, included):
    if path.startswith(EXEMPT.get(layer(path), " ")):
        return None
    for beginning in FORBIDDEN.get(layer(path), ()):
        if included.startswith(beginning):
            return f'includes "{included}": {layer(path)}/ must know nothing of {beginning.rstrip("/")}'
    return None
