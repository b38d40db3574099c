/* Whether an object stands where the value of a member stands whose record is not there; headless.py says which do. */

#ifndef LASTBRACE_HEADLESS_H
#define LASTBRACE_HEADLESS_H

#include "grammar.h"

/* Texts end where ``end`` points, and are looked at from there back. */

static inline const uint8_t *strip_white(const uint8_t *text, const uint8_t *end)
{
    while (end > text && is_white(end[-1]))
        end--;
    return end;
}

/* Whether an odd number of backslashes stands before ``at``. */
static inline int is_escaped(const uint8_t *text, const uint8_t *at)
{
    const uint8_t *run = at;
    while (run > text && run[-1] == '\\')
        run--;
    return (at - run) & 1;
}

/* Tell whether ``text`` ends in a member's key and colon; ``whole`` says that nothing stands before it. */
static inline int is_headless(const uint8_t *text, const uint8_t *end, int whole)
{
    while (end > text && (is_white(end[-1]) || end[-1] == '['))
        end--;
    if (end == text || end[-1] != ':')
        return 0;
    end = strip_white(text, end - 1);
    if (end == text || (end[-1] != '"' && end[-1] != '\''))
        return 0;
    const uint8_t *close = end - 1, *at;
    if (whole) { /* the beginning of the input may have cut the key itself */
        for (at = text; at < close && *at != '"' && *at != '\'' && *at != '\n'; at++)
            ;
        if (at == close)
            return 1;
    }
    if (is_escaped(text, close))
        return 0;
    const uint8_t *start = close;
    do {
        if (start == text)
            return 0;
        start--;
    } while (*start != *close || is_escaped(text, start));
    for (at = start + 1; at < close; at++)
        if (*at == '\n' && !is_escaped(start + 1, at))
            return 0;
    end = strip_white(text, start);
    return end == text ? whole : end[-1] == ',' || end[-1] == '{';
}

#endif
