/* Which Markdown code fence an object stands in; fences.py has the rules. */

#ifndef LASTBRACE_FENCES_H
#define LASTBRACE_FENCES_H

#include <Python.h>

#include "grammar.h"

enum { MAX_LINE = 256 }; /* bytes of a line that are looked at */

/* A run of marks, and the word after it. */
typedef struct {
    uint8_t mark; /* 0 where there is none */
    int length, word_size;
    uint8_t word[MAX_LINE];
} Fence;

typedef struct {
    Fence open;
    PyObject *info; /* the open fence's word, once it was asked for */
    uint8_t line[MAX_LINE];
    int line_size;
    int after_object; /* one stands on this line */
} Fences;

static inline int is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* Return the first byte of the three or more marks that the line begins with, after its indentation, else NULL. */
static inline const uint8_t *find_marks(const uint8_t *line, const uint8_t *end, int after_item)
{
    while (line < end && (*line == ' ' || *line == '\t' || *line == '>'))
        line++;
    if (after_item && line < end) { /* of a list */
        const uint8_t *item = line;
        if (*item == '-' || *item == '+' || *item == '*')
            item++;
        else {
            while (item < end && item - line < 9 && is_digit(*item))
                item++;
            if (item == line || item == end || (*item != '.' && *item != ')'))
                item = NULL;
            else
                item++;
        }
        if (item != NULL && item < end && (*item == ' ' || *item == '\t')) {
            while (item < end && (*item == ' ' || *item == '\t'))
                item++;
            line = item;
        }
    }
    int marks = end - line >= 3 && (*line == '`' || *line == '~') && line[0] == line[1] && line[1] == line[2];
    return marks ? line : NULL;
}

/* Read the fence that ``line`` opens into ``fence``, if it can open one here. */
static inline int opened_by(const Fences *fences, const uint8_t *line, const uint8_t *end, Fence *fence)
{
    const uint8_t *marks = fences->after_object ? NULL : find_marks(line, end, 1);
    if (marks == NULL)
        return 0;
    const uint8_t *at = marks;
    while (at < end && *at == *marks)
        at++;
    int length = (int)(at - marks);
    if (*marks == '`' && memchr(at, '`', end - at) != NULL)
        return 0;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const uint8_t *word = at;
    while (at < end && !is_space(*at) && *at != '`')
        at++;
    const Fence *open = &fences->open;
    if (open->mark && (at == word || *marks != open->mark || length < open->length))
        return 0;
    fence->mark = *marks;
    fence->length = length;
    fence->word_size = (int)(at - word);
    memcpy(fence->word, word, at - word);
    return 1;
}

static inline void fences_open(Fences *fences, const uint8_t *line, const uint8_t *end)
{
    Fence fence;
    if (opened_by(fences, line, end, &fence)) {
        fences->open = fence;
        Py_CLEAR(fences->info);
    }
}

static inline void end_line(Fences *fences, const uint8_t *line, const uint8_t *end)
{
    const Fence *open = &fences->open;
    const uint8_t *at = open->mark ? find_marks(line, end, 0) : NULL;
    if (at != NULL && *at == open->mark) {
        const uint8_t *marks = at;
        while (at < end && *at == open->mark)
            at++;
        int length = (int)(at - marks);
        while (at < end && is_space(*at))
            at++;
        if (at == end && length >= open->length) {
            fences->open.mark = 0;
            return;
        }
    }
    fences_open(fences, line, end);
}

static inline void keep_line(Fences *fences, const uint8_t *text, const uint8_t *end)
{
    int size = (int)Py_MIN(end - text, MAX_LINE - fences->line_size);
    memcpy(fences->line + fences->line_size, text, size);
    fences->line_size += size;
}

/* Read the next stretch of text outside objects; ``may_hold`` says that a fence may stand in it. */
static inline void fences_feed(Fences *fences, const uint8_t *text, const uint8_t *end, int may_hold)
{
    const uint8_t *first = memchr(text, '\n', end - text);
    if (first == NULL) {
        keep_line(fences, text, end);
        return;
    }
    if (fences->line_size) {
        keep_line(fences, text, first);
        end_line(fences, fences->line, fences->line + fences->line_size);
        fences->line_size = 0;
    }
    else if (may_hold)
        end_line(fences, text, Py_MIN(first, text + MAX_LINE));
    fences->after_object = 0;
    const uint8_t *last = last_line_end(first, end);
    if (may_hold)
        for (const uint8_t *line = first + 1; line < last;) {
            const uint8_t *line_end = memchr(line, '\n', last - line + 1);
            end_line(fences, line, Py_MIN(line_end, line + MAX_LINE));
            line = line_end + 1;
        }
    keep_line(fences, last + 1, end);
}

/* Note that an object stands here, on this line. */
static inline void fences_pass_object(Fences *fences)
{
    if (fences->line_size) {
        fences_open(fences, fences->line, fences->line + fences->line_size);
        fences->line_size = 0;
    }
    fences->after_object = 1;
}

/* Return the word of the fence that is open here, None outside fences. */
static inline PyObject *fences_info(Fences *fences)
{
    Fence fence;
    if (fences->line_size && opened_by(fences, fences->line, fences->line + fences->line_size, &fence))
        return PyUnicode_DecodeUTF8((char *)fence.word, fence.word_size, "replace");
    if (!fences->open.mark)
        Py_RETURN_NONE;
    if (fences->info == NULL)
        fences->info = PyUnicode_DecodeUTF8((char *)fences->open.word, fences->open.word_size, "replace");
    return Py_XNewRef(fences->info);
}

#endif
