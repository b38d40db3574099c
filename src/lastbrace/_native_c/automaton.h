/* The automaton: cleaned bytes in, spans of objects out. Its rules are those at the top of automaton.py. What it keeps,
   and what reading.h and module.c call of automaton.c. */

#ifndef LASTBRACE_AUTOMATON_H
#define LASTBRACE_AUTOMATON_H

#include <Python.h>

#include "buffer.h"
#include "dead.h"
#include "fences.h"
#include "grammar.h"
#include "members.h"
#include "processor.h"

enum { FOUND, DROPPED, UNFINISHED, TEXT }; /* the kinds of spans.py */
enum {
    LOOK_BEHIND = 512, /* bytes that are looked at before an object */
    EXCERPT = 40,      /* bytes shown before a fatal byte, and half as many after */
};

/* The last candidate that died after a key and its colon. */
typedef struct {
    int known, reason, excerpt_size;
    int64_t start, position;
    uint8_t byte, excerpt[EXCERPT + EXCERPT / 2];
} Death;

typedef struct Automaton Automaton;

struct Automaton {
    PyObject_HEAD
    int (*read)(Automaton *, Py_ssize_t); /* as well as this processor can: see reading.h */
    /* Options. */
    uint8_t openers[2]; /* the brackets that begin a candidate, or the same one twice */
    int lines, strict, text, newest;
    int stops; /* at an ESC or NUL */
    int64_t max_bytes, max_depth;
    PyObject *key; /* bytes; with ``newest``, what else is reported has this member */
    PyObject *make; /* with a shift, objects are reported as what this makes of them, their positions moved */
    int64_t shift;
    int has_shift;

    /* The text at hand: ``data`` is the chunk, or ``held`` with the chunk at its end; ``origin`` is the position of its
       first byte. While a candidate from before is read in the chunk (``split``), what came before is in ``held``,
       which begins at position ``base``, and ``before`` is the text just before that, else just before ``data``. */
    const uint8_t *data;
    Py_ssize_t size;
    int64_t origin, base;
    Buffer held;
    int split, in_held;
    Py_ssize_t joined; /* how much stood before the chunk in ``data`` */
    uint8_t before[LOOK_BEHIND + 1];
    int before_size;
    Py_ssize_t stopped; /* where in the chunk, or -1 */
    int64_t told; /* the position up to which text outside objects was reported */
    int fence;    /* code fence marks were seen in the text that was not told */

    /* The candidate, while ``start`` is not negative. */
    int64_t start;
    int state;
    int colon;      /* it has read a key and its colon */
    int structural; /* its bracket was read as structure by a dead one */
    int has_key;    /* it may have the member that is asked for */
    int64_t integer;       /* where the digits of the integer being read begin */
    Containers containers; /* its open containers */
    Marks marks;           /* the brackets read as structure in it, of the kinds that may begin an object */

    Members members;
    DeadRegions dead;
    int64_t fragment_end; /* where the newest fragment ends, or -1 */
    Fences fences;

    /* Reports. */
    PyObject *spans;
    /* With ``newest``, the newest object of this feed unless it was reported: its fence (NULL where there is none), and
       its text if that does not stand in ``data``. */
    PyObject *newest_fence, *newest_raw;
    int64_t newest_start, newest_end;
    Py_ssize_t newest_index; /* its place among the reports */
    Py_ssize_t died[REASONS]; /* since the last feed */
    uint8_t died_first[REASONS]; /* their order */
    int died_reasons;
    Death death;
    PyObject *deaths, *last_death;
    long long objects, fragments, reread;
    PyObject *last; /* the newest object that was made, no fragment and not empty */
    int notes;      /* what to look at after a feed: reports that are no made objects, a death, a stop */
    int busy, broken;
};

static inline void count_death(Automaton *a, int reason)
{
    if (a->died[reason]++ == 0)
        a->died_first[a->died_reasons++] = (uint8_t)reason;
}

/* Report the text outside objects up to ``index``; -1 with an error set. */
int tell(Automaton *a, Py_ssize_t index);

/* The end of a candidate. Each returns the index to go on at, or -1 with an error set. */

/* Report the candidate that closed just before ``index``. */
Py_ssize_t found(Automaton *a, Py_ssize_t index, int empty);
/* Give up the candidate at its illegal byte. */
Py_ssize_t die(Automaton *a, Py_ssize_t index, int reason);
/* End the candidate with its input. */
Py_ssize_t end_input(Automaton *a, Py_ssize_t index);

/* Keep of the data what the open candidate needs, and no more; -1 with an error set. */
int let_go(Automaton *a);

void forget_newest(Automaton *a);
PyObject *bytes_of(const uint8_t *data, Py_ssize_t size);

/* Read on from ``index`` to the end of the data; -1 with an error set. */
int read_baseline(Automaton *a, Py_ssize_t index);
#ifdef HAS_AVX2
int read_avx2(Automaton *a, Py_ssize_t index);
#endif

#endif
