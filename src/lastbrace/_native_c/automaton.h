/* The automaton: cleaned bytes in, spans of objects out. Its rules are those at the top of automaton.py. */

#ifndef LASTBRACE_AUTOMATON_H
#define LASTBRACE_AUTOMATON_H

#include <Python.h>

enum { FOUND, DROPPED, UNFINISHED, TEXT }; /* the kinds of spans.py */
enum { EXCERPT = 40 };                     /* bytes shown before a fatal byte, and half as many after */

/* The last candidate that died after a key and its colon. */
typedef struct {
    int known, reason, excerpt_size;
    int64_t start, position;
    uint8_t byte, excerpt[EXCERPT + EXCERPT / 2];
} Death;

typedef struct {
    PyObject_HEAD
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
} Automaton;

/* ---- Reports ---- */

/* Whether nothing stands between an object's brackets. */
static int is_empty(PyObject *raw)
{
    const uint8_t *at = (const uint8_t *)PyBytes_AS_STRING(raw) + 1;
    while (is_white(*at))
        at++;
    return *at == '}' || *at == ']';
}

/* Report a span as the one at ``index``. Takes over ``raw``, which is NULL where there is an error. */
static int report_at(Automaton *a, Py_ssize_t index, int kind, int64_t start, int64_t end, PyObject *raw, int fragment,
                     PyObject *fence)
{
    PyObject *span = NULL;
    int made = kind == FOUND && a->has_shift, failed = -1;
    int64_t shift = made ? a->shift : 0;
    PyObject *first = PyLong_FromLongLong(start + shift), *last = PyLong_FromLongLong(end + shift);
    PyObject *parts[] = {first, last, raw, fragment ? Py_True : Py_False, fence};
    if (first == NULL || last == NULL || raw == NULL)
        ;
    else if (made)
        span = PyObject_Vectorcall(a->make, parts, 5, NULL);
    else if ((span = PyTuple_New(6)) != NULL) {
        PyTuple_SET_ITEM(span, 0, PyLong_FromLong(kind)); /* a small number, which always exists */
        for (int part = 0; part < 5; part++)
            PyTuple_SET_ITEM(span, part + 1, Py_NewRef(parts[part]));
        a->notes = 1;
    }
    if (span != NULL)
        failed = PyList_Insert(a->spans, index, span);
    if (made && !failed && !fragment && !is_empty(raw))
        Py_XSETREF(a->last, Py_NewRef(span));
    Py_XDECREF(span);
    Py_XDECREF(first);
    Py_XDECREF(last);
    Py_XDECREF(raw);
    return failed;
}

static int report(Automaton *a, int kind, int64_t start, int64_t end, PyObject *raw, int fragment, PyObject *fence)
{
    return report_at(a, PyList_GET_SIZE(a->spans), kind, start, end, raw, fragment, fence);
}

static PyObject *bytes_of(const uint8_t *data, Py_ssize_t size)
{
    return PyBytes_FromStringAndSize((const char *)data, size);
}

static void forget_newest(Automaton *a)
{
    Py_CLEAR(a->newest_raw);
    Py_CLEAR(a->newest_fence);
}

/* Report the newest object, now that it is known which it is. */
static int report_newest(Automaton *a)
{
    if (a->newest_fence == NULL)
        return 0;
    int64_t start = a->newest_start, end = a->newest_end;
    PyObject *raw = a->newest_raw, *fence = a->newest_fence;
    a->newest_raw = a->newest_fence = NULL;
    if (raw == NULL)
        raw = bytes_of(a->data + (start - a->origin), (Py_ssize_t)(end - start));
    int failed = report_at(a, a->newest_index, FOUND, start, end, raw, 0, fence);
    Py_DECREF(fence);
    return failed;
}

/* Report a span whose text is not wanted. */
static int report_bare(Automaton *a, int kind, int64_t start, int64_t end)
{
    return report(a, kind, start, end, bytes_of(NULL, 0), 0, Py_None);
}

static void count_death(Automaton *a, int reason)
{
    if (a->died[reason]++ == 0)
        a->died_first[a->died_reasons++] = (uint8_t)reason;
}

/* ---- Text outside objects, and what came before ---- */

/* Keep the end of ``data`` as what came before. */
static void remember(Automaton *a, const uint8_t *data, Py_ssize_t size)
{
    int room = sizeof a->before, kept = (int)Py_MIN(size, room);
    int old = Py_MIN(a->before_size, room - kept);
    memmove(a->before, a->before + a->before_size - old, old);
    memcpy(a->before + old, data + size - kept, kept);
    a->before_size = old + kept;
}

/* Report the text outside objects up to ``index``. */
static int tell(Automaton *a, Py_ssize_t index)
{
    Py_ssize_t told = (Py_ssize_t)(a->told - a->origin);
    if (told >= index)
        return 0;
    const uint8_t *text = a->data + told;
    fences_feed(&a->fences, text, a->data + index, a->fence);
    a->fence = 0;
    int64_t begin = a->told;
    a->told = a->origin + index;
    return a->text ? report(a, TEXT, begin, a->told, bytes_of(text, index - told), 0, Py_None) : 0;
}

/* Let go of what is held of the candidate: it goes on, or ended, in the chunk. */
static void leave_held(Automaton *a)
{
    remember(a, buffer_data(&a->held), a->held.size);
    buffer_empty(&a->held);
    a->split = 0;
}

/* Put the chunk behind what is held, to read on in both; ``index`` of the chunk becomes the one of both. */
static int join_held(Automaton *a, Py_ssize_t *index)
{
    if (!a->split)
        return 0;
    *index += a->held.size;
    a->joined = a->held.size;
    if (buffer_append(&a->held, a->data, a->size) < 0)
        return -1;
    a->data = buffer_data(&a->held);
    a->size = a->held.size;
    a->origin = a->base;
    a->split = 0;
    a->in_held = 1;
    return 0;
}

/* ---- The end of a candidate. Each returns the index to go on at, or -1 with an error set. ---- */

static Py_ssize_t pass(Automaton *a, Py_ssize_t index)
{
    fences_pass_object(&a->fences);
    a->told = a->origin + index;
    a->start = -1;
    return index;
}

/* Report that the candidate, which ends or died at ``index``, was too large to keep. */
static Py_ssize_t drop(Automaton *a, Py_ssize_t index)
{
    if (a->start >= a->origin && tell(a, (Py_ssize_t)(a->start - a->origin)) < 0)
        return -1;
    if (a->split)
        leave_held(a);
    if (report_bare(a, DROPPED, a->start, a->origin + index) < 0)
        return -1;
    return pass(a, index);
}

/* Forget the candidate and go on just after its bracket. */
static Py_ssize_t go_back(Automaton *a, Py_ssize_t index, int64_t end, int whole)
{
    Py_ssize_t at = (Py_ssize_t)(a->start - a->origin);
    if (end > a->start + 1 && dead_add(&a->dead, end, whole, &a->containers, &a->marks) < 0)
        return -1;
    a->reread += index - at - 1;
    a->start = -1;
    return at + 1;
}

/* Give up the candidate at its illegal byte. */
static Py_ssize_t die(Automaton *a, Py_ssize_t index, int reason)
{
    if (join_held(a, &index) < 0)
        return -1;
    int64_t position = a->origin + index, end = position;
    uint8_t byte = a->data[index];
    count_death(a, reason);
    if (a->colon) {
        Py_ssize_t from = (Py_ssize_t)Py_MAX(Py_MAX(a->start - a->origin, index - EXCERPT), 0);
        Py_ssize_t to = index;
        while (to < a->size && to < index + EXCERPT / 2 && !(a->stops && is_noise(a->data[to])))
            to++;
        a->death = (Death){.known = 1, .reason = reason, .start = a->start, .position = position, .byte = byte};
        a->death.excerpt_size = (int)(to - from);
        memcpy(a->death.excerpt, a->data + from, to - from);
    }
    if (reason == TOO_DEEP && (byte == a->openers[0] || byte == a->openers[1])) {
        if (marks_add(&a->marks, position) < 0)
            return -1;
        end++;
    }
    if (position - a->start > a->max_bytes) {
        if (end > position && dead_add(&a->dead, end, 0, NULL, &a->marks) < 0)
            return -1;
        return drop(a, index);
    }
    return go_back(a, index, end, 0);
}

/* End the candidate with its input. */
static Py_ssize_t end_input(Automaton *a, Py_ssize_t index)
{
    int64_t position = a->origin + index;
    if (position - a->start > a->max_bytes)
        return drop(a, index);
    if (join_held(a, &index) < 0)
        return -1;
    int inside = 0;
    for (Py_ssize_t region = 0; region < a->dead.count; region++)
        inside |= a->dead.at[region].whole && a->start < a->dead.at[region].end;
    if (!inside && (tell(a, (Py_ssize_t)(a->start - a->origin)) < 0 ||
                    report_bare(a, UNFINISHED, a->start, position) < 0))
        return -1;
    return go_back(a, index, position, 1);
}

/* Tell whether the candidate is a piece of a broken record (rule 3). */
static int is_fragment(const Automaton *a)
{
    Py_ssize_t at = a->split ? 0 : (Py_ssize_t)(a->start - a->origin);
    if (at ? a->data[at - 1] == '\n' : !a->before_size || a->before[a->before_size - 1] == '\n')
        return 0;
    if (a->structural)
        return 1;
    uint8_t joined[LOOK_BEHIND + 1];
    const uint8_t *text = joined, *end;
    if (at > LOOK_BEHIND) {
        end = a->data + at;
        text = end - LOOK_BEHIND - 1;
    }
    else {
        int old = Py_MIN(a->before_size, LOOK_BEHIND + 1 - (int)at);
        memcpy(joined, a->before + a->before_size - old, old);
        memcpy(joined + old, a->data, at);
        end = joined + old + at;
    }
    int whole = end - text <= LOOK_BEHIND;
    if (a->lines) {
        const uint8_t *line_end = last_line_end(text, end);
        if (line_end != NULL) {
            text = line_end + 1;
            whole = 1;
        }
    }
    if (end - text > LOOK_BEHIND)
        text = end - LOOK_BEHIND;
    if (is_headless(text, end, whole))
        return 1;
    int64_t gap = a->start - a->fragment_end;
    if (a->fragment_end < 0 || gap > end - text)
        return 0;
    const uint8_t *last = strip_white(end - gap, end) - 1; /* the one comma, if it is one */
    return last >= end - gap && *last == ',' && strip_white(end - gap, last) == end - gap;
}

/* Report the candidate that closed just before ``index``. */
static Py_ssize_t found(Automaton *a, Py_ssize_t index, int empty)
{
    int64_t start = a->start, end = a->origin + index;
    if (end - start > a->max_bytes)
        return drop(a, index);
    if (a->told < start && tell(a, (Py_ssize_t)(start - a->origin)) < 0)
        return -1;
    int fragment = is_fragment(a);
    if (fragment) {
        a->fragment_end = end;
        a->fragments++;
    }
    else
        a->objects++;
    if (a->newest) {
        if (fragment || empty) {
            if (a->split)
                leave_held(a);
            return pass(a, index);
        }
        forget_newest(a);
    }
    int later = a->newest && !(a->key != NULL && a->has_key);
    PyObject *raw = NULL, *fence = fences_info(&a->fences);
    if (fence == NULL)
        return -1;
    if (a->split) {
        remember(a, buffer_data(&a->held), a->held.size);
        a->split = 0;
        if (buffer_append(&a->held, a->data, index) == 0)
            raw = buffer_take(&a->held);
        if (raw == NULL) {
            Py_DECREF(fence);
            return -1;
        }
    }
    if (later) {
        a->newest_start = start;
        a->newest_end = end;
        a->newest_index = PyList_GET_SIZE(a->spans);
        a->newest_raw = raw;
        a->newest_fence = fence;
        return pass(a, index);
    }
    if (raw == NULL)
        raw = bytes_of(a->data + (start - a->origin), (Py_ssize_t)(end - start));
    int failed = report(a, FOUND, start, end, raw, fragment, fence);
    Py_DECREF(fence);
    return failed ? -1 : pass(a, index);
}

/* ---- Reading ---- */

static void begin(Automaton *a, Py_ssize_t index, int structural)
{
    int is_array = a->data[index] == '[';
    a->start = a->origin + index;
    a->state = is_array ? ARRAY : OBJECT;
    a->colon = 0;
    a->structural = structural;
    a->has_key = is_array || a->key == NULL;
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

static int run(Automaton *a, Py_ssize_t index)
{
    while (index >= 0 && index < a->size)
        index = a->start < 0 ? seek(a, index) : read_candidate(a, index);
    return index < 0 ? -1 : 0;
}

/* Keep of the data what the open candidate needs, and no more. */
static int let_go(Automaton *a)
{
    int64_t end = a->origin + a->size;
    if (report_newest(a) < 0)
        return -1;
    if (a->split) {
        if (end - a->start <= a->max_bytes)
            return buffer_append(&a->held, a->data, a->size);
        leave_held(a);
        remember(a, a->data, a->size);
        a->base = end;
        marks_restart(&a->marks, end);
        return 0;
    }
    Py_ssize_t keep = a->size;
    if (a->start < 0) {
        if (tell(a, a->size) < 0)
            return -1;
    }
    else {
        if (a->told < a->start && tell(a, (Py_ssize_t)(a->start - a->origin)) < 0)
            return -1;
        if (end - a->start <= a->max_bytes)
            keep = (Py_ssize_t)(a->start - a->origin);
        else
            marks_restart(&a->marks, end);
    }
    remember(a, a->data, keep);
    a->base = a->origin + keep;
    if (!a->in_held)
        return buffer_append(&a->held, a->data + keep, a->size - keep);
    buffer_cut(&a->held, keep);
    return 0;
}

#endif
