#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operators/format/column_spec.hpp"
#include "operators/format/record_format.hpp"

namespace sluice {

// One function a format: checks `format` (the object form; a plain name counts as {"type": name}) and the
// schema entries, and gives the format or, after adding to `problems`, null. `place` is "/format".
using FormatPtr = std::shared_ptr<const RecordFormat>;

FormatPtr bind_lines(const std::vector<ColumnSpec>& specs, Problems& problems);
FormatPtr bind_csv(const Json& format, const std::vector<ColumnSpec>& specs, const SampleRecords& sample,
                   Problems& problems);
FormatPtr bind_jsonl(const std::vector<ColumnSpec>& specs, const SampleRecords& sample, Problems& problems);
FormatPtr bind_json_array(const Json& format, const std::vector<ColumnSpec>& specs,
                          const SampleRecords& sample, Problems& problems);
FormatPtr bind_logfmt(const std::vector<ColumnSpec>& specs, const SampleRecords& sample, Problems& problems);
FormatPtr bind_regex(const Json& format, const std::vector<ColumnSpec>& specs, Problems& problems);
FormatPtr bind_apache(bool combined, const std::vector<ColumnSpec>& specs, Problems& problems);

// The columns of records that name their fields, if no schema does: what `infer` makes of the first 1,000
// records. Empty after adding to `problems` if they hold none; `what` is what a record should have been.
using InferColumns = std::function<std::vector<ColumnSpec>(const std::vector<std::string>& records)>;
std::vector<ColumnSpec> inferred_columns(const Framing& framing, const SampleRecords& sample,
                                         const InferColumns& infer, std::string_view what,
                                         Problems& problems);

// A problem with the schema entry's `from` (or its name, where that says where the value stands).
void unknown_source(const ColumnSpec& spec, const std::vector<std::string>& known, std::string_view what,
                    Problems& problems);

}  // namespace sluice
