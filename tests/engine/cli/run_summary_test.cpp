#include "engine/cli/run_summary.hpp"

#include <doctest/doctest.h>

namespace sluice {

TEST_CASE(
    "the summary counts every record, and claims nothing written or lost of a job that did not complete") {
  RunTotals totals;
  totals.read = 1'234'567;
  totals.written = 1'000'001;
  const std::string complete = summary_text(totals, 1, 0, true);
  CHECK(complete.find("1,234,567 records read, 1,000,001 written") == 0);
  CHECK(complete.find("0 lost") != std::string::npos);
  const std::string failed = summary_text(totals, 1, 0, false);
  CHECK(failed.find("1,000,001 reached a sink (not complete)") != std::string::npos);
  CHECK(failed.find("lost") == std::string::npos);
  CHECK(failed.find("written") == std::string::npos);
}

}  // namespace sluice
