#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "engine/graph/rules.hpp"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

// Who uses one file, as indexes of operators: the first of each kind.
struct Users {
  std::size_t reader = kNobody;
  std::size_t writer = kNobody;
  std::size_t appender = kNobody;
};

// Two operators that would spoil each other's records: both would be right alone, so nobody else sees it.
class FileRule {
 public:
  FileRule(const Draft& draft, Problems& problems) : draft_(draft), problems_(problems) {}

  void take(std::size_t index, const FileUse& use) {
    const bool standard = use.path == "-";
    std::error_code ignored;
    const fs::file_status status = standard ? fs::file_status() : fs::status(use.path, ignored);
    if (fs::is_character_file(status)) return;  // /dev/null may be anybody's
    const std::string name = standard ? use.path : real_path(use.path);
    if (use.kind == FileUse::Kind::read) {
      read(index, standard ? "standard input" : name, standard || fs::is_fifo(status));
      return;
    }
    write(index, standard ? "standard output" : name, use.kind == FileUse::Kind::append);
  }

 private:
  static std::string real_path(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(path, error);
    return error ? path : real.string();
  }

  void read(std::size_t index, const std::string& name, bool once_only) {
    Users& users = users_[name];
    if (once_only && users.reader != kNobody) {
      report(index,
             fmt::format("{} is read by {} too, and each would get pieces of it", name, id(users.reader)),
             "read it once, and give that operator several edges");
    }
    if (users.appender != kNobody) report_endless(index, name, users.appender);
    if (users.reader == kNobody) users.reader = index;
  }

  void write(std::size_t index, const std::string& name, bool append) {
    Users& users = users_[name];
    if (users.writer != kNobody) {
      report(index, fmt::format("{} is written by {} too", name, id(users.writer)),
             "let both flow into one sink, or write to two files");
    }
    if (append && users.reader != kNobody) report_endless(index, name, users.reader);
    if (users.writer == kNobody) users.writer = index;
    if (append && users.appender == kNobody) users.appender = index;
  }

  void report_endless(std::size_t index, const std::string& name, std::size_t other) {
    report(
        index,
        fmt::format("{} is both read and appended to, here and by {}: it would never end", name, id(other)),
        "append to another file");
  }

  std::string id(std::size_t index) const { return "\"" + draft_.graph.operators[index].id + "\""; }

  void report(std::size_t index, std::string message, std::string hint) {
    problems_.push_back({operator_pointer(index), ErrorCode::bad_value, std::move(message), std::move(hint)});
  }

  const Draft& draft_;
  Problems& problems_;
  std::map<std::string, Users> users_;
};

}  // namespace

void check_files(const Draft& draft, Problems& problems) {
  FileRule rule(draft, problems);
  for (std::size_t i = 0; i < draft.graph.operators.size(); ++i) {
    const OperatorNode& node = draft.graph.operators[i];
    if (node.bound == nullptr) continue;
    for (const FileUse& use : node.bound->traits().files) rule.take(i, use);
  }
}

}  // namespace sluice
