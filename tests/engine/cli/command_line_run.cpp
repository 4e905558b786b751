#include "tests/engine/cli/command_line_run.hpp"

#include <cstdio>
#include <cstdlib>

#include "engine/cli/command_line.hpp"
#include "operators/builtin/builtin_catalogue.hpp"

namespace sluice {
namespace {

// A stream whose text can be asked for.
class MemoryStream {
 public:
  MemoryStream() : file_(open_memstream(&text_, &size_)) {}
  MemoryStream(const MemoryStream&) = delete;
  MemoryStream& operator=(const MemoryStream&) = delete;
  ~MemoryStream() {
    std::fclose(file_);
    std::free(text_);
  }
  std::FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

}  // namespace

CommandLineResult run_sluice(const std::vector<std::string>& arguments) {
  MemoryStream out;
  MemoryStream err;
  Terminal terminal;
  terminal.out = out.file();
  terminal.err = err.file();
  VerbContext context{terminal, builtin_catalogue(), {}};
  const int exit_code = run_command_line(arguments, context);
  return {exit_code, out.text(), err.text()};
}

}  // namespace sluice
