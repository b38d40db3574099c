/* What is remembered of a dead candidate while its bytes are read again. */

#ifndef LASTBRACE_DEAD_H
#define LASTBRACE_DEAD_H

#include <Python.h>

/* Make room for one more element in an array; return the array, or NULL with an error set (it is as it was then). */
static inline void *grown(void *array, Py_ssize_t count, Py_ssize_t *room, size_t element)
{
    if (count < *room)
        return array;
    Py_ssize_t more = *room ? *room + *room / 2 : 16;
    void *larger = (size_t)more > PY_SSIZE_T_MAX / element ? NULL : PyMem_Realloc(array, more * element);
    if (larger == NULL)
        PyErr_NoMemory();
    else
        *room = more;
    return larger;
}

/* Brackets, ascending: twice the position of each, and 1 more for an array. */
typedef struct {
    int64_t *at;
    Py_ssize_t count, room;
} Containers;

static inline int containers_push(Containers *containers, int64_t container)
{
    int64_t *at = grown(containers->at, containers->count, &containers->room, sizeof *at);
    if (at == NULL)
        return -1;
    containers->at = at;
    at[containers->count++] = container;
    return 0;
}

/* Ascending positions as distances: a byte each, and one more for every 255 in it. */
typedef struct {
    uint8_t *distances;
    Py_ssize_t count, room;
    int64_t origin, last;
} Marks;

static inline void marks_restart(Marks *marks, int64_t origin)
{
    marks->count = 0;
    marks->origin = marks->last = origin;
    if (marks->room > 1 << 16) {
        PyMem_Free(marks->distances);
        marks->distances = NULL;
        marks->room = 0;
    }
}

static inline int marks_add(Marks *marks, int64_t position)
{
    for (int64_t left = position - marks->last; left >= 0; left -= 255) {
        uint8_t *distances = grown(marks->distances, marks->count, &marks->room, 1);
        if (distances == NULL)
            return -1;
        marks->distances = distances;
        distances[marks->count++] = (uint8_t)Py_MIN(left, 255);
    }
    marks->last = position;
    return 0;
}

/* The bytes that a dead candidate read, up to ``end``. Its open containers die where it died. ``whole`` says that it
   did not die but was open at the end of the input, so that all in it is a piece of it. Positions are asked for in
   ascending order. */
typedef struct {
    int64_t end;
    int whole;
    Containers containers;
    Marks marks;
    Py_ssize_t container, mark; /* the next to look at */
    int64_t marked;             /* the position of the mark before that */
} DeadRegion;

typedef struct {
    DeadRegion *at;
    Py_ssize_t count, room;
} DeadRegions;

/* Add a region, which takes over what is remembered of the candidate; ``containers`` may be NULL. */
static inline int dead_add(DeadRegions *dead, int64_t end, int whole, Containers *containers, Marks *marks)
{
    DeadRegion *at = grown(dead->at, dead->count, &dead->room, sizeof *at);
    if (at == NULL)
        return -1;
    dead->at = at;
    DeadRegion *region = &at[dead->count++];
    *region = (DeadRegion){.end = end, .whole = whole, .marked = marks->origin};
    /* The first container is the candidate itself, which nobody asks for again. */
    if (containers != NULL && containers->count > 1) {
        region->containers = *containers;
        *containers = (Containers){0};
    }
    if (marks->count) {
        region->marks = *marks;
        *marks = (Marks){0};
    }
    return 0;
}

/* Forget the regions that end before or at ``position``. */
static inline void dead_leave(DeadRegions *dead, int64_t position)
{
    Py_ssize_t kept = 0;
    for (Py_ssize_t index = 0; index < dead->count; index++) {
        DeadRegion *region = &dead->at[index];
        if (region->end > position)
            dead->at[kept++] = *region;
        else {
            PyMem_Free(region->containers.at);
            PyMem_Free(region->marks.distances);
        }
    }
    dead->count = kept;
}

/* Whether the bracket at ``position`` was open when a region's candidate died. */
static inline int dead_holds(DeadRegions *dead, int64_t position)
{
    for (Py_ssize_t index = 0; index < dead->count; index++) {
        DeadRegion *region = &dead->at[index];
        Containers *containers = &region->containers;
        while (region->container < containers->count && containers->at[region->container] >> 1 < position)
            region->container++;
        if (region->container < containers->count && containers->at[region->container] >> 1 == position)
            return 1;
    }
    return 0;
}

static inline int region_marks(DeadRegion *region, int64_t position)
{
    if (region->whole)
        return position < region->end;
    const uint8_t *distances = region->marks.distances;
    while (region->marked < position && region->mark < region->marks.count) {
        while (distances[region->mark] == 255)
            region->marked += distances[region->mark++];
        region->marked += distances[region->mark++];
    }
    return region->marked == position;
}

/* Whether the bracket at ``position`` was read as structure in a region, not as a character of a string. */
static inline int dead_marks(DeadRegions *dead, int64_t position)
{
    for (Py_ssize_t index = 0; index < dead->count; index++)
        if (region_marks(&dead->at[index], position))
            return 1;
    return 0;
}

#endif
