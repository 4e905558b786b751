/* Event-time watermarks and end of stream beside a full data lane, in order all the same (flow.md, section 3).
 *
 * The sender follows its blocks with event-time watermarks that pass them, each block or several at once. The receiver is an operator that keeps its
 * blocks until a watermark has passed them (a sort, a window over blocks in place), so that WINDOW blocks exhaust the
 * credit and nothing but the next watermark can set one free. Control messages need no credit, have CONTROL slots of
 * their own and carry the number of blocks that they follow; they become visible before any later block.
 *
 * Shown: every run ends; a watermark is applied after exactly the blocks that it follows, never later and never before;
 * end of stream comes after everything.
 *
 * Faults to be built in, each of which must be found:
 *   CONTROL_BEHIND_DATA   control messages wait for a slot of the data lane
 *   CONTROL_LOOKED_FIRST  the receiver looks at the control lane, then at the data lane, and takes the block
 *   SEQUENCE_IGNORED      the receiver applies a control message as soon as it sees it
 */
#ifndef BLOCKS
#define BLOCKS 6
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef CONTROL
#define CONTROL 2
#endif

#define END 255

chan data = [WINDOW] of { byte };          /* a block's event time, which is its sequence too */
chan control = [CONTROL] of { byte, byte }; /* the number of blocks that it follows; the watermark */

byte sent = 0;
byte limit = WINDOW;
byte taken = 0;    /* blocks that the operator has seen */
byte consumed = 0; /* and of those, given back */
byte watermark = 0;

#ifdef CONTROL_BEHIND_DATA
#define room_for_control (sent + controls < limit)
byte controls = 0; /* control messages that ever took a slot; the receiver gives those back at once */
#define occupy controls++
#define vacate limit++
#else
#define room_for_control nfull(control)
#define occupy skip
#define vacate skip
#define controls 0
#endif

active proctype Sender() {
  bool owing = false; /* a watermark is to follow; a newer one takes its place */
  do
  :: atomic { sent < BLOCKS && sent + controls < limit -> sent++; data!sent; owing = true }
  :: atomic { owing && room_for_control -> occupy; control!sent, sent; owing = false }
  :: sent == BLOCKS && !owing -> break
  od;
  atomic { room_for_control -> occupy; control!sent, END }
}

inline apply_control() {
  atomic {
    control?follows, value ->
      vacate;
      assert(follows == taken); /* not later than the block after it */
      assert(value > watermark);
      watermark = value;
      do /* what the watermark has passed goes back, and with it its credit */
      :: consumed < taken && consumed < watermark -> consumed++; limit++
      :: else -> break
      od
  }
}

inline take_block() {
  atomic {
    data?time ->
      assert(time > watermark); /* the promise of the watermark: no older event follows */
      taken++
  }
}

active proctype Receiver() {
  byte time;
  byte follows;
  byte value;
  do
  :: watermark == END -> break
#ifdef CONTROL_LOOKED_FIRST
  :: watermark != END && control?[eval(taken), value] -> apply_control()
  :: watermark != END && nempty(control) && !(control?[eval(taken), value]) -> take_block()
  :: watermark != END && empty(control) -> if :: take_block() :: nempty(control) fi
#else
#ifdef SEQUENCE_IGNORED
  :: watermark != END && nempty(control) -> apply_control()
#else
  :: watermark != END && control?[eval(taken), value] -> apply_control()
#endif
  :: watermark != END && nempty(data) -> /* that a block is there says that what it follows is there too */
    if
    :: control?[eval(taken), value] -> apply_control()
    :: else -> take_block()
    fi
#endif
  od;
  assert(taken == BLOCKS && consumed == BLOCKS);
  assert(empty(data) && empty(control));
  assert(limit - sent - controls == WINDOW) /* all credit is back */
}
