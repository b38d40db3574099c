/* The decoder: the text of a value in, the value out, as Python's json reads it. What its parts share.

   containers.h  values, objects and arrays    strings.h  strings, and those that come again and again
   numbers.h     numbers                       utf8.h     characters beyond ASCII

   It is a fast path: what is not ordinary JSON it gives up (bytes that are no UTF-8, half a surrogate pair, NaN, what
   is too deep or too long, what is no JSON at all), without an error, and others read that text from its beginning. */

#ifndef LASTBRACE_DECODING_H
#define LASTBRACE_DECODING_H

#include <Python.h>

#include "grammar.h"
#include "processor.h"

enum {
    MOST_DEPTH = 200,    /* as deep as scanners go unless told otherwise */
    FEW_VALUES = 128,    /* read and not yet in their container: room for more is found when needed */
    SHORT_TEXT = 4096,   /* bytes of a string with escapes */
    LONGEST_KEY = 64,    /* bytes of a key that is remembered */
    TWO_WORDS = 16,      /* bytes of another string that is: the two words tell which it is */
    KNOWN_PLACES = 512,
};

/* A string of ASCII that was read before: its first and last eight bytes, or all of them and zeros, and its length. */
typedef struct {
    uint64_t head, tail;
    Py_ssize_t size;
    PyObject *string; /* NULL where there is none */
} KnownString;

/* Those that were read last, each in the one place where it may be. Most keys and many short values are among them. */
typedef struct {
    KnownString at[KNOWN_PLACES];
} Known;

/* The reading of one text. A byte that is no JSON stands at its end: the one that ends every bytes object. */
typedef struct {
    const uint8_t *end;
    Known *known; /* or NULL */
    int depth;
    PyObject **values; /* those that are read and not yet in their container */
    Py_ssize_t count, room;
    uint8_t *text; /* room for a string with escapes */
    Py_ssize_t text_room;
    PyObject *few_values[FEW_VALUES];
    uint8_t short_text[SHORT_TEXT];
} Decoding;

/* Each that reads takes where to begin and returns where it ended, having put the value on top of the others; or NULL,
   with an error set, or with none where it gives up. */

/* Double the room for values; 0 with an error set. */
int more_values(Decoding *d);
/* Make room for ``size`` bytes of text, of which ``used`` are kept; 0 with an error set. */
int more_text(Decoding *d, Py_ssize_t used, Py_ssize_t size);

/* Put a value, or NULL, on top: it is taken over. Tells whether it was one and there was room. */
static inline int put(Decoding *d, PyObject *value)
{
    if (value == NULL)
        return 0;
    if (d->count == d->room && !more_values(d)) {
        Py_DECREF(value);
        return 0;
    }
    d->values[d->count++] = value;
    return 1;
}

/* Return the value of a text, which is a bytes object, or NULL: with an error set, or with none where it gives up. */
PyObject *decode(PyObject *text, Known *known);

/* Return the string at ``at``, which is the place of its first quote; NULL as ``decode`` does. */
PyObject *decode_string(PyObject *text, Py_ssize_t at, Known *known);

void forget_known(Known *known);

/* Read the value at ``at``, as well as this processor can. */
const uint8_t *decode_baseline(Decoding *d, const uint8_t *at);
#ifdef HAS_AVX2
const uint8_t *decode_avx2(Decoding *d, const uint8_t *at);
#endif

#endif
