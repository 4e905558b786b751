#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operators/config/catalogue.hpp"
#include "operators/format/framing.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice {

// Why a record was refused.
struct RecordFault {
  ErrorCode code = ErrorCode::malformed_record;
  std::string message;  // one sentence, without the place
};

// Turns records into rows: scratch memory of one task for one format. One thread.
class RecordParser {
 public:
  enum class Outcome : std::uint8_t {
    kRow,   // one value was appended to each column
    kSkip,  // no record: a blank line, a comment
    kBad,   // `fault()` says why; the columns may hold a part of the row, which the caller takes back
  };

  virtual ~RecordParser() = default;
  // `record` is one record without its line end, with kRecordPadding readable bytes behind it. `columns`: one
  // builder a column of the format's schema.
  virtual Outcome parse(std::string_view record, ColumnBuilder* columns) = 0;
  // csv with a header: the first record of each input goes here instead. An error ends the job.
  virtual bool wants_header() const { return false; }
  virtual Result<void> read_header(std::string_view) { return {}; }
  // The number of fields that a record must have; 0 = not fixed.
  virtual std::size_t fields() const { return 0; }

  const RecordFault& fault() const { return fault_; }

 protected:
  Outcome bad(ErrorCode code, std::string message) {
    fault_ = {code, std::move(message)};
    return Outcome::kBad;
  }

 private:
  RecordFault fault_;
};

// A format with its columns, checked. Immutable; shared by all tasks.
class RecordFormat {
 public:
  virtual ~RecordFormat() = default;
  const Schema& schema() const { return schema_; }
  const Framing& framing() const { return framing_; }
  virtual std::unique_ptr<RecordParser> create() const = 0;

 protected:
  Schema schema_;
  Framing framing_;
};

// The first records of the input, for what has to be known before the graph starts: the header of a csv file,
// the columns of JSON. Gives at most `count` records, fewer if the input has no more; an error if it cannot
// be read now (standard input, a pipe).
using SampleRecords =
    std::function<Result<std::vector<std::string>>(const Framing& framing, std::size_t count)>;

// The fields `format` and `schema` of an operator's config.
FieldSpec format_field();
FieldSpec schema_field();

// Binds `config["format"]` and `config["schema"]`. Null after adding to `problems`.
std::shared_ptr<const RecordFormat> bind_format(const Json& config, const SampleRecords& sample,
                                                Problems& problems);

}  // namespace sluice
