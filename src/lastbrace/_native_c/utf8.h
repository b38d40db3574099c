/* Characters beyond ASCII: from UTF-8 to the narrowest form of a str that has room for them. */

#ifndef LASTBRACE_UTF8_H
#define LASTBRACE_UTF8_H

#include <Python.h>

#include "search.h"

/* Count the characters, and find the highest byte: together they tell what the str will be. */
static inline Py_ssize_t count_characters(const uint8_t *at, const uint8_t *end, uint8_t *highest)
{
    Py_ssize_t count = 0;
    uint8_t most = 0;
    while (at < end) { /* as many as a byte can count, so that compilers make wide compares of it */
        const uint8_t *stop = end - at > 128 ? at + 128 : end;
        uint8_t begun = 0;
        for (; at < stop; at++) {
            begun += (uint8_t)(*at ^ 0x80) >= 0x40; /* all but those that go on with a character */
            most = Py_MAX(most, *at);
        }
        count += begun;
    }
    *highest = most;
    return count;
}

static inline int goes_on(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/* Read the character of two bytes or more at ``at``, and return its length; 0 where it is none. */
static inline int read_character(const uint8_t *at, const uint8_t *end, uint32_t *character)
{
    uint8_t lead = *at;
    if (lead < 0xe0) {
        if (lead < 0xc2 || end - at < 2 || !goes_on(at[1]))
            return 0;
        *character = (lead & 0x1fu) << 6 | (at[1] & 0x3fu);
        return 2;
    }
    if (lead < 0xf0) {
        if (end - at < 3 || !goes_on(at[1]) || !goes_on(at[2]))
            return 0;
        *character = (lead & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
        return *character < 0x800 || (*character & 0xf800) == 0xd800 ? 0 : 3;
    }
    if (lead > 0xf4 || end - at < 4 || !goes_on(at[1]) || !goes_on(at[2]) || !goes_on(at[3]))
        return 0;
    *character = (lead & 7u) << 18 | (at[1] & 0x3fu) << 12 | (at[2] & 0x3fu) << 6 | (at[3] & 0x3fu);
    return *character < 0x10000 || *character > 0x10ffff ? 0 : 4;
}

/* Write the characters from ``at`` to ``end``, ``count`` of them; 0 where they are no UTF-8. Runs of ASCII are written
   a block at a time, as long as there is room for a whole one. */
#define WRITER(name, Unit) \
    static int name(const uint8_t *at, const uint8_t *end, Unit *to, Py_ssize_t count) \
    { \
        Unit *const last = to + count; \
        while (at < end) { \
            if (*at < 0x80 && end - at >= WIDTH && last - to >= WIDTH) { \
                uint64_t others = bits(beyond_ascii(load(at))); \
                for (int index = 0; index < WIDTH; index++) \
                    to[index] = at[index]; \
                int passed = others ? first_bit(others) : WIDTH; \
                at += passed; \
                to += passed; \
                continue; \
            } \
            uint32_t character = *at; \
            int length = character < 0x80 ? 1 : read_character(at, end, &character); \
            if (!length || to == last) \
                return 0; \
            *to++ = (Unit)character; \
            at += length; \
        } \
        return to == last; \
    }
WRITER(write_latin, Py_UCS1)
WRITER(write_wide, Py_UCS2)
WRITER(write_widest, Py_UCS4)
#undef WRITER

/* Return the str of UTF-8 that is not all ASCII; NULL with an error set, or with none where it is not valid. */
static PyObject *from_utf8(const uint8_t *at, const uint8_t *end)
{
    uint8_t highest;
    Py_ssize_t count = count_characters(at, end, &highest);
    if (highest > 0xf4)
        return NULL;
    PyObject *text = PyUnicode_New(count, highest < 0xc4 ? 0xff : highest < 0xf0 ? 0xffff : 0x10ffff);
    if (text == NULL)
        return NULL;
    int written;
    if (highest < 0xc4)
        written = write_latin(at, end, PyUnicode_1BYTE_DATA(text), count);
    else if (highest < 0xf0)
        written = write_wide(at, end, PyUnicode_2BYTE_DATA(text), count);
    else
        written = write_widest(at, end, PyUnicode_4BYTE_DATA(text), count);
    if (!written)
        Py_CLEAR(text);
    return text;
}

#endif
