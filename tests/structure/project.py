"""What the structure checks know of the project: its folders, who may use whom, and who includes what.

The permitted directions are not written down a second time here: they are read from the DEPENDS lines of the CMake files
(`sluice_folder`, `sluice_tests`, and `target_link_libraries` of the programs), which the build obeys too.
"""
import os
import re
import subprocess

LAYERS = ["runtime", "operators", "engine"]  # from the bottom up
SOURCE_SUFFIXES = (".cpp", ".hpp", ".h")

# Headers of others, by how their include begins, and the CMake target that a folder must name to use them.
LIBRARIES = {
    "nlohmann/": "nlohmann_json::",
    "fmt/": "fmt::",
    "re2/": "PkgConfig::RE2",
    "simdjson": "simdjson::",
    "absl/": "absl::",
    "zlib.h": "ZLIB::",
    "zstd": "PkgConfig::ZSTD",
    "CLI/": "CLI11",
}

_COMMAND = re.compile(r"\b(sluice_folder|sluice_tests|target_link_libraries)\s*\(([^)]*)\)")
_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class Project:
    """A checkout: its tracked files, the CMake dependencies of its folders, and the includes of its sources."""

    def __init__(self, root, files=None):
        self.root = root
        self.files = tracked_files(root) if files is None else files
        self.uses = {}  # target -> the targets that it names
        self.folder_of = {}  # target -> the folder whose sources it holds
        for path in self.files:
            if os.path.basename(path) == "CMakeLists.txt":
                self._read_cmake(path)

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as f:
            return f.read()

    def sources(self, *suffixes):
        return [f for f in self.files if f.endswith(suffixes or SOURCE_SUFFIXES)]

    def _read_cmake(self, path):
        folder = os.path.dirname(path)
        text = re.sub(r"#[^\n]*", "", self.read(path))
        for command, arguments in _COMMAND.findall(text):
            words = [w for w in arguments.split() if w not in ("PRIVATE", "PUBLIC", "INTERFACE", "DEPENDS")]
            if not words or "$" in words[0]:
                continue  # the body of a function, not a use of it
            first, rest = words[0], words[1:]
            if command == "sluice_folder":
                target, owner = "sluice_" + first.replace("/", "_"), first
            elif command == "sluice_tests":
                target, owner = "sluice_tests_" + first, f"{folder}/{first}"
            else:
                target, owner = first, folder
            self.uses.setdefault(target, set()).update(rest)
            self.folder_of.setdefault(target, owner)

    def closure(self, target):
        """All targets that `target` may use, itself among them."""
        seen, pending = set(), [target]
        while pending:
            t = pending.pop()
            if t not in seen:
                seen.add(t)
                pending.extend(self.uses.get(t, ()))
        return seen

    def targets_of(self, path):
        """The targets that hold the sources of `path`'s folder; in tests/ and examples/ the nearest folder above counts."""
        folder = os.path.dirname(path)
        while folder:
            found = [t for t, owner in self.folder_of.items() if owner == folder]
            if found or folder.split("/")[0] in LAYERS:
                return found
            folder = os.path.dirname(folder)
        return []

    def may_use(self, path):
        """All targets that the source at `path` may use."""
        return set().union(*(self.closure(t) for t in self.targets_of(path)))

    def includes(self, path):
        """(line number, quoted?, what is included) of each include in `path`."""
        for number, line in enumerate(self.read(path).splitlines(), 1):
            if m := _INCLUDE.match(line):
                yield number, m.group(1) == '"', m.group(2)


def tracked_files(root):
    """What belongs to the project: tracked by git or about to be, and not ignored. Without git: all but build/."""
    if os.path.exists(os.path.join(root, ".git")):
        command = ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    else:
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [d for d in folders if d not in ("build", "__pycache__")]
            found += [os.path.relpath(os.path.join(folder, n), root) for n in names]
    return sorted(f for f in set(found) if os.path.isfile(os.path.join(root, f)))
