#include "operators/format/framing.hpp"

#include <cstring>

namespace sluice {
namespace {

const char* find(const char* from, const char* end, char wanted) {
  return static_cast<const char*>(std::memchr(from, wanted, static_cast<std::size_t>(end - from)));
}

Frame framed(const char* begin, const char* line_feed, std::uint32_t lines) {
  const auto consumed = static_cast<std::size_t>(line_feed - begin) + 1;
  std::size_t length = consumed - 1;
  if (length > 0 && begin[length - 1] == '\r') --length;
  return {Frame::Kind::kRecord, length, consumed, lines};
}

Frame rest(std::string_view bytes, std::uint32_t lines) {
  std::size_t length = bytes.size();
  if (length > 0 && bytes[length - 1] == '\r') --length;
  return {Frame::Kind::kRecord, length, bytes.size(), lines};
}

Frame broken(Frame first_line) {
  first_line.kind = Frame::Kind::kBrokenQuote;
  return first_line;
}

// Walks over the fields of a record that may span lines.
class QuotedWalk {
 public:
  QuotedWalk(std::string_view bytes, bool at_end, const Framing& framing)
      : begin_(bytes.data()), end_(bytes.data() + bytes.size()), at_end_(at_end), framing_(framing) {}

  Frame run(const Frame& first_line) {
    const char* at = begin_;
    for (std::size_t fields = 1;; ++fields) {
      const bool quoted = at < end_ && *at == framing_.quote;
      if (quoted) {
        at = skip_quoted(at + 1);
        if (at == nullptr) return at_end_ ? broken(first_line) : Frame{};
      }
      const char* line_feed = find_cached(at);
      if (!quoted) at = field_end(at, line_feed);
      if (at == end_) return at_end_ ? finish(first_line, fields, nullptr) : Frame{};
      if (*at == framing_.delimiter) {
        ++at;
        continue;
      }
      if (*at == '\r' && at + 1 == end_ && !at_end_) return Frame{};
      if (*at == '\r' && (at + 1 == end_ || at[1] == '\n')) return finish(first_line, fields, line_feed);
      if (*at == '\n') return finish(first_line, fields, line_feed);
      return broken(first_line);  // something behind a closing quote
    }
  }

 private:
  // The byte behind the closing quote, or nullptr if the bytes do not hold it for certain.
  const char* skip_quoted(const char* at) {
    for (;;) {
      const char* quote = find(at, end_, framing_.quote);
      if (quote == nullptr) return nullptr;
      if (quote + 1 == end_) return at_end_ ? end_ : nullptr;
      if (quote[1] != framing_.quote) return quote + 1;
      at = quote + 2;
    }
  }

  const char* find_cached(const char* at) {
    if (line_feed_ == nullptr || line_feed_ < at) {
      line_feed_ = no_more_line_feeds_ ? nullptr : find(at, end_, '\n');
      no_more_line_feeds_ = line_feed_ == nullptr;
    }
    return line_feed_;
  }

  const char* field_end(const char* at, const char* line_feed) const {
    const char* stop = line_feed != nullptr ? line_feed : end_;
    const char* delimiter = find(at, stop, framing_.delimiter);
    return delimiter != nullptr ? delimiter : stop;
  }

  Frame finish(const Frame& first_line, std::size_t fields, const char* line_feed) const {
    const char* stop = line_feed != nullptr ? line_feed : end_;
    std::uint32_t inside = 0;
    for (const char* p = begin_; (p = find(p, stop, '\n')) != nullptr; ++p) ++inside;
    if (inside > 0 && framing_.fields != 0 && fields != framing_.fields) return broken(first_line);
    const std::uint32_t lines = inside + (line_feed != nullptr ? 1 : 0);
    if (line_feed != nullptr) return framed(begin_, line_feed, lines);
    return rest({begin_, static_cast<std::size_t>(end_ - begin_)}, lines);
  }

  const char* begin_;
  const char* end_;
  bool at_end_;
  const Framing& framing_;
  const char* line_feed_ = nullptr;
  bool no_more_line_feeds_ = false;
};

}  // namespace

Frame frame_line(std::string_view bytes, std::size_t searched, bool at_end) {
  const char* begin = bytes.data();
  const char* line_feed = find(begin + searched, begin + bytes.size(), '\n');
  if (line_feed != nullptr) return framed(begin, line_feed, 1);
  return at_end ? rest(bytes, 0) : Frame{};
}

Frame frame_csv(std::string_view bytes, std::size_t searched, bool at_end, const Framing& framing) {
  const Frame line = frame_line(bytes, searched, at_end);
  if (line.kind == Frame::Kind::kNeedsMore) return line;
  if (framing.comment && !bytes.empty() && bytes[0] == *framing.comment) return line;
  if (std::memchr(bytes.data(), framing.quote, line.length) == nullptr) return line;
  return QuotedWalk(bytes, at_end, framing).run(line);
}

}  // namespace sluice
