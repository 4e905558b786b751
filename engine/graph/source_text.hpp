#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "operators/config/problem.hpp"

namespace sluice {

// A place in a file: both from 1; columns count code points, as editors do.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;

  bool operator==(const Position&) const = default;
};

// Of what concerns a file as a whole: it cannot be read, it is too large.
inline constexpr Position kNoPosition = {0, 0};

// A piece of the text that was scanned, and where it came from: environment variables make the two differ.
struct TextPiece {
  std::size_t offset = 0;         // in the text that was scanned
  std::size_t source_offset = 0;  // in the file
  bool substituted = false;       // the whole piece stands for one ${…} at source_offset
};

// The text of a graph document, kept as long as problems may have to be shown at their place: the file as it
// was read, and the text that was scanned after environment variables were replaced. Immutable, so any thread
// may ask. It keeps no position of any value: asking scans the text once, for all pointers together, which
// costs nothing while all is well and little when it is not.
class SourceText {
 public:
  // `file` is the name to print. `pieces` are in order and start at 0.
  SourceText(std::string file, std::string source, std::string scanned, std::vector<TextPiece> pieces);

  const std::string& file() const { return file_; }
  const std::string& scanned() const { return scanned_; }

  // Where an offset of the scanned text lies in the file.
  Position position_at(std::size_t scanned_offset) const;
  // Where the value of a JSON pointer stands (the key, for problems of the key itself); if the document has
  // no such value, the nearest value around it.
  Position position_of(std::string_view pointer) const;
  // The same for many problems in one scan; same order.
  std::vector<Position> positions_of(const Problems& problems) const;

 private:
  std::size_t source_offset(std::size_t scanned_offset) const;

  std::string file_;
  std::string source_;
  std::string scanned_;
  std::vector<TextPiece> pieces_;
  std::vector<std::size_t> line_starts_;  // in source_
};

}  // namespace sluice
