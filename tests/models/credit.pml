/* Credit by an absolute right edge, several senders on the shared pool of one receiver (flow.md, sections 3 and 4).
 *
 * Each channel has RESERVED blocks of its own; FLOATING more are shared and follow the backlog that a sender announces.
 * The receiver publishes `limit`, the number of blocks ever permitted; its messages travel on a credit path that may
 * lose, repeat and reorder them (TROUBLE times in a run), and a timer repeats the newest one. Which channel is served
 * first, whether a floating block stays with its channel or goes back, and when the hold time of a gate ends is left
 * open, so that the result holds for every such policy.
 *
 * Shown: I1 to I3 in every state; every run ends (no invalid end state, no cycle), with every block handled, every
 * floating block back and every sender's window at its first value (I13).
 *
 * Faults to be built in, each of which must be found:
 *   ANNOUNCE_ON_DATA  (with RESERVED=0) the backlog travels only with data
 *   INCREMENTAL       credit messages say how many more, instead of how many ever (with ONLY_REPEATED none is lost)
 *   FORGET_ON_ERROR   the branch for a malformed block frees the block and forgets its credit
 *   HIGH == LOW       a gate without hysteresis
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef BLOCKS
#define BLOCKS 3 /* to send on each channel */
#endif
#ifndef RESERVED
#define RESERVED 1
#endif
#ifndef FLOATING
#define FLOATING 2
#endif
#ifndef TROUBLE
#define TROUBLE 2 /* messages of the credit path that are lost, repeated or reordered */
#endif
#ifndef MALFORMED
#define MALFORMED 1 /* blocks that may turn out malformed */
#endif
#ifndef HIGH
#define HIGH 2 /* blocks queued at which a channel's gate closes */
#endif
#ifndef LOW
#define LOW 1 /* and at which it opens */
#endif
#ifndef QUEUED_CREDITS
#define QUEUED_CREDITS 2 /* credit messages on their way at one time */
#endif

#define POOL (SENDERS * RESERVED + FLOATING)

/* written by senders */
byte produced[SENDERS]; /* blocks that the task upstream has made */
byte sent[SENDERS];
byte seen[SENDERS];     /* the limit as the sender knows it */
byte wanted[SENDERS];   /* as announced: blocks ever wanted */
/* written by the receiver */
byte limit[SENDERS];
byte consumed[SENDERS];
byte handled[SENDERS];  /* what really was taken from the queue; differs from consumed where credit is forgotten */
byte floating[SENDERS];
byte posted[SENDERS];   /* the limit as last put on the credit path */
bool throttled[SENDERS];
bool held[SENDERS];     /* the gate's minimum hold time is running */
byte free = FLOATING;

byte trouble = TROUBLE;
byte malformed = MALFORMED;

chan credit[SENDERS] = [QUEUED_CREDITS] of { byte };

#define queued(i) (sent[i] - handled[i])
#define may_float(i) (free > 0 && !throttled[i] && wanted[i] > limit[i])

inline check_channel(i) {
  assert(sent[i] <= seen[i]);                                    /* I1, sender's end */
  assert(seen[i] <= limit[i]);                                   /* I1, both ends */
  assert(limit[i] - consumed[i] == RESERVED + floating[i]);      /* I2 */
}

inline check_pool() {
  d_step {
    byte k = 0;
    byte outstanding = 0;
    byte occupied = 0;
    do
    :: k < SENDERS ->
      outstanding = outstanding + limit[k] - consumed[k];
      occupied = occupied + queued(k);
      k++
    :: else -> break
    od;
    assert(outstanding + free == POOL); /* I3 */
    assert(occupied <= POOL);           /* what it is for: the receiver is never sent more than it has room for */
    k = 0; outstanding = 0; occupied = 0
  }
}

inline grant_floating(i) {
  free--; floating[i]++; limit[i]++
}

proctype Sender(byte me) {
  byte v;
  do
  :: atomic { produced[me] < BLOCKS -> produced[me]++ }
#ifndef ANNOUNCE_ON_DATA
  :: atomic { wanted[me] < produced[me] -> wanted[me] = produced[me] }
#endif
  :: atomic { sent[me] < produced[me] && sent[me] < seen[me] ->
       sent[me]++;
#ifdef ANNOUNCE_ON_DATA
       wanted[me] = produced[me];
#endif
       assert(sent[me] <= limit[me]); /* more data than credit: the receiver would close the channel */
       check_channel(me); check_pool() }
  :: atomic { credit[me]?v ->
#ifdef INCREMENTAL
       seen[me] = seen[me] + v;
#else
       if
       :: v > seen[me] -> seen[me] = v
       :: else /* old, or a repetition */
       fi;
#endif
       v = 0; check_channel(me) }
  :: atomic { sent[me] == BLOCKS && seen[me] == BLOCKS + RESERVED -> break }
  od
}

/* Returns one credit of channel i: as a reserved block, as a floating one that it keeps, or to the pool. */
inline consume(i) {
  consumed[i]++;
  if
  :: floating[i] == 0 -> limit[i]++
  :: floating[i] > 0 && !throttled[i] && wanted[i] > limit[i] -> limit[i]++
  :: floating[i] > 0 -> floating[i]--; free++
  fi
}

/* Takes one block of channel i from its queue. A malformed block gives its credit back like any other. */
inline take(i) {
  handled[i]++;
  if
#ifdef FORGET_ON_ERROR
  :: malformed > 0 -> malformed--
#else
  :: malformed > 0 -> malformed--; consume(i)
#endif
  :: consume(i)
  fi
}

#ifdef ONLY_REPEATED
#define may_disturb(i) nfull(credit[i])
#else
#define may_disturb(i) true
#endif

/* One misdeed of the credit path; an alternative each. */
inline disturb(i) {
  atomic { trouble > 0 && nempty(credit[i]) && may_disturb(i) -> trouble--;
    if
#ifndef ONLY_REPEATED
    :: credit[i]?v                                          /* lost */
#endif
    :: nfull(credit[i]) -> credit[i]?<v>; credit[i]!v       /* repeated */
    :: len(credit[i]) >= 2 -> credit[i]?v; credit[i]!v      /* reordered */
    fi;
    v = 0 }
}

proctype Receiver(byte me) {
  do
  :: atomic { queued(me) > 0 -> take(me); check_channel(me); check_pool() }
  :: atomic { may_float(me) -> grant_floating(me); check_channel(me); check_pool() }
  :: atomic { !throttled[me] && !held[me] && queued(me) >= HIGH -> throttled[me] = 1; held[me] = 1 }
  :: atomic { throttled[me] && !held[me] && queued(me) <= LOW ->
       throttled[me] = 0; held[me] = 1;
       do :: may_float(me) -> grant_floating(me) :: else -> break od; /* what was withheld, at once */
       check_channel(me); check_pool() }
  :: atomic { held[me] -> held[me] = 0 }
  :: atomic { posted[me] < limit[me] && nfull(credit[me]) ->
#ifdef INCREMENTAL
       credit[me]!limit[me] - posted[me];
#else
       credit[me]!limit[me];
#endif
       posted[me] = limit[me] }
#ifndef INCREMENTAL
  :: atomic { posted[me] == limit[me] && seen[me] < limit[me] && empty(credit[me]) ->
       credit[me]!limit[me] } /* the timer; an increment must not be repeated */
#endif
  :: atomic { handled[me] == BLOCKS && posted[me] == limit[me] && seen[me] == limit[me] && !held[me] && !throttled[me] ->
#ifndef FORGET_ON_ERROR
       assert(consumed[me] == BLOCKS && floating[me] == 0);
#endif
       break }
  od
}

active proctype CreditPath() {
  byte v;
end:
  do
  :: disturb(0)
#if SENDERS > 1
  :: disturb(1) /* the channels are alike: trouble with two of them will do */
#endif
  od
}

init {
  atomic {
    byte n = 0;
    do
    :: n < SENDERS -> limit[n] = RESERVED; run Sender(n); run Receiver(n); n++
    :: else -> n = 0; break
    od
  };
  (_nr_pr == 2); /* only this process and the credit path are left */
  assert(free == FLOATING)
}
