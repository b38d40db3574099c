/* Reading: from one candidate to the next, and through each. It is compiled once for every set of wide instructions. */

#ifndef LASTBRACE_READING_H
#define LASTBRACE_READING_H

#include "automaton.h"
#include "search.h"

static void begin(Automaton *a, Py_ssize_t index, int structural)
{
    int is_array = a->data[index] == '[';
    a->start = a->origin + index;
    a->state = is_array ? ARRAY : OBJECT;
    a->colon = 0;
    a->structural = structural;
    a->has_key = is_array || a->key == NULL;
    if (a->members.names != NULL)
        a->members.read = (Places){.unsure = is_array};
    a->containers.count = 0;
    marks_restart(&a->marks, a->start);
}

/* End the data before the ESC or NUL at ``index``: what belongs to it is not ours to tell. */
static void stop(Automaton *a, Py_ssize_t index)
{
    a->size = index;
    a->stopped = index - a->joined;
    a->notes = 1;
    if (a->in_held)
        a->held.size = index;
}

/* Go on to the next candidate and return the index after its bracket, or the end of the data. */
static Py_ssize_t seek(Automaton *a, Py_ssize_t index)
{
    const uint8_t *at = a->data + index, *end = a->data + a->size;
    for (;; at++) {
        at = next_opener(at, end, a->openers, a->stops, &a->fence);
        if (at < end && a->stops && is_noise(*at)) {
            stop(a, at - a->data);
            end = at;
        }
        int64_t position = a->origin + (at - a->data);
        int structural = 0;
        if (a->dead.count)
            dead_leave(&a->dead, position);
        if (at == end)
            return a->size;
        if (a->dead.count) {
            /* What died with a dead candidate is skipped; what it read as structure is known. */
            if (dead_holds(&a->dead, position))
                continue;
            structural = dead_marks(&a->dead, position);
        }
        else {
            /* Most die before their first key or value. What cannot be told yet is a candidate. */
            const uint8_t *next = at + 1, *most = end - next < a->max_bytes ? end : at + a->max_bytes;
            while (next < most && is_white(*next) && !(a->lines && *next == '\n'))
                next++;
            if (next < end && !may_follow(*at, *next) && !is_white(*next) && !(a->stops && is_noise(*next))) {
                count_death(a, *at == '{' ? NO_KEY : NO_VALUE);
                continue;
            }
        }
        index = at - a->data;
        begin(a, index, structural);
        if (containers_push(&a->containers, position * 2 + (*at == '[')) < 0)
            return -1;
        return index + 1;
    }
}

/* Whether the text of a key may say ``wanted``: it does, or has an escape and is long enough. */
static int may_be_key(PyObject *wanted, const uint8_t *text, const uint8_t *end)
{
    Py_ssize_t size = PyBytes_GET_SIZE(wanted);
    if (end - text <= size)
        return end - text == size && memcmp(text, PyBytes_AS_STRING(wanted), size) == 0;
    return memchr(text, '\\', end - text) != NULL;
}

/* Read on in the candidate until it ends, dies, or the data is used up; return the index to go on at.

   The states of structure and of string bodies are labels here, so that what follows most often follows at once; the
   others take a byte at a time (``step``). */
static Py_ssize_t read_candidate(Automaton *a, Py_ssize_t index)
{
    const uint8_t *const data = a->data, *const end = data + a->size;
    const uint8_t *at = data + index;
    const int64_t origin = a->origin;
    const uint32_t white = 1u << ('\t' - 1) | 1u << ('\r' - 1) | 1u << (' ' - 1) | (a->lines ? 0 : 1u << ('\n' - 1));
    const uint8_t *key = NULL; /* where the key being read begins, unless it was in a chunk before */
    int state = a->state, code;

#define IS_WHITE(byte) ((byte) <= ' ' && (byte) && white >> ((byte) - 1) & 1)
#define NEED_BYTE(now) do { state = now; if (at == end) goto used_up; } while (0)
#define IN_ARRAY() (a->containers.at[a->containers.count - 1] & 1)

resume:
    switch (state) {
    case OBJECT: goto object;
    case KEY: goto key;
    case COLON: goto colon;
    case VALUE: case ARRAY: goto value;
    case MEMBER_END: goto member_end;
    case ELEMENT_END: goto element_end;
    case KEY_STRING: goto key_string;
    case STRING: goto string;
    case INTEGER: case FRACTION: case EXPONENT_DIGITS: goto digits;
    default: goto step;
    }

object:
    NEED_BYTE(OBJECT);
    if (*at == '"') {
        key = ++at;
        goto key_string;
    }
    if (*at == '}')
        goto close;
    if (!IS_WHITE(*at))
        goto illegal;
    at++;
    goto object;

member_end:
    NEED_BYTE(MEMBER_END);
    if (*at == ',') {
        at++;
        goto key;
    }
    if (*at == '}')
        goto close;
    if (!IS_WHITE(*at))
        goto illegal;
    at++;
    goto member_end;

key:
    NEED_BYTE(KEY);
    if (*at == ' ') {
        at++;
        NEED_BYTE(KEY);
    }
    if (*at == '"') {
        key = ++at;
        goto key_string;
    }
    if (!IS_WHITE(*at))
        goto illegal;
    at++;
    goto key;

key_string:
    at = skip_string(at, end);
    NEED_BYTE(KEY_STRING);
    if (*at == '\\') {
        at++;
        state = KEY_ESCAPE;
        goto step;
    }
    if (*at != '"')
        goto illegal;
    if (!a->has_key && a->containers.count == 1)
        a->has_key = key == NULL || may_be_key(a->key, key, at);
    if (a->members.names != NULL && a->containers.count == 1)
        note_key(&a->members, key, at, origin + (at + 1 - data) - a->start);
    at++;

colon:
    NEED_BYTE(COLON);
    if (*at == ':') {
        at++;
        a->colon = 1;
        state = VALUE;
        goto value;
    }
    if (!IS_WHITE(*at))
        goto illegal;
    at++;
    goto colon;

value: /* the state is VALUE, or ARRAY: the first element, or none */
    NEED_BYTE(state);
    if (*at == ' ') {
        at++;
        NEED_BYTE(state);
    }
    if (*at == '"') {
        at++;
        goto string;
    }
    switch (*at) {
    case '{': case '[':
        goto open;
    case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        a->integer = origin + (at - data);
        state = INTEGER;
        at++;
        goto digits;
    case 't': case 'n':
        if (end - at < 4 || memcmp(at, *at == 't' ? "true" : "null", 4))
            goto step;
        at += 4;
        goto after_value;
    case 'f':
        if (end - at < 5 || memcmp(at, "false", 5))
            goto step;
        at += 5;
        goto after_value;
    case ']':
        if (state == VALUE)
            goto illegal;
        goto close;
    }
    if (!IS_WHITE(*at))
        goto step;
    at++;
    goto value;

string:
    at = skip_string(at, end);
    NEED_BYTE(STRING);
    if (*at == '\\') {
        at++;
        state = ESCAPE;
        goto step;
    }
    if (*at != '"')
        goto illegal;
    at++;

after_value:
    if (!IN_ARRAY())
        goto member_end;

element_end:
    NEED_BYTE(ELEMENT_END);
    if (*at == ',') {
        at++;
        state = VALUE;
        goto value;
    }
    if (*at == ']')
        goto close;
    if (!IS_WHITE(*at))
        goto illegal;
    at++;
    goto element_end;

digits:
    at = skip_digits(at, end);
    if (at == end)
        goto used_up;
    if ((*at == ',' || *at == '}') && state == INTEGER)
        goto end_number;

step:
    if (at == end)
        goto used_up;
    if ((a->lines && *at == '\n') || (a->stops && is_noise(*at)))
        goto illegal;
    code = next_state(state, *at, a->strict);
    switch (code) {
    case ILLEGAL:
        goto illegal;
    case END_VALUE:
        at++;
        goto after_value;
    case END_NUMBER:
        goto end_number;
    case BEGIN_INTEGER:
        a->integer = origin + (at - data);
        code = INTEGER;
    }
    at++;
    state = code;
    goto resume;

end_number: /* the byte is read again as what follows a value */
    if (state == INTEGER && origin + (at - data) - a->integer > MAX_INTEGER_DIGITS)
        return die(a, at - data, TOO_LONG);
    goto after_value;

open:
    if (a->containers.count >= a->max_depth)
        return die(a, at - data, TOO_DEEP);
    if (containers_push(&a->containers, (origin + (at - data)) * 2 + (*at == '[')) < 0)
        return -1;
    if ((*at == a->openers[0] || *at == a->openers[1]) && marks_add(&a->marks, origin + (at - data)) < 0)
        return -1;
    if (*at++ == '{')
        goto object;
    state = ARRAY;
    goto value;

close:
    at++;
    if (--a->containers.count == 0)
        return found(a, at - data, state == OBJECT || state == ARRAY);
    goto after_value;

illegal: /* in ``lines`` the end of the line is no error but the end of this input */
    if (a->lines && *at == '\n')
        return end_input(a, at - data);
    if (!a->stops || !is_noise(*at))
        return die(a, at - data, reason_in(state));
    stop(a, at - data);

used_up:
    a->state = state;
    return a->size;
#undef IS_WHITE
#undef NEED_BYTE
#undef IN_ARRAY
}

static inline int read_all(Automaton *a, Py_ssize_t index)
{
    while (index >= 0 && index < a->size)
        index = a->start < 0 ? seek(a, index) : read_candidate(a, index);
    return index < 0 ? -1 : 0;
}

#endif
