/* Strings, of which keys are some. */

#ifndef LASTBRACE_STRINGS_H
#define LASTBRACE_STRINGS_H

#include "decoding.h"
#include "search.h"
#include "utf8.h"

/* ---- Plain text ---- */

/* What a look at WIDTH bytes in a string shows, a bit each: where it stops being plain (a quote, a backslash, a control
   character), and what is beyond ASCII. */
typedef struct {
    uint64_t stops, wide;
} Look;

static inline Look look_at(const uint8_t *at)
{
    Block block = load(at);
    Look look = {.wide = bits(beyond_ascii(block))};
    look.stops = bits(either(either(equal(block, '"'), equal(block, '\\')), at_most(block, 0x1f)));
    return look;
}

/* Return ``at``, or where fewer than ``size`` bytes are left there, a copy with zeros behind: all strings stop there. */
static inline const uint8_t *padded(const Decoding *d, const uint8_t *at, uint8_t *room, Py_ssize_t size)
{
    if (d->end - at >= size)
        return at;
    memset(room, 0, size);
    memcpy(room, at, d->end - at);
    return room;
}

/* Those of ``wide`` that stand before the first of ``stops``. */
static inline uint64_t before_stop(Look look) { return look.wide & ~look.stops & (look.stops - 1); }

/* Return where plain text stops, and add to ``wide`` whether some is beyond ASCII. */
static inline const uint8_t *skip_plain(const Decoding *d, const uint8_t *at, uint64_t *wide)
{
    for (;;) {
        uint8_t room[WIDTH];
        Look look = look_at(padded(d, at, room, sizeof room));
        *wide |= before_stop(look);
        if (look.stops)
            return at + first_bit(look.stops);
        at += WIDTH;
    }
}

static inline PyObject *from_ascii(const uint8_t *text, Py_ssize_t size)
{
    PyObject *string = PyUnicode_New(size, 0x7f);
    if (string != NULL && size)
        memcpy(PyUnicode_1BYTE_DATA(string), text, size);
    return string;
}

static inline PyObject *from_text(const uint8_t *text, const uint8_t *end, uint64_t wide)
{
    return wide ? from_utf8(text, end) : from_ascii(text, end - text);
}

/* ---- Escapes ---- */

static inline int hex_value(uint8_t byte) { return (byte & 0xf) + (byte >> 6) * 9; }

/* Read four hexadecimal digits; -1 where they are none. */
static inline int32_t read_hex(const uint8_t *at, const uint8_t *end)
{
    if (end - at < 4 ||
        !(STRING_CLASS[at[0]] & STRING_CLASS[at[1]] & STRING_CLASS[at[2]] & STRING_CLASS[at[3]] & HEX_DIGIT))
        return -1;
    return hex_value(at[0]) << 12 | hex_value(at[1]) << 8 | hex_value(at[2]) << 4 | hex_value(at[3]);
}

/* Write a character as UTF-8 and return where it ends. */
static inline uint8_t *write_utf8(uint8_t *to, uint32_t character)
{
    if (character < 0x80)
        *to++ = (uint8_t)character;
    else if (character < 0x800) {
        *to++ = (uint8_t)(0xc0 | character >> 6);
        *to++ = (uint8_t)(0x80 | (character & 0x3f));
    }
    else {
        if (character < 0x10000)
            *to++ = (uint8_t)(0xe0 | character >> 12);
        else {
            *to++ = (uint8_t)(0xf0 | character >> 18);
            *to++ = (uint8_t)(0x80 | (character >> 12 & 0x3f));
        }
        *to++ = (uint8_t)(0x80 | (character >> 6 & 0x3f));
        *to++ = (uint8_t)(0x80 | (character & 0x3f));
    }
    return to;
}

/* Read what stands after ``\u``, one half of a pair or both; return its length, 0 where it is half a pair or none. */
static inline int read_unicode_escape(const uint8_t *at, const uint8_t *end, uint32_t *character)
{
    int32_t code = read_hex(at, end);
    if (code < 0)
        return 0;
    *character = (uint32_t)code;
    if ((code & 0xf800) != 0xd800)
        return 4;
    if (code >= 0xdc00 || end - at < 10 || at[4] != '\\' || at[5] != 'u')
        return 0;
    int32_t other = read_hex(at + 6, end);
    if ((other & ~0x3ff) != 0xdc00)
        return 0;
    *character = 0x10000 + (((uint32_t)code & 0x3ff) << 10 | ((uint32_t)other & 0x3ff));
    return 10;
}

/* Read the escape at ``at``, write what it stands for at ``*to``, and return where it ends; NULL where it is none. */
static inline const uint8_t *read_escape(const uint8_t *at, const uint8_t *end, uint8_t **to, uint64_t *wide)
{
    static const uint8_t plain[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                       ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
    if (plain[at[1]]) {
        *(*to)++ = plain[at[1]];
        return at + 2;
    }
    uint32_t character;
    int length = at[1] == 'u' ? read_unicode_escape(at + 2, end, &character) : 0;
    if (!length)
        return NULL;
    *wide |= character >= 0x80;
    *to = write_utf8(*to, character);
    return at + 2 + length;
}

/* Read on in a string that begins at ``begin`` and has its first escape at ``at``. Its text is put together as UTF-8.
   All that stops it in a block is told by one look, so that where the next block begins does not wait for it. */
static const uint8_t *read_escaped(Decoding *d, const uint8_t *begin, const uint8_t *at, uint64_t wide)
{
    const Py_ssize_t one_step = 3 * WIDTH; /* what comes of a block, and what is written too much */
    Py_ssize_t used = at - begin;
    if (d->text_room - used < one_step && !more_text(d, 0, used + one_step))
        return NULL;
    memcpy(d->text, begin, used);
    uint8_t *to = d->text + used;
    for (;;) {
        used = to - d->text;
        if (d->text_room - used < one_step) {
            if (!more_text(d, used, used + one_step))
                return NULL;
            to = d->text + used;
        }
        uint8_t room[2 * WIDTH];
        const uint8_t *block = padded(d, at, room, sizeof room);
        Look look = look_at(block);
        Py_ssize_t passed = 0; /* how much of the block was read, and written */
        memcpy(to, block, WIDTH);
        while (look.stops) {
            int stop = first_bit(look.stops);
            to += stop - passed;
            if (at[stop] != '\\') {
                wide |= before_stop(look);
                return at[stop] == '"' && put(d, from_text(d->text, to, wide)) ? at + stop + 1 : NULL;
            }
            const uint8_t *after = read_escape(at + stop, d->end, &to, &wide);
            if (after == NULL)
                return NULL;
            passed = after - at;
            if (passed >= WIDTH)
                break;
            memcpy(to, block + passed, WIDTH);
            look.stops &= UINT64_MAX << passed;
        }
        wide |= look.wide;
        if (passed < WIDTH) {
            to += WIDTH - passed;
            passed = WIDTH;
        }
        at += passed;
    }
}

/* ---- Strings that come again and again ---- */

static inline uint64_t eight_bytes(const uint8_t *at)
{
    uint64_t word = 0;
    for (int index = 0; index < 8; index++) /* compilers make one load of it, whatever the byte order */
        word |= (uint64_t)at[index] << (8 * index);
    return word;
}

/* Return the str of ASCII text, the one that was made before where it is known. There are eight bytes at ``at``. */
static inline PyObject *known_string(Known *strings, const uint8_t *at, Py_ssize_t size)
{
    uint64_t head = eight_bytes(at), tail = size > 8 ? eight_bytes(at + size - 8) : 0;
    if (size < 8)
        head &= (UINT64_C(1) << (8 * size)) - 1;
    uint64_t mixed = head * UINT64_C(0x9e3779b97f4a7c15) + tail * UINT64_C(0xc2b2ae3d27d4eb4f);
    KnownString *known = &strings->at[(mixed >> 32) % KNOWN_PLACES];
    if (known->head == head && known->tail == tail && known->size == size && known->string != NULL &&
        (size <= TWO_WORDS || memcmp(PyUnicode_1BYTE_DATA(known->string), at, size) == 0))
        return Py_NewRef(known->string);
    PyObject *string = from_ascii(at, size);
    if (string == NULL)
        return NULL;
    PyObject *before = known->string;
    *known = (KnownString){.head = head, .tail = tail, .size = size, .string = Py_NewRef(string)};
    Py_XDECREF(before);
    return string;
}

/* Whether the text at ``at`` is one to look up among those that are known. */
static inline int may_be_known(const Decoding *d, const uint8_t *at, Py_ssize_t size, Py_ssize_t most, uint64_t wide)
{
    return size <= most && !wide && d->known != NULL && d->end - at >= 8;
}

/* ---- Strings and keys: ``at`` is after their first quote ---- */

static inline const uint8_t *read_any(Decoding *d, const uint8_t *at, Py_ssize_t longest)
{
    uint64_t wide = 0;
    const uint8_t *begin = at;
    at = skip_plain(d, at, &wide);
    if (*at == '\\')
        return read_escaped(d, begin, at, wide);
    if (*at != '"')
        return NULL;
    if (may_be_known(d, begin, at - begin, longest, wide))
        return put(d, known_string(d->known, begin, at - begin)) ? at + 1 : NULL;
    return put(d, from_text(begin, at, wide)) ? at + 1 : NULL;
}

static const uint8_t *read_string(Decoding *d, const uint8_t *at) { return read_any(d, at, TWO_WORDS); }

static inline const uint8_t *read_key(Decoding *d, const uint8_t *at) { return read_any(d, at, LONGEST_KEY); }

#endif
