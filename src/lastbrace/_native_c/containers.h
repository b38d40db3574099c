/* Values: objects, arrays, words, and what stands between them. It is compiled once for every set of wide
   instructions. */

#ifndef LASTBRACE_CONTAINERS_H
#define LASTBRACE_CONTAINERS_H

#include "decoding.h"
#include "numbers.h"
#include "strings.h"

static inline const uint8_t *skip_white(const uint8_t *at)
{
    while (is_white(*at))
        at++;
    return at;
}

static const uint8_t *read_value(Decoding *d, const uint8_t *at);

static inline const uint8_t *read_word(Decoding *d, const uint8_t *at, const char *word, PyObject *value)
{
    Py_ssize_t size = (Py_ssize_t)strlen(word);
    if (d->end - at < size || memcmp(at, word, size) != 0)
        return NULL;
    return put(d, Py_NewRef(value)) ? at + size : NULL;
}

/* Make the values from ``first`` on one array, in their place. */
static int end_array(Decoding *d, Py_ssize_t first)
{
    Py_ssize_t size = d->count - first;
    PyObject *list = PyList_New(size);
    if (list == NULL)
        return 0;
    for (Py_ssize_t index = 0; index < size; index++)
        PyList_SET_ITEM(list, index, d->values[first + index]);
    d->count = first;
    return put(d, list);
}

/* Make the keys and values from ``first`` on one object, in their place. Of the same keys the last value wins, where
   the first one stood. */
static int end_object(Decoding *d, Py_ssize_t first)
{
    PyObject *dict = PyDict_New();
    if (dict == NULL)
        return 0;
    for (Py_ssize_t index = first; index < d->count; index += 2)
        if (PyDict_SetItem(dict, d->values[index], d->values[index + 1]) < 0) {
            Py_DECREF(dict);
            return 0;
        }
    while (d->count > first)
        Py_DECREF(d->values[--d->count]);
    return put(d, dict);
}

static const uint8_t *read_array(Decoding *d, const uint8_t *at)
{
    Py_ssize_t first = d->count;
    at = skip_white(at);
    if (*at != ']')
        for (;;) {
            if ((at = read_value(d, at)) == NULL)
                return NULL;
            at = skip_white(at);
            if (*at != ',')
                break;
            at++;
        }
    return *at == ']' && end_array(d, first) ? at + 1 : NULL;
}

static const uint8_t *read_object(Decoding *d, const uint8_t *at)
{
    Py_ssize_t first = d->count;
    at = skip_white(at);
    if (*at != '}')
        for (;;) {
            if (*at != '"' || (at = read_key(d, at + 1)) == NULL)
                return NULL;
            at = skip_white(at);
            if (*at != ':' || (at = read_value(d, at + 1)) == NULL)
                return NULL;
            at = skip_white(at);
            if (*at != ',')
                break;
            at = skip_white(at + 1);
        }
    return *at == '}' && end_object(d, first) ? at + 1 : NULL;
}

static inline const uint8_t *read_container(Decoding *d, const uint8_t *at)
{
    if (d->depth == MOST_DEPTH)
        return NULL;
    d->depth++;
    at = *at == '{' ? read_object(d, at + 1) : read_array(d, at + 1);
    d->depth--;
    return at;
}

static const uint8_t *read_value(Decoding *d, const uint8_t *at)
{
    at = skip_white(at);
    switch (*at) {
    case '"': return read_string(d, at + 1);
    case '{': case '[': return read_container(d, at);
    case 't': return read_word(d, at, "true", Py_True);
    case 'f': return read_word(d, at, "false", Py_False);
    case 'n': return read_word(d, at, "null", Py_None);
    }
    return read_number(d, at);
}

/* Read one value with nothing around it but white space. */
static inline const uint8_t *read_whole(Decoding *d, const uint8_t *at)
{
    at = read_value(d, at);
    return at == NULL ? NULL : skip_white(at);
}

#endif
