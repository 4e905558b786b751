#!/usr/bin/env python3
"""The checks themselves under test: each violation is planted in a small project and must be found, and only it."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import compiling  # noqa: E402
import direction  # noqa: E402
import layout  # noqa: E402
from project import Project  # noqa: E402

SOUND = {
    "README.md": "# A project\nSee [the runtime](runtime/README.md).\n",
    "runtime/README.md": "", "runtime/base/README.md": "", "runtime/ring/README.md": "", "runtime/data/README.md": "",
    "operators/README.md": "", "operators/builtin/README.md": "", "engine/README.md": "", "engine/cli/README.md": "",
    "tests/README.md": "",
    "runtime/CMakeLists.txt": "sluice_folder(runtime/base DEPENDS fmt::fmt)\n"
                              "sluice_folder(runtime/ring DEPENDS sluice_runtime_base)\n"
                              "sluice_folder(runtime/data DEPENDS sluice_runtime_base)\n",
    "operators/CMakeLists.txt": "sluice_folder(operators/builtin DEPENDS sluice_runtime_data nlohmann_json::nlohmann_json)\n",
    "engine/CMakeLists.txt": "sluice_folder(engine/cli DEPENDS sluice_operators_builtin)\n"
                             "add_executable(sluice main.cpp)\ntarget_link_libraries(sluice PRIVATE sluice_engine_cli)\n",
    "tests/CMakeLists.txt": "function(sluice_tests layer)\n  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS})\nendfunction()\n"
                            "sluice_tests(runtime DEPENDS sluice_runtime_data sluice_runtime_ring)\n",
    "runtime/base/result.hpp": "#pragma once\n#include <fmt/format.h>\n",
    "runtime/data/batch.hpp": '#pragma once\n#include "runtime/base/result.hpp"\n',
    "runtime/ring/ring.hpp": '#pragma once\n#include "runtime/base/result.hpp"\n',
    "runtime/operator.hpp": '#pragma once\n#include "runtime/data/batch.hpp"\n',
    "operators/builtin/map.cpp": '#include "runtime/operator.hpp"\n#include <nlohmann/json.hpp>\n',
    "operators/builtin/map.hpp": "#pragma once\n",
    "engine/cli/verbs.hpp": '#pragma once\n#include "operators/builtin/map.hpp"\n',
    "engine/main.cpp": '#include "engine/cli/verbs.hpp"\n',
    "tests/runtime/ring/ring_test.cpp": '#include "runtime/ring/ring.hpp"\n#include <doctest/doctest.h>\n',
}


class StructureTest(unittest.TestCase):
    def violations(self, check, changes):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**SOUND, **changes}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as f:
                    f.write(text)
            return check(Project(root))

    def finds(self, check, path, text, *expected):
        found = self.violations(check, {path: text})
        self.assertEqual(len(found), 1, found)
        for part in (path, *expected):
            self.assertIn(part, found[0])

    def test_a_sound_project_passes(self):
        self.assertEqual(self.violations(direction.check, {}), [])
        self.assertEqual(self.violations(layout.check, {}), [])

    def test_an_include_up_the_layers_is_found(self):
        self.finds(direction.check, "runtime/data/batch.hpp", '#include "operators/builtin/map.hpp"\n', ":1:", "map.hpp")

    def test_an_include_up_inside_a_layer_is_found(self):
        self.finds(direction.check, "runtime/base/result.hpp", '\n\n#include "runtime/data/batch.hpp"\n', ":3:",
                   "runtime/base does not depend on runtime/data")

    def test_an_include_of_an_unnamed_neighbour_is_found(self):
        self.finds(direction.check, "runtime/ring/ring.hpp", '#include "runtime/data/batch.hpp"\n',
                   "runtime/ring does not depend on runtime/data")

    def test_an_interface_is_open_only_to_those_who_reach_what_it_includes(self):
        self.finds(direction.check, "runtime/ring/ring.hpp", '#include "runtime/operator.hpp"\n', "runtime/data")

    def test_an_interface_may_not_look_up(self):
        self.finds(direction.check, "runtime/other.hpp", '#include "operators/builtin/map.hpp"\n')

    def test_a_library_that_the_folder_does_not_name_is_found(self):
        self.finds(direction.check, "engine/cli/verbs.hpp", "#include <zlib.h>\n", "ZLIB")

    def test_json_in_the_runtime_is_found_even_if_named(self):
        found = self.violations(direction.check, {
            "runtime/CMakeLists.txt": SOUND["runtime/CMakeLists.txt"].replace("fmt::fmt", "fmt::fmt nlohmann_json::nlohmann_json"),
            "runtime/base/result.hpp": "#include <nlohmann/json.hpp>\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("must know nothing of nlohmann", found[0])

    def test_the_engine_may_not_touch_a_ring(self):
        found = self.violations(direction.check, {
            "engine/CMakeLists.txt": "sluice_folder(engine/cli DEPENDS sluice_operators_builtin sluice_runtime_ring)\n",
            "engine/cli/verbs.hpp": '#include "runtime/ring/ring.hpp"\n', "engine/main.cpp": ""})
        self.assertTrue(any("must know nothing of runtime/ring" in f for f in found), found)

    def test_tests_reach_only_what_their_program_links(self):
        self.finds(direction.check, "tests/runtime/ring/ring_test.cpp", '#include "operators/builtin/map.hpp"\n')

    def test_code_that_includes_a_test_is_found(self):
        found = self.violations(direction.check, {
            "tests/runtime/made_up.hpp": "", "runtime/data/batch.hpp": '#include "tests/runtime/made_up.hpp"\n'})
        self.assertEqual(len(found), 1, found)

    def test_relative_and_missing_includes_are_found(self):
        self.finds(direction.check, "runtime/ring/ring.hpp", '#include "../base/result.hpp"\n', "relative")
        self.finds(direction.check, "runtime/ring/ring.hpp", '#include "runtime/base/gone.hpp"\n', "no file")

    def test_a_dependency_up_the_layers_is_found(self):
        self.finds(direction.check, "runtime/CMakeLists.txt", SOUND["runtime/CMakeLists.txt"] +
                   "sluice_folder(runtime/plan DEPENDS sluice_operators_builtin)\n", "stands above")

    def test_a_circle_of_dependencies_is_found(self):
        found = self.violations(direction.check, {"runtime/CMakeLists.txt": SOUND["runtime/CMakeLists.txt"].replace(
            "runtime/base DEPENDS fmt::fmt", "runtime/base DEPENDS fmt::fmt sluice_runtime_data")})
        self.assertTrue(any("in turn" in f for f in found), found)

    def test_a_folder_that_nothing_builds_is_found(self):
        self.finds(direction.check, "runtime/lost/lost.cpp", "", "no sluice_folder")

    def test_an_odd_entry_at_the_top_is_found(self):
        self.finds(layout.check, "notes.txt", "")

    def test_a_folder_without_a_readme_is_found(self):
        found = self.violations(layout.check, {"runtime/flow/window.hpp": ""})
        self.assertEqual(len(found), 1, found)
        self.assertIn("runtime/flow/: has no README.md", found[0])

    def test_a_dead_link_is_found(self):
        self.finds(layout.check, "README.md", "[gone](runtime/GONE.md)\n", ":1:")

    def test_a_readme_that_explains_another_graph_is_found(self):
        graph = {layout.QUOTED_GRAPH: '{"edges": [{"from": "a", "to": "b"}]}', "examples/README.md": ""}
        quote = "```json\n\"edges\":\n  [{\"from\": \"%s\", \"to\": \"b\"}]\n```\n"
        self.assertEqual(self.violations(layout.check, {**graph, "README.md": quote % "a"}), [])
        self.assertEqual(len(self.violations(layout.check, {**graph, "README.md": quote % "c"})), 1)

    def test_a_path_of_one_machine_is_found(self):
        self.finds(layout.check, "runtime/data/batch.hpp", "// see /ho" "me/someone/notes\n", ":1:")

    def test_unfinished_places_and_sleeping_tests_are_found(self):
        self.finds(layout.check, "runtime/data/batch.hpp", "// TO" "DO later\n", ":1:")
        self.finds(layout.check, "tests/runtime/ring/ring_test.cpp", "std::this_thread::sleep" "_for(1s);\n", "deadline")

    def test_a_header_that_leans_on_another_is_found(self):
        self.finds(compiling.check_headers, "runtime/data/batch.hpp", "#pragma once\ninline std::string name;\n")

    def test_a_header_that_a_source_includes_first_is_left_to_the_lint_step(self):
        leaning = {"runtime/ring/ring.hpp": "#pragma once\ninline std::string name;\n",
                   "runtime/ring/ring.cpp": '#include "runtime/ring/ring.hpp"\n'}
        self.assertEqual(self.violations(compiling.check_headers, leaning), [])

    def test_an_unformatted_source_is_found(self):
        self.finds(compiling.check_format, "runtime/ring/ring.hpp", "#pragma once\nint   f( );\n")


if __name__ == "__main__":
    unittest.main()
