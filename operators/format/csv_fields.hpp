#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace sluice {

struct CsvField {
  std::string_view text;  // without the quotes around it; doubled ones inside are still doubled
  bool quoted = false;
};

// Walks over the fields of one record whose quotes frame_csv has found in order.
class CsvFields {
 public:
  CsvFields(std::string_view record, char delimiter, char quote)
      : at_(record.data()), end_(record.data() + record.size()), delimiter_(delimiter), quote_(quote) {}

  bool next(CsvField& field) {
    if (done_) return false;
    if (at_ < end_ && *at_ == quote_) {
      const char* closing = closing_quote(at_ + 1);
      field = {{at_ + 1, static_cast<std::size_t>(closing - at_ - 1)}, true};
      at_ = closing < end_ ? closing + 1 : end_;
    } else {
      const char* stop = find(at_, delimiter_);
      field = {{at_, static_cast<std::size_t>(stop - at_)}, false};
      at_ = stop;
    }
    done_ = at_ == end_;
    if (!done_) ++at_;
    return true;
  }

 private:
  const char* find(const char* from, char wanted) const {
    const void* found = std::memchr(from, wanted, static_cast<std::size_t>(end_ - from));
    return found != nullptr ? static_cast<const char*>(found) : end_;
  }
  const char* closing_quote(const char* at) const {
    for (;;) {
      const char* quote = find(at, quote_);
      if (quote + 1 >= end_ || quote[1] != quote_) return quote;
      at = quote + 2;
    }
  }

  const char* at_;
  const char* end_;
  char delimiter_;
  char quote_;
  bool done_ = false;
};

// "a""b" between its quotes → a"b. The view is into `scratch` or, if there is nothing to replace, into the
// field.
inline std::string_view csv_unquoted(std::string_view text, char quote, std::string& scratch) {
  std::size_t pair = text.find(quote);
  if (pair == std::string_view::npos) return text;
  scratch.clear();
  while (pair != std::string_view::npos) {
    scratch += text.substr(0, pair + 1);
    text.remove_prefix(std::min(text.size(), pair + 2));
    pair = text.find(quote);
  }
  scratch += text;
  return scratch;
}

}  // namespace sluice
