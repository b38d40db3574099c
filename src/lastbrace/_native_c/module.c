/* The scanner's automaton in C: what automaton.py is, behind the same names.

   automaton.c  reports, and how a candidate ends    buffer.h    the bytes that are held
   reading.h    from byte to byte                    dead.h      what is remembered of dead candidates
   search.h     wide compares                        headless.h  whether an object is a piece of a record
   grammar.h    states and bytes                     fences.h    which code fence it stands in
   members.h    where a few members stand in it

   And beside it the decoder of what it finds: see decoding.h. This file is what Python sees of both.

   Machines: words are put together from bytes by shifts, never read as they lie, so that byte order does not matter;
   text is uint8_t, so that neither does the sign of char; positions in a stream are int64_t, and become a Py_ssize_t
   only as indices into the chunk at hand or what is held, so that a stream may be longer than a 32-bit address space.
   Compiled for i686 and s390x (big-endian) it gives what the scanner in Python gives. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "automaton.h"
#include "decoding.h"
#include "processor.h"

#if PY_VERSION_HEX < 0x030D0000 /* the GIL is all that is needed */
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

typedef struct {
    PyObject *automaton_type, *death_type;
    PyObject *reasons[REASONS];
    Known known; /* seen by one thread at a time, which the GIL sees to: no Python runs while they are looked at */
} State;

/* ---- Making and unmaking ---- */

/* A limit: None is none, and one too large to count to is as good. */
static int as_limit(PyObject *value, int64_t *limit)
{
    int overflow = 0;
    *limit = INT64_MAX;
    if (value == Py_None)
        return 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (number == -1 && PyErr_Occurred())
        return -1;
    if (!overflow)
        *limit = number;
    return 0;
}

static PyObject *automaton_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"roots", "framing", "strict", "max_object_bytes", "max_depth", "text", "newest", "key",
                            "members", "stops", "make", NULL};
    const char *roots = NULL, *framing = NULL;
    PyObject *max_bytes = NULL, *max_depth = NULL, *key = NULL, *members = NULL, *make = NULL;
    int strict = 0, text = 0, newest = 0, stops = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$sspOOppOOpO", names, &roots, &framing, &strict, &max_bytes,
                                     &max_depth, &text, &newest, &key, &members, &stops, &make))
        return NULL;
    if (roots == NULL || framing == NULL || max_bytes == NULL || max_depth == NULL) {
        PyErr_SetString(PyExc_TypeError, "roots, framing, strict, max_object_bytes and max_depth must be given");
        return NULL;
    }
    if (key == Py_None)
        key = NULL;
    if (key != NULL && !PyBytes_Check(key)) {
        PyErr_SetString(PyExc_TypeError, "key must be bytes or None");
        return NULL;
    }
    if (members != NULL && !are_names(members))
        return NULL;
    Automaton *a = (Automaton *)type->tp_alloc(type, 0);
    if (a == NULL)
        return NULL;
    memcpy(a->openers, strcmp(roots, "any") == 0 ? "{[" : strcmp(roots, "array") == 0 ? "[[" : "{{", 2);
    a->lines = strcmp(framing, "lines") == 0;
    a->strict = strict;
    a->text = text;
    a->newest = newest;
    a->stops = stops;
    a->stopped = -1;
    a->read = read_baseline;
#ifdef HAS_AVX2
    if (can_avx2())
        a->read = read_avx2;
#endif
    a->key = Py_XNewRef(key);
    a->make = make == Py_None ? NULL : Py_XNewRef(make);
    a->start = a->fragment_end = -1;
    a->deaths = PyDict_New();
    if (a->deaths == NULL || as_limit(max_bytes, &a->max_bytes) < 0 || as_limit(max_depth, &a->max_depth) < 0) {
        Py_DECREF(a);
        return NULL;
    }
    /* What is too deep to be decoded has no members. */
    if (members != NULL && PyTuple_GET_SIZE(members) && a->max_depth <= MOST_DEPTH)
        a->members.names = Py_NewRef(members);
    return (PyObject *)a;
}

static int automaton_traverse(Automaton *a, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(a));
    Py_VISIT(a->deaths);
    Py_VISIT(a->last_death);
    Py_VISIT(a->spans);
    Py_VISIT(a->make);
    Py_VISIT(a->last);
    return 0;
}

static int automaton_clear(Automaton *a)
{
    Py_CLEAR(a->deaths);
    Py_CLEAR(a->last_death);
    Py_CLEAR(a->spans);
    Py_CLEAR(a->make);
    Py_CLEAR(a->last);
    return 0;
}

static void automaton_dealloc(Automaton *a)
{
    PyTypeObject *type = Py_TYPE(a);
    PyObject_GC_UnTrack(a);
    automaton_clear(a);
    forget_newest(a);
    Py_CLEAR(a->key);
    Py_CLEAR(a->members.names);
    Py_CLEAR(a->members.raw);
    Py_CLEAR(a->fences.info);
    buffer_free(&a->held);
    dead_leave(&a->dead, INT64_MAX);
    PyMem_Free(a->dead.at);
    PyMem_Free(a->containers.at);
    PyMem_Free(a->marks.distances);
    type->tp_free(a);
    Py_DECREF(type);
}

/* ---- Feeding ---- */

/* Bring what was counted in C to where Python reads it. */
static int publish(Automaton *a)
{
    if (!a->died_reasons && !a->death.known)
        return 0;
    State *state = PyType_GetModuleState(Py_TYPE(a));
    for (int index = 0; index < a->died_reasons; index++) {
        int reason = a->died_first[index];
        PyObject *before = PyDict_GetItemWithError(a->deaths, state->reasons[reason]);
        if (before == NULL && PyErr_Occurred())
            return -1;
        long long count = before == NULL ? 0 : PyLong_AsLongLong(before);
        if (count == -1 && PyErr_Occurred())
            return -1;
        PyObject *after = PyLong_FromLongLong(count + a->died[reason]);
        a->died[reason] = 0;
        if (after == NULL || PyDict_SetItem(a->deaths, state->reasons[reason], after) < 0) {
            Py_XDECREF(after);
            return -1;
        }
        Py_DECREF(after);
    }
    a->died_reasons = 0;
    if (a->death.known) {
        const Death *death = &a->death;
        PyObject *last = PyObject_CallFunction(
            state->death_type, "LLy#Oy#", (long long)death->start, (long long)death->position, &death->byte,
            (Py_ssize_t)1, state->reasons[death->reason], death->excerpt, (Py_ssize_t)death->excerpt_size);
        if (last == NULL)
            return -1;
        a->death.known = 0;
        a->notes = 1;
        Py_XSETREF(a->last_death, last);
    }
    return 0;
}

/* End what was begun: return the spans, or NULL where it failed. */
static PyObject *finish(Automaton *a, int failed)
{
    PyObject *spans = a->spans;
    a->spans = NULL;
    a->data = NULL;
    if (failed || publish(a) < 0) {
        /* What was read is lost in part, so that nothing that followed could be relied on. */
        a->broken = 1;
        forget_newest(a);
        Py_CLEAR(spans);
    }
    a->busy = 0;
    return spans;
}

/* Keep others out, such as another thread, or code that the garbage collector runs on the way. */
static int start(Automaton *a)
{
    if (a->busy || a->broken) {
        PyErr_SetString(PyExc_RuntimeError, a->busy ? "this scanner is being fed" : "this scanner ran out of memory");
        return -1;
    }
    a->spans = PyList_New(0);
    if (a->spans == NULL)
        return -1;
    a->busy = 1;
    a->notes = 0;
    a->stopped = -1;
    a->joined = 0;
    return 0;
}

static PyObject *feed(Automaton *a, PyObject *chunk)
{
    if (start(a) < 0)
        return NULL;
    a->data = (const uint8_t *)PyBytes_AS_STRING(chunk);
    a->size = PyBytes_GET_SIZE(chunk);
    a->origin = a->base + a->held.size;
    a->split = a->held.size > 0;
    a->in_held = 0;
    return finish(a, a->read(a, 0) < 0 || let_go(a) < 0);
}

static PyObject *automaton_feed(Automaton *a, PyObject *chunk)
{
    PyObject *spans;
    if (!PyBytes_Check(chunk)) {
        PyErr_Format(PyExc_TypeError, "a chunk is bytes, not %.100s", Py_TYPE(chunk)->tp_name);
        return NULL;
    }
    Py_BEGIN_CRITICAL_SECTION(a);
    spans = feed(a, chunk);
    Py_END_CRITICAL_SECTION();
    return spans;
}

static PyObject *close_input(Automaton *a)
{
    if (start(a) < 0)
        return NULL;
    a->data = buffer_data(&a->held);
    a->size = a->held.size;
    a->origin = a->base;
    a->split = 0;
    a->in_held = 1;
    int failed = 0;
    while (!failed && a->start >= 0)
        failed = a->read(a, end_input(a, a->size)) < 0;
    return finish(a, failed || let_go(a) < 0);
}

static PyObject *automaton_close(Automaton *a, PyObject *Py_UNUSED(none))
{
    PyObject *spans;
    Py_BEGIN_CRITICAL_SECTION(a);
    spans = close_input(a);
    Py_END_CRITICAL_SECTION();
    return spans;
}

/* ---- Asking ---- */

static PyObject *open_bytes(Automaton *a, Py_ssize_t since)
{
    if (a->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this scanner is being fed");
        return NULL;
    }
    if (a->start < 0 || since >= a->held.size)
        return bytes_of(NULL, 0);
    return bytes_of(buffer_data(&a->held) + since, a->held.size - since);
}

static PyObject *automaton_open_bytes(Automaton *a, PyObject *argument)
{
    PyObject *bytes;
    Py_ssize_t since = PyLong_AsSsize_t(argument);
    if (since == -1 && PyErr_Occurred())
        return NULL;
    if (since < 0) {
        PyErr_SetString(PyExc_ValueError, "an offset is not negative");
        return NULL;
    }
    Py_BEGIN_CRITICAL_SECTION(a);
    bytes = open_bytes(a, since);
    Py_END_CRITICAL_SECTION();
    return bytes;
}

/* Return what one member is in ``raw``: its text, False where it is none, None where there is no such member; NULL with
   an error set, or with none where that cannot be told. */
static PyObject *member_in(PyObject *raw, int64_t at, Known *known)
{
    const uint8_t *text = (const uint8_t *)PyBytes_AS_STRING(raw), *end = text + PyBytes_GET_SIZE(raw);
    if (at == 0)
        return Py_NewRef(Py_None);
    if (at < 0 || at > end - text)
        return NULL;
    const uint8_t *value = text + at; /* the byte at the end is a NUL */
    while (is_white(*value) || *value == ':')
        value++;
    return *value == '"' ? decode_string(raw, value - text, known) : Py_NewRef(Py_False);
}

static PyObject *members_of(Automaton *a, PyObject *raw)
{
    Known *known = NULL;
#ifndef Py_GIL_DISABLED
    known = &((State *)PyType_GetModuleState(Py_TYPE(a)))->known;
#endif
    if (raw != a->members.raw || a->members.found.unsure)
        return Py_NewRef(Py_None);
    Py_ssize_t count = PyTuple_GET_SIZE(a->members.names);
    PyObject *values = PyTuple_New(count);
    for (Py_ssize_t index = 0; values != NULL && index < count; index++) {
        PyObject *value = member_in(raw, a->members.found.at[index], known);
        if (value == NULL) {
            Py_DECREF(values);
            return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
        }
        PyTuple_SET_ITEM(values, index, value);
    }
    return values;
}

static PyObject *automaton_members_of(Automaton *a, PyObject *raw)
{
    PyObject *values;
    Py_BEGIN_CRITICAL_SECTION(a);
    values = members_of(a, raw);
    Py_END_CRITICAL_SECTION();
    return values;
}

static PyObject *automaton_get_open(Automaton *a, void *Py_UNUSED(closure))
{
    PyObject *open;
    Py_BEGIN_CRITICAL_SECTION(a);
    if (a->start < 0)
        open = Py_NewRef(Py_None);
    else
        open = Py_BuildValue("LL", (long long)a->start, (long long)(a->base + a->held.size - a->start));
    Py_END_CRITICAL_SECTION();
    return open;
}

static PyObject *automaton_get_last_death(Automaton *a, void *Py_UNUSED(closure))
{
    PyObject *last;
    Py_BEGIN_CRITICAL_SECTION(a);
    last = Py_NewRef(a->last_death != NULL ? a->last_death : Py_None);
    Py_END_CRITICAL_SECTION();
    return last;
}

static int automaton_set_last_death(Automaton *a, PyObject *value, void *Py_UNUSED(closure))
{
    Py_BEGIN_CRITICAL_SECTION(a);
    Py_XSETREF(a->last_death, value == Py_None ? NULL : Py_XNewRef(value));
    Py_END_CRITICAL_SECTION();
    return 0;
}

static PyObject *automaton_get_last(Automaton *a, void *Py_UNUSED(closure))
{
    PyObject *last;
    Py_BEGIN_CRITICAL_SECTION(a);
    last = Py_NewRef(a->last != NULL ? a->last : Py_None);
    Py_END_CRITICAL_SECTION();
    return last;
}

static int automaton_set_last(Automaton *a, PyObject *value, void *Py_UNUSED(closure))
{
    Py_BEGIN_CRITICAL_SECTION(a);
    Py_XSETREF(a->last, value == Py_None ? NULL : Py_XNewRef(value));
    Py_END_CRITICAL_SECTION();
    return 0;
}

static PyObject *automaton_get_shift(Automaton *a, void *Py_UNUSED(closure))
{
    PyObject *shift;
    Py_BEGIN_CRITICAL_SECTION(a);
    shift = a->has_shift ? PyLong_FromLongLong(a->shift) : Py_NewRef(Py_None);
    Py_END_CRITICAL_SECTION();
    return shift;
}

static int automaton_set_shift(Automaton *a, PyObject *value, void *Py_UNUSED(closure))
{
    long long shift = 0;
    int has_shift = value != NULL && value != Py_None;
    if (has_shift && (shift = PyLong_AsLongLong(value)) == -1 && PyErr_Occurred())
        return -1;
    if (has_shift && a->make == NULL) {
        PyErr_SetString(PyExc_ValueError, "there is nothing to make objects with");
        return -1;
    }
    Py_BEGIN_CRITICAL_SECTION(a);
    if (!a->busy) {
        a->shift = shift;
        a->has_shift = has_shift;
    }
    Py_END_CRITICAL_SECTION();
    return 0;
}

static PyObject *automaton_get_deaths(Automaton *a, void *Py_UNUSED(closure)) { return Py_NewRef(a->deaths); }

#define GETTER(name, number) \
    static PyObject *automaton_get_##name(Automaton *a, void *Py_UNUSED(closure)) \
    { \
        PyObject *result; \
        Py_BEGIN_CRITICAL_SECTION(a); \
        result = PyLong_FromLongLong(number); \
        Py_END_CRITICAL_SECTION(); \
        return result; \
    }
GETTER(kept_from, a->base)
GETTER(end, a->base + a->held.size)
GETTER(notes, a->notes)
GETTER(stopped, a->stopped)
GETTER(reread, a->reread)
GETTER(objects, a->objects)
GETTER(fragments, a->fragments)

static PyMethodDef methods[] = {
    {"feed", (PyCFunction)automaton_feed, METH_O, "Read the next chunk and return the spans that became certain."},
    {"close", (PyCFunction)automaton_close, METH_NOARGS, "End the input and return what follows from that."},
    {"open_bytes", (PyCFunction)automaton_open_bytes, METH_O,
     "Return the open candidate's bytes from an offset in it on; b\"\" without one, or where they are not kept."},
    {"members_of", (PyCFunction)automaton_members_of, METH_O,
     "Return the members asked for of the object with this very text: each a str, False where it is none, None where "
     "it is not there. None for all where that cannot be told: of all but the newest, fragments and empty ones left out, "
     "and at times of that."},
    {0},
};

static PyGetSetDef properties[] = {
    {"open", (getter)automaton_get_open, NULL, "Where the candidate being read begins, and how much of it was read."},
    {"kept_from", (getter)automaton_get_kept_from, NULL, "Where the text begins that is still kept."},
    {"end", (getter)automaton_get_end, NULL, "How much text was read."},
    {"notes", (getter)automaton_get_notes, NULL,
     "Whether the last feed has more to tell than objects that were made: other spans, a death, that it stopped."},
    {"stopped", (getter)automaton_get_stopped, NULL, "Where in the last chunk an ESC or NUL stood, or -1."},
    {"shift", (getter)automaton_get_shift, (setter)automaton_set_shift,
     "What to move positions by in objects that are made; None to report spans alone."},
    {"last", (getter)automaton_get_last, (setter)automaton_set_last,
     "The newest object that was made, fragments and empty ones left out."},
    {"deaths", (getter)automaton_get_deaths, NULL, "Dead candidates by reason."},
    {"last_death", (getter)automaton_get_last_death, (setter)automaton_set_last_death,
     "The last candidate that died after a key and its colon, until it is set to None."},
    {"reread", (getter)automaton_get_reread, NULL, "The bytes that were read again."},
    {"objects", (getter)automaton_get_objects, NULL, "The objects found, reported or not."},
    {"fragments", (getter)automaton_get_fragments, NULL, "The fragments found, reported or not."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Reads cleaned bytes chunk by chunk and reports spans, each as soon as it is certain."},
    {Py_tp_new, automaton_new},
    {Py_tp_dealloc, automaton_dealloc},
    {Py_tp_traverse, automaton_traverse},
    {Py_tp_clear, automaton_clear},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0},
};

static PyType_Spec spec = {
    .name = "lastbrace._native.Automaton",
    .basicsize = sizeof(Automaton),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

/* ---- Decoding ---- */

static PyObject *module_decode(PyObject *module, PyObject *raw)
{
    Known *known = NULL;
#ifndef Py_GIL_DISABLED
    known = &((State *)PyModule_GetState(module))->known;
#endif
    PyObject *value = PyBytes_Check(raw) ? decode(raw, known) : NULL;
    if (value == NULL && !PyErr_Occurred())
        value = Py_NewRef(Py_NotImplemented);
    return value;
}

static PyMethodDef functions[] = {
    {"decode", module_decode, METH_O,
     "Return the value of the JSON in bytes, as json reads it; NotImplemented where it is not of the ordinary kind."},
    {0},
};

/* ---- The module ---- */

static int module_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    PyObject *spans = PyImport_ImportModule("lastbrace.spans");
    if (spans == NULL)
        return -1;
    state->death_type = PyObject_GetAttrString(spans, "Death");
    Py_DECREF(spans);
    if (state->death_type == NULL)
        return -1;
    for (int reason = 0; reason < REASONS; reason++) {
        state->reasons[reason] = PyUnicode_InternFromString(REASON_TEXTS[reason]);
        if (state->reasons[reason] == NULL)
            return -1;
    }
    state->automaton_type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (state->automaton_type == NULL)
        return -1;
    return PyModule_AddObjectRef(module, "Automaton", state->automaton_type);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->automaton_type);
    Py_VISIT(state->death_type);
    return 0;
}

static int module_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->automaton_type);
    Py_CLEAR(state->death_type);
    for (int reason = 0; reason < REASONS; reason++)
        Py_CLEAR(state->reasons[reason]);
    forget_known(&state->known);
    return 0;
}

static void module_free(void *module) { (void)module_clear(module); }

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0},
};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lastbrace._native",
    .m_doc = "The scanner's automaton in C, and a decoder.",
    .m_size = sizeof(State),
    .m_methods = functions,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&module); }
