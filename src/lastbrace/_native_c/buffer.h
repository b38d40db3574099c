/* The bytes of the open candidate that are kept between chunks. */

#ifndef LASTBRACE_BUFFER_H
#define LASTBRACE_BUFFER_H

#include <Python.h>

enum {
    BUFFER_START = 1024,         /* bytes of room to begin with */
    BUFFER_KEPT = 256 << 10,     /* bytes of room that are kept while nothing is in it */
    HAND_OVER_ABOVE = 32 << 10,  /* bytes; less is copied sooner than new room is found */
};

/* ``size`` bytes from ``offset`` on, in a bytes object that nobody else has, so that it can be handed over whole. */
typedef struct {
    PyObject *bytes;
    Py_ssize_t offset, size;
} Buffer;

static inline uint8_t *buffer_data(const Buffer *buffer)
{
    return buffer->bytes == NULL ? (uint8_t *)"" : (uint8_t *)PyBytes_AS_STRING(buffer->bytes) + buffer->offset;
}

static inline void buffer_free(Buffer *buffer)
{
    Py_CLEAR(buffer->bytes);
    buffer->offset = buffer->size = 0;
}

static inline void buffer_empty(Buffer *buffer)
{
    buffer->offset = buffer->size = 0;
    if (buffer->bytes != NULL && PyBytes_GET_SIZE(buffer->bytes) > BUFFER_KEPT)
        Py_CLEAR(buffer->bytes);
}

static inline void buffer_to_front(Buffer *buffer)
{
    memmove(PyBytes_AS_STRING(buffer->bytes), buffer_data(buffer), buffer->size);
    buffer->offset = 0;
}

static inline int buffer_append(Buffer *buffer, const uint8_t *data, Py_ssize_t size)
{
    if (size == 0)
        return 0;
    if (size > PY_SSIZE_T_MAX / 2 - buffer->size) {
        PyErr_NoMemory();
        return -1;
    }
    Py_ssize_t needed = buffer->size + size;
    if (buffer->bytes == NULL) {
        buffer->bytes = PyBytes_FromStringAndSize(NULL, Py_MAX(needed, BUFFER_START));
        if (buffer->bytes == NULL)
            return -1;
    }
    if (buffer->offset + needed > PyBytes_GET_SIZE(buffer->bytes)) {
        if (buffer->offset)
            buffer_to_front(buffer);
        if (needed > PyBytes_GET_SIZE(buffer->bytes) / 4 * 3 &&
            _PyBytes_Resize(&buffer->bytes, needed + needed / 2) < 0) {
            buffer_free(buffer);
            return -1;
        }
    }
    memcpy(buffer_data(buffer) + buffer->size, data, size);
    buffer->size = needed;
    return 0;
}

/* Forget the first ``size`` bytes, in constant time on average. */
static inline void buffer_cut(Buffer *buffer, Py_ssize_t size)
{
    buffer->offset += size;
    buffer->size -= size;
    if (buffer->size == 0)
        buffer_empty(buffer);
    else if (buffer->offset > BUFFER_KEPT && buffer->offset > buffer->size) {
        buffer_to_front(buffer);
        /* Where the rest takes but a part of the room, the room is given back; it does no harm if that fails. (Not made
           from the text itself: bytes of one character are the interpreter's, and everybody's.) */
        PyObject *smaller = PyBytes_FromStringAndSize(NULL, buffer->size);
        if (smaller == NULL)
            PyErr_Clear();
        else {
            memcpy(PyBytes_AS_STRING(smaller), buffer_data(buffer), buffer->size);
            Py_SETREF(buffer->bytes, smaller);
        }
    }
}

/* Return all bytes as an object, and be empty. */
static inline PyObject *buffer_take(Buffer *buffer)
{
    PyObject *bytes;
    if (buffer->size < HAND_OVER_ABOVE) {
        bytes = PyBytes_FromStringAndSize((char *)buffer_data(buffer), buffer->size);
        buffer_empty(buffer);
        return bytes;
    }
    if (buffer->offset)
        buffer_to_front(buffer);
    bytes = buffer->bytes;
    buffer->bytes = NULL;
    (void)_PyBytes_Resize(&bytes, buffer->size); /* on failure it is NULL, and the error set */
    buffer_free(buffer);
    return bytes;
}

#endif
