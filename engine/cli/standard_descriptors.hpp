#pragma once

namespace sluice {

// A process may be started with standard input, output or error closed. The next file that is opened would
// then get that number, and rows or log lines would be written into it, or an event descriptor be read as
// input. Puts in each such place a descriptor whose use fails with "Bad file descriptor", as if it were still
// closed. To be called before anything is opened.
void hold_standard_descriptors();

}  // namespace sluice
