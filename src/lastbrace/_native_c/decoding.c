/* The decoding of one text, from its beginning to its end. */

#include "decoding.h"

int more_values(Decoding *d)
{
    Py_ssize_t room = d->room * 2;
    int is_own = d->values == d->few_values;
    PyObject **values = NULL;
    if (room <= PY_SSIZE_T_MAX / (Py_ssize_t)sizeof *values)
        values = PyMem_Realloc(is_own ? NULL : d->values, room * sizeof *values);
    if (values == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    if (is_own)
        memcpy(values, d->few_values, sizeof d->few_values);
    d->values = values;
    d->room = room;
    return 1;
}

int more_text(Decoding *d, Py_ssize_t used, Py_ssize_t size)
{
    int is_own = d->text == d->short_text;
    uint8_t *text = NULL;
    if (size <= PY_SSIZE_T_MAX / 2)
        text = PyMem_Realloc(is_own ? NULL : d->text, size + size / 2);
    if (text == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    if (is_own)
        memcpy(text, d->short_text, used);
    d->text = text;
    d->text_room = size + size / 2;
    return 1;
}

static const uint8_t *read_text(Decoding *d, const uint8_t *at)
{
#ifdef HAS_AVX2
    if (can_avx2())
        return decode_avx2(d, at);
#endif
    return decode_baseline(d, at);
}

/* Return the value at ``at``, which ends the text if it is the ``whole`` of it. */
static PyObject *decode_at(PyObject *text, Py_ssize_t from, Known *known, int whole)
{
    Decoding d;
    const uint8_t *at = (const uint8_t *)PyBytes_AS_STRING(text) + from;
    d.end = at + PyBytes_GET_SIZE(text) - from;
    d.known = known;
    d.depth = 0;
    d.values = d.few_values;
    d.count = 0;
    d.room = FEW_VALUES;
    d.text = d.short_text;
    d.text_room = SHORT_TEXT;
    at = read_text(&d, at);
    PyObject *value = at != NULL && (at == d.end || !whole) ? d.values[--d.count] : NULL;
    while (d.count)
        Py_DECREF(d.values[--d.count]);
    if (d.values != d.few_values)
        PyMem_Free(d.values);
    if (d.text != d.short_text)
        PyMem_Free(d.text);
    return value;
}

PyObject *decode(PyObject *text, Known *known) { return decode_at(text, 0, known, 1); }

PyObject *decode_string(PyObject *text, Py_ssize_t at, Known *known) { return decode_at(text, at, known, 0); }

void forget_known(Known *known)
{
    for (int place = 0; place < KNOWN_PLACES; place++)
        Py_CLEAR(known->at[place].string);
}
