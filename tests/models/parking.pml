/* A worker that sleeps when it finds nothing, and those who wake it (runtime/worker).
 *
 * A waker publishes its work and then looks whether the worker sleeps; if so it takes the sleep flag down and, being the
 * one who did, posts the wake-up (an eventfd: a counter that the sleeper waits on and sets back to 0). The worker puts the
 * flag up, looks for work once more, and only then waits. Memory is taken as sequentially consistent: the fences that make
 * it so are the business of tests/relacy.
 *
 * Shown: no run stops while work is left, and every run ends: nobody wakes anybody for ever. Faults to be built in, each of
 * which must be found:
 *   NO_RECHECK         the worker does not look again after it has put the flag up
 *   FLAG_LOOKED_FIRST  the waker looks at the flag before it publishes
 */
#ifndef WAKERS
#define WAKERS 2
#endif
#ifndef ITEMS
#define ITEMS 3
#endif

byte published[WAKERS];
byte done[WAKERS];
bool sleeping = false;
byte posts = 0; /* the eventfd's counter */
byte ended = 0; /* wakers that have said that no more comes */

inline wake() {
  if
  :: sleeping ->
    atomic { /* exchange: only one waker takes the flag down */
      if
      :: sleeping -> sleeping = false; mine = true
      :: else
      fi
    };
    if
    :: mine -> mine = false; posts++
    :: else
    fi
  :: else
  fi
}

proctype Waker(byte me) {
  bool mine = false;
  do
  :: published[me] < ITEMS ->
#ifdef FLAG_LOOKED_FIRST
    wake(); published[me]++
#else
    published[me]++; wake()
#endif
  :: else -> break
  od;
#ifdef FLAG_LOOKED_FIRST
  wake(); ended++
#else
  ended++; wake()
#endif
}

/* One look at every queue, one after another, as a loop over tasks does it. */
inline look() {
  found = false; i = 0;
  do
  :: i < WAKERS ->
    if
    :: done[i] < published[i] -> done[i]++; found = true
    :: else
    fi;
    i++
  :: else -> i = 0; break
  od
}

proctype Worker() {
  bool found = false;
  byte i = 0;
  do
  :: look();
    if
    :: found
    :: !found && ended == WAKERS && done[0] == ITEMS && done[WAKERS - 1] == ITEMS -> break
    :: !found && !(ended == WAKERS && done[0] == ITEMS && done[WAKERS - 1] == ITEMS) ->
      sleeping = true;
#ifndef NO_RECHECK
      look();
      if
      :: found || ended == WAKERS ->
        atomic {
          if
          :: sleeping -> sleeping = false
          :: else /* a waker was quicker; its post ends some later nap early, which is harmless */
          fi
        }
      :: else -> atomic { posts > 0 -> posts = 0 }
      fi
#else
      atomic { posts > 0 -> posts = 0 }
#endif
    fi
  od
}

init {
  atomic {
    byte n = 0;
    do
    :: n < WAKERS -> run Waker(n); n++
    :: else -> break
    od;
    run Worker()
  }
}
