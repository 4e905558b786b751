#include <fmt/format.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "operators/format/parsers.hpp"

namespace sluice {
namespace {

enum Part : std::uint8_t {
  kClient,
  kIdent,
  kUser,
  kTime,
  kRequest,
  kMethod,
  kPath,
  kProtocol,
  kStatus,
  kBytes,
  kReferer,
  kAgent
};
constexpr std::size_t kCommonParts = 10;
constexpr std::size_t kCombinedParts = 12;

struct PartRow {
  std::string_view name;
  Type type;
};
constexpr std::array<PartRow, kCombinedParts> kParts = {{{"client", Type::string},
                                                         {"ident", Type::string},
                                                         {"user", Type::string},
                                                         {"time", Type::timestamp},
                                                         {"request", Type::string},
                                                         {"method", Type::string},
                                                         {"path", Type::string},
                                                         {"protocol", Type::string},
                                                         {"status", Type::int64},
                                                         {"bytes", Type::int64},
                                                         {"referer", Type::string},
                                                         {"agent", Type::string}}};

// The pieces of one line. nullopt-like: data() == nullptr is null.
using Parts = std::array<std::string_view, kCombinedParts>;

// client ident user [time] "request" status bytes, and for the combined format "referer" "agent". The user
// may hold blanks. Inside quotes a backslash keeps the next byte from ending the text.
class LineScanner {
 public:
  explicit LineScanner(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  bool word(std::string_view& out) {
    const char* blank = find(' ');
    if (blank == nullptr || blank == at_) return false;
    out = {at_, static_cast<std::size_t>(blank - at_)};
    at_ = blank + 1;
    return true;
  }
  bool last_word(std::string_view& out) {
    out = {at_, static_cast<std::size_t>(end_ - at_)};
    at_ = end_;
    return !out.empty() && out.find(' ') == std::string_view::npos;
  }
  // The text as far as " [", and behind it the time as far as "] ".
  bool user_and_time(std::string_view& user, std::string_view& time) {
    const char* bracket = at_;
    for (;; ++bracket) {
      bracket = static_cast<const char*>(std::memchr(bracket, '[', static_cast<std::size_t>(end_ - bracket)));
      if (bracket == nullptr) return false;
      if (bracket > at_ + 1 && bracket[-1] == ' ') break;
    }
    user = {at_, static_cast<std::size_t>(bracket - 1 - at_)};
    at_ = bracket + 1;
    const char* closing = find(']');
    if (closing == nullptr) return false;
    time = {at_, static_cast<std::size_t>(closing - at_)};
    at_ = closing + 1;
    return blank();
  }
  bool blank() {
    if (at_ == end_ || *at_ != ' ') return false;
    ++at_;
    return true;
  }
  bool quoted(std::string_view& out) {
    if (at_ == end_ || *at_ != '"') return false;
    const char* begin = ++at_;
    for (;;) {
      const char* quote = find('"');
      if (quote == nullptr) return false;
      at_ = quote + 1;
      const char* first = quote;  // of the backslashes in front of it
      while (first > begin && first[-1] == '\\') --first;
      if ((quote - first) % 2 == 0) {
        out = {begin, static_cast<std::size_t>(quote - begin)};
        return true;
      }
    }
  }
  bool at_end() const { return at_ == end_; }

 private:
  const char* find(char wanted) const {
    return static_cast<const char*>(std::memchr(at_, wanted, static_cast<std::size_t>(end_ - at_)));
  }

  const char* at_;
  const char* end_;
};

int two_digits(const char* p) {
  return p[0] >= '0' && p[0] <= '9' && p[1] >= '0' && p[1] <= '9' ? (p[0] - '0') * 10 + p[1] - '0' : -1;
}

// 1 to 12, or 0.
int month_number(const char* p) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  for (std::size_t m = 0; m < 12; ++m) {
    if (std::memcmp(kMonths.data() + 3 * m, p, 3) == 0) return static_cast<int>(m) + 1;
  }
  return 0;
}

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// 17/May/2015:10:05:03 +0000
std::optional<std::int64_t> parse_log_time(std::string_view text) {
  if (text.size() != 26) return std::nullopt;
  const char* p = text.data();
  if (p[2] != '/' || p[6] != '/' || p[11] != ':' || p[14] != ':' || p[17] != ':' || p[20] != ' ')
    return std::nullopt;
  const int day = two_digits(p);
  const int month = month_number(p + 3);
  const int century = two_digits(p + 7);
  const int year_of_century = two_digits(p + 9);
  const int hour = two_digits(p + 12);
  const int minute = two_digits(p + 15);
  const int second = two_digits(p + 18);
  const int zone_hours = two_digits(p + 22);
  const int zone_minutes = two_digits(p + 24);
  if (month == 0 || century < 0 || year_of_century < 0 || (p[21] != '+' && p[21] != '-')) return std::nullopt;
  const int year = century * 100 + year_of_century;
  if (year < 1 || day < 1 || day > days_in_month(year, month)) return std::nullopt;
  // Second 60 is a leap second, which reads as the next minute's first.
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return std::nullopt;
  if (zone_hours < 0 || zone_hours > 23 || zone_minutes < 0 || zone_minutes > 59) return std::nullopt;
  constexpr std::int64_t kMinuteUs = 60'000'000;
  const std::int64_t zone_us = (zone_hours * 60 + zone_minutes) * kMinuteUs;
  const std::int64_t local_us =
      us_from_civil(year, month, day, hour, minute, 0, 0) + second * std::int64_t{1'000'000};
  return p[21] == '+' ? local_us - zone_us : local_us + zone_us;
}

struct ApacheColumn {
  Part part;
  bool natural;  // the part's own type: no converter is asked
  FieldConverter converter;
};

class ApacheFormat final : public RecordFormat {
 public:
  ApacheFormat(bool combined, std::vector<Field> fields, std::vector<ApacheColumn> columns)
      : combined_(combined), columns_(std::move(columns)) {
    schema_ = Schema(std::move(fields));
  }
  std::unique_ptr<RecordParser> create() const override;
  bool combined() const { return combined_; }
  const std::vector<ApacheColumn>& columns() const { return columns_; }

 private:
  bool combined_;
  std::vector<ApacheColumn> columns_;
};

class ApacheParser final : public RecordParser {
 public:
  explicit ApacheParser(const ApacheFormat& format) : format_(format) {}

  Outcome parse(std::string_view record, ColumnBuilder* columns) override {
    Parts parts;
    if (const char* missing = scan(record, parts)) {
      return bad(ErrorCode::malformed_record,
                 fmt::format("the line has no {} where one is expected", missing));
    }
    for (std::size_t c = 0; c < format_.columns().size(); ++c) {
      const ApacheColumn& column = format_.columns()[c];
      const std::string_view text = parts[column.part];
      if (text.data() == nullptr || (text.size() == 1 && text[0] == '-')) {
        columns[c].append_null();
      } else if (!append(column, text, columns[c])) {
        return bad(ErrorCode::bad_field,
                   field_fault(format_.schema().field(c).name, text, column.converter.type()));
      }
    }
    return Outcome::kRow;
  }

 private:
  // What the line lacks, or nullptr.
  const char* scan(std::string_view record, Parts& parts) const {
    LineScanner line(record);
    if (!line.word(parts[kClient])) return "client";
    if (!line.word(parts[kIdent])) return "ident";
    if (!line.user_and_time(parts[kUser], parts[kTime])) return "user and time in brackets";
    if (!line.quoted(parts[kRequest]) || !line.blank()) return "quoted request";
    if (!line.word(parts[kStatus])) return "status";
    if (!format_.combined()) {
      if (!line.last_word(parts[kBytes])) return "number of bytes at its end";
    } else {
      if (!line.word(parts[kBytes])) return "number of bytes";
      if (!line.quoted(parts[kReferer]) || !line.blank()) return "quoted referer";
      if (!line.quoted(parts[kAgent])) return "quoted agent";
      if (!line.at_end()) return "end behind the agent";
    }
    split_request(parts);
    return nullptr;
  }

  // Three words, or the three stay null.
  static void split_request(Parts& parts) {
    const std::string_view request = parts[kRequest];
    const std::size_t first = request.find(' ');
    if (first == std::string_view::npos || first == 0) return;
    const std::size_t second = request.find(' ', first + 1);
    if (second == std::string_view::npos || second == first + 1 || second + 1 == request.size()) return;
    if (request.find(' ', second + 1) != std::string_view::npos) return;
    parts[kMethod] = request.substr(0, first);
    parts[kPath] = request.substr(first + 1, second - first - 1);
    parts[kProtocol] = request.substr(second + 1);
  }

  bool append(const ApacheColumn& column, std::string_view text, ColumnBuilder& to) {
    if (column.natural && column.part == kTime) return append_time(text, to);
    if (std::memchr(text.data(), '\\', text.size()) != nullptr) text = unescaped(text);
    if (column.natural && kParts[column.part].type == Type::string) {
      to.append_string(text);
      return true;
    }
    return column.converter.append(text, to);
  }

  // Busy servers log many lines within one second.
  bool append_time(std::string_view text, ColumnBuilder& to) {
    if (text.size() != last_time_.size() ||
        std::memcmp(text.data(), last_time_.data(), last_time_.size()) != 0) {
      const auto us = parse_log_time(text);
      if (!us) return false;
      std::memcpy(last_time_.data(), text.data(), last_time_.size());
      last_us_ = *us;
    }
    to.append_int64(last_us_);
    return true;
  }

  // \" and \\ become the character; other escapes (\x16, \t) stay as the server wrote them.
  std::string_view unescaped(std::string_view text) {
    scratch_.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool escape =
          text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
      if (escape) ++i;
      scratch_ += text[i];
    }
    return scratch_;
  }

  const ApacheFormat& format_;
  std::array<char, 26> last_time_{};
  std::int64_t last_us_ = 0;
  std::string scratch_;
};

std::unique_ptr<RecordParser> ApacheFormat::create() const { return std::make_unique<ApacheParser>(*this); }

std::vector<std::string> part_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < count; ++p) names.emplace_back(kParts[p].name);
  return names;
}

std::optional<Part> find_part(const ColumnSpec& spec, std::size_t count) {
  if (spec.position)
    return *spec.position <= count ? std::optional(static_cast<Part>(*spec.position - 1)) : std::nullopt;
  for (std::size_t p = 0; p < count; ++p) {
    if (kParts[p].name == spec.source_name()) return static_cast<Part>(p);
  }
  return std::nullopt;
}

}  // namespace

FormatPtr bind_apache(bool combined, const std::vector<ColumnSpec>& specs, Problems& problems) {
  const std::size_t count = combined ? kCombinedParts : kCommonParts;
  std::vector<ColumnSpec> columns = specs;
  if (columns.empty()) {
    for (const std::string& name : part_names(count)) {
      columns.emplace_back();
      columns.back().name = name;
    }
  }
  std::vector<Field> fields;
  std::vector<ApacheColumn> bound;
  const std::size_t before = problems.size();
  for (ColumnSpec spec : columns) {
    const auto part = find_part(spec, count);
    if (!part) {
      unknown_source(spec, part_names(count), "column of the format", problems);
      continue;
    }
    const Type own = kParts[*part].type;
    const Type type = spec.type.value_or(own);
    const bool natural = type == own && spec.time_format.empty();
    if (*part == kTime && spec.time_format.empty()) spec.time_format = "%d/%b/%Y:%H:%M:%S %z";
    auto converter = make_converter(spec, type, problems);
    if (!converter) continue;
    fields.push_back({spec.name, type});
    bound.push_back({*part, natural, std::move(*converter)});
  }
  if (problems.size() > before) return nullptr;
  return std::make_shared<ApacheFormat>(combined, std::move(fields), std::move(bound));
}

}  // namespace sluice
