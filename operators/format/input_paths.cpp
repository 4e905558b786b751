#include "operators/format/input_paths.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "runtime/base/text_distance.hpp"

namespace sluice {
namespace {

namespace fs = std::filesystem;

bool is_pattern(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

// The base's own * ? [ ] are no wildcards.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '*' || c == '?' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> matches(const std::string& pattern, const std::string& base) {
  const bool absolute = !pattern.empty() && pattern[0] == '/';
  const std::string full = absolute || base.empty() ? pattern : escaped(base) + "/" + pattern;
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(full.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      std::error_code ignored;
      if (!fs::is_directory(found.gl_pathv[i], ignored)) paths.emplace_back(found.gl_pathv[i]);
    }
  }
  ::globfree(&found);
  std::sort(paths.begin(), paths.end());  // bytes, not the locale's order
  return paths;
}

std::string shown_from(const std::string& base, const std::string& pattern, const std::string& path) {
  const bool relative = !base.empty() && pattern[0] != '/' && path.size() > base.size() + 1;
  return relative ? path.substr(base.size() + 1) : path;
}

std::vector<std::string> names_beside(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error), end;
       !error && it != end && names.size() < 1000; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  return names;
}

void check_readable(const std::string& path, const std::string& shown, const std::string& pointer,
                    Problems& problems) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    problems.push_back(
        {pointer, ErrorCode::file_unreadable, fmt::format("{} is a directory", shown),
         fmt::format("name a file, or all of them: \"{}{}*\"", shown, shown.back() == '/' ? "" : "/")});
    return;
  }
  if (::access(path.c_str(), R_OK) == 0) return;
  const int reason = errno;
  const std::string hint =
      reason == ENOENT ? did_you_mean(fs::path(path).filename().string(), names_beside(path)) : std::string();
  problems.push_back({pointer, ErrorCode::file_unreadable,
                      fmt::format("{} cannot be read: {}", shown, std::generic_category().message(reason)),
                      hint});
}

void resolve_one(const std::string& written, const std::string& base, const std::string& pointer,
                 std::vector<InputPath>& inputs, Problems& problems) {
  if (written.empty()) {
    problems.push_back({pointer, ErrorCode::bad_value, "the path is empty", "\"-\" is standard input"});
    return;
  }
  if (written == "-") {
    inputs.push_back({"-", "-"});
    return;
  }
  const std::string path = path_from(base, written);
  if (!is_pattern(written) || ::access(path.c_str(), F_OK) == 0) {
    check_readable(path, written, pointer, problems);
    inputs.push_back({path, written});
    return;
  }
  const std::vector<std::string> found = matches(written, base);
  if (found.empty()) {
    problems.push_back({pointer, ErrorCode::no_match, fmt::format("no file matches \"{}\"", written), ""});
  }
  for (const std::string& match : found) inputs.push_back({match, shown_from(base, written, match)});
}

// Why a path cannot be followed whatever stands there, and what to do; two empty texts if nothing speaks
// against it.
std::pair<std::string, std::string> unfollowable(const Json& path, const std::string& full) {
  const std::string one_each = "write a file_source for each file; several edges into one port are a union";
  if (!path.is_string()) return {"a list cannot be followed, only one file by its name", one_each};
  const auto& written = path.get_ref<const std::string&>();
  if (written == "-")
    return {"standard input cannot be followed: it is read as it comes anyway", "leave \"follow\" out"};
  std::error_code ignored;
  const fs::file_status status = fs::status(full, ignored);
  if (fs::exists(status)) {
    if (fs::is_regular_file(status)) return {};
    return {fmt::format("{} is no regular file, and only those can be followed", written), ""};
  }
  if (is_pattern(written)) return {"a pattern cannot be followed, only one file by its name", one_each};
  return {};
}

}  // namespace

std::optional<InputPath> resolve_followed(const Json& path, const std::string& base_directory,
                                          Problems& problems) {
  if (path == "") {
    problems.push_back({"/path", ErrorCode::bad_value, "the path is empty", "name a file"});
    return std::nullopt;
  }
  const std::string written = path.is_string() ? path.get<std::string>() : "";
  const std::string full = path_from(base_directory, written);
  if (auto [reason, hint] = unfollowable(path, full); !reason.empty()) {
    problems.push_back({"/path", ErrorCode::bad_value, std::move(reason), std::move(hint)});
    return std::nullopt;
  }
  std::error_code ignored;
  const fs::path folder = fs::path(full).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    problems.push_back({"/path", ErrorCode::file_unreadable,
                        fmt::format("{} cannot appear: its folder is not there", written), ""});
    return std::nullopt;
  }
  if (fs::exists(full, ignored)) check_readable(full, written, "/path", problems);
  return InputPath{full, written};
}

std::string path_from(const std::string& base_directory, const std::string& path) {
  if (base_directory.empty() || (!path.empty() && path[0] == '/')) return path;
  return base_directory + "/" + path;
}

std::vector<InputPath> resolve_inputs(const Json& path, const std::string& base_directory,
                                      Problems& problems) {
  std::string base = base_directory;
  while (base.size() > 1 && base.back() == '/') base.pop_back();
  std::vector<InputPath> inputs;
  if (path.is_string()) {
    resolve_one(path.get<std::string>(), base, "/path", inputs, problems);
  } else {
    for (std::size_t i = 0; i < path.size(); ++i) {
      resolve_one(path[i].get<std::string>(), base, fmt::format("/path/{}", i), inputs, problems);
    }
  }
  std::set<std::string> seen;
  std::vector<InputPath> once;
  for (InputPath& input : inputs) {
    if (seen.insert(input.path).second) once.push_back(std::move(input));
  }
  return once;
}

}  // namespace sluice
