#include "operators/format/table_writer.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "operators/format/utf8.hpp"
#include "operators/format/value_text.hpp"

namespace sluice {
namespace {

constexpr std::size_t kWidest = 80;  // a column is padded to at most this many characters
constexpr std::size_t kMeasuredBytes = 4 * 1024 * 1024;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool stands_right(Type type) { return type == Type::int64 || type == Type::float64; }

// Text on one line. What needs no escape is left as it is, quotes and backslashes too.
std::string on_one_line(std::string_view text) {
  std::string out;
  const bool control = std::any_of(text.begin(), text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (!control) {
    append_utf8(out, text);
    return out;
  }
  append_json_string(out, text);
  return out.substr(1, out.size() - 2);
}

class TableWriter final : public RecordWriter {
 public:
  explicit TableWriter(const Schema& schema) : schema_(schema) {}

  void begin(std::string&) override { measuring_ = true; }

  void write(const Batch& batch, std::string& out) override {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      std::vector<std::string> cells = cells_of(batch, row);
      if (!measuring_) {
        write_cells(cells, out);
        continue;
      }
      for (const std::string& cell : cells) held_bytes_ += cell.size();
      held_.push_back(std::move(cells));
      if (held_.size() == kTableMeasuredRows || held_bytes_ > kMeasuredBytes) release(out);
    }
  }

  void end(std::string& out) override {
    if (measuring_) release(out);
  }

 private:
  std::vector<std::string> cells_of(const Batch& batch, std::size_t row) const {
    std::vector<std::string> cells(schema_.visible());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const Column& column = batch.column(c);
      if (column.is_null(row)) continue;
      if (physical(column.type) == Physical::bytes) {
        cells[c] = on_one_line(column.string(row));
      } else {
        append_plain_value(cells[c], column, row);
      }
    }
    return cells;
  }

  void release(std::string& out) {
    measuring_ = false;
    std::vector<std::string> header;
    for (std::size_t c = 0; c < schema_.visible(); ++c) header.push_back(on_one_line(schema_.field(c).name));
    for (const std::string& name : header) widths_.push_back(std::min(kWidest, characters(name)));
    for (const auto& cells : held_) {
      for (std::size_t c = 0; c < cells.size(); ++c) {
        widths_[c] = std::max(widths_[c], std::min(kWidest, characters(cells[c])));
      }
    }
    write_cells(header, out);
    std::vector<std::string> rule;
    for (const std::size_t width : widths_) rule.emplace_back(width, '-');
    write_cells(rule, out);
    for (const auto& cells : held_) write_cells(cells, out);
    held_.clear();
    held_.shrink_to_fit();
  }

  void write_cells(const std::vector<std::string>& cells, std::string& out) const {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t width = characters(cells[c]);
      const std::size_t padding = widths_[c] > width ? widths_[c] - width : 0;
      const bool right = stands_right(schema_.field(c).type);
      const bool last = c + 1 == cells.size();
      if (c > 0) out += "  ";
      if (right) out.append(padding, ' ');
      out += cells[c];
      if (!right && !last) out.append(padding, ' ');
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
  }

  Schema schema_;
  bool measuring_ = true;
  std::vector<std::vector<std::string>> held_;
  std::size_t held_bytes_ = 0;
  std::vector<std::size_t> widths_;
};

}  // namespace

std::unique_ptr<RecordWriter> make_table_writer(const Schema& schema) {
  return std::make_unique<TableWriter>(schema);
}

}  // namespace sluice
