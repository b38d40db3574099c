/* Where the values of a few members stand in an object, noted while it is read: what one who asks for no more of it
   then decodes takes no longer for a large object than for a small one. */

#ifndef LASTBRACE_MEMBERS_H
#define LASTBRACE_MEMBERS_H

#include <Python.h>

enum { MOST_MEMBERS = 4 };

/* How far into the object its values begin, after their keys: of those that come twice the last, 0 of those that do not
   come. ``unsure`` says that a key may be one of them: it has an escape, or was cut by a chunk. */
typedef struct {
    int64_t at[MOST_MEMBERS];
    int unsure;
} Places;

typedef struct {
    PyObject *names; /* a tuple of bytes, or NULL */
    Places read;     /* in the candidate */
    Places found;    /* in the newest object that is no fragment and not empty */
    PyObject *raw;   /* its text */
} Members;

/* Whether these may be asked for; else with an error set. */
static inline int are_names(PyObject *names)
{
    int right = PyTuple_Check(names) && PyTuple_GET_SIZE(names) <= MOST_MEMBERS;
    for (Py_ssize_t index = 0; right && index < PyTuple_GET_SIZE(names); index++)
        right = PyBytes_Check(PyTuple_GET_ITEM(names, index));
    if (!right)
        PyErr_Format(PyExc_TypeError, "members must be a tuple of bytes, %d at most", MOST_MEMBERS);
    return right;
}

/* Note a key of the object itself, ``NULL`` where its beginning is not at hand; its value begins after ``at``. */
static inline void note_key(Members *members, const uint8_t *key, const uint8_t *end, int64_t at)
{
    if (key == NULL || memchr(key, '\\', end - key) != NULL) {
        members->read.unsure = 1;
        return;
    }
    for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(members->names); index++) {
        PyObject *name = PyTuple_GET_ITEM(members->names, index);
        if (PyBytes_GET_SIZE(name) == end - key && memcmp(PyBytes_AS_STRING(name), key, end - key) == 0)
            members->read.at[index] = at;
    }
}

#endif
