/* A diamond: source, two branches, a join in the order of event time (flow.md, section 8).
 *
 * The source sends each block to both branches. One branch filters everything away, the other passes everything on; the
 * join may take a block only when it knows how far the other side has come. Every channel has WINDOW credits.
 * Event-time watermarks go beside the data, need no credit, and a newer one replaces an older one that was not yet read.
 *
 * Shown: every run ends, and the join takes the blocks in order. A fault to be built in, which must be found:
 *   NO_WATERMARKS   the filtering branch says nothing before end of stream; a larger WINDOW only moves the point at which
 *                   everything stops
 */
#ifndef BLOCKS
#define BLOCKS 8
#endif
#ifndef WINDOW
#define WINDOW 2
#endif

#define END 255

chan to_filter = [WINDOW] of { byte };
chan to_pass = [WINDOW] of { byte };
chan passed = [WINDOW] of { byte };
byte filter_in = 0;    /* event-time watermarks, one cell a channel: the newest */
byte pass_in = 0;
byte filter_out = 0;
byte pass_out = 0;

active proctype Source() {
  byte t = 0;
  do
  :: t < BLOCKS -> t++; to_filter!t; filter_in = t; to_pass!t; pass_in = t
  :: else -> break
  od;
  filter_in = END; pass_in = END
}

active proctype Filter() {
  byte t;
  do
  :: to_filter?t -> skip
#ifdef NO_WATERMARKS
  :: atomic { empty(to_filter) && filter_in == END && filter_out < END -> filter_out = END }
#else
  :: atomic { empty(to_filter) && filter_out < filter_in -> filter_out = filter_in }
#endif
  :: atomic { filter_out == END -> break }
  od
}

active proctype Pass() {
  byte t;
  do
  :: to_pass?t -> passed!t
  :: atomic { empty(to_pass) && pass_out < pass_in -> pass_out = pass_in }
  :: atomic { pass_out == END && empty(to_pass) -> break }
  od
}

active proctype Join() {
  byte head = 0; /* the block at the head of the passing side; 0: none */
  byte last = 0;
  do
  :: head == 0 && nempty(passed) -> passed?head
  :: head == 0 && pass_out == END && empty(passed) -> break
  :: head != 0 && filter_out >= head -> assert(head == last + 1); last = head; head = 0
  od;
  assert(last == BLOCKS)
}
