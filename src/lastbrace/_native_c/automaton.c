/* What the automaton reports, and how a candidate ends. */

#include "automaton.h"
#include "headless.h"

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
    if (kind == FOUND && !failed && !fragment && !is_empty(raw)) {
        if (made)
            Py_XSETREF(a->last, Py_NewRef(span));
        if (a->members.names != NULL)
            Py_XSETREF(a->members.raw, Py_NewRef(raw));
    }
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

PyObject *bytes_of(const uint8_t *data, Py_ssize_t size)
{
    return PyBytes_FromStringAndSize((const char *)data, size);
}

void forget_newest(Automaton *a)
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
int tell(Automaton *a, Py_ssize_t index)
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

/* ---- The end of a candidate. ---- */

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
Py_ssize_t die(Automaton *a, Py_ssize_t index, int reason)
{
    if (join_held(a, &index) < 0)
        return -1;
    int64_t position = a->origin + index, end = position;
    uint8_t byte = a->data[index];
    count_death(a, reason);
    if (a->colon) {
        Py_ssize_t shown = (Py_ssize_t)Py_MIN(position - a->start, EXCERPT), to = index;
        Py_ssize_t old = Py_MIN(Py_MAX(shown - index, 0), a->before_size); /* of them, in chunks that are gone */
        Py_ssize_t from = Py_MAX(index - shown, 0);
        while (to < a->size && to < index + EXCERPT / 2 && !(a->stops && is_noise(a->data[to])))
            to++;
        a->death = (Death){.known = 1, .reason = reason, .start = a->start, .position = position, .byte = byte};
        a->death.excerpt_size = (int)(old + to - from);
        memcpy(a->death.excerpt, a->before + a->before_size - old, old);
        memcpy(a->death.excerpt + old, a->data + from, to - from);
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
Py_ssize_t end_input(Automaton *a, Py_ssize_t index)
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
Py_ssize_t found(Automaton *a, Py_ssize_t index, int empty)
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
    if (a->members.names != NULL && !fragment && !empty)
        a->members.found = a->members.read;
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

/* ---- The end of a chunk ---- */

/* Keep of the data what the open candidate needs, and no more. */
int let_go(Automaton *a)
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
