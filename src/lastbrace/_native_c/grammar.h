/* The JSON grammar: states, and what each does with a byte. Names are those of grammar.py. */

#ifndef LASTBRACE_GRAMMAR_H
#define LASTBRACE_GRAMMAR_H

#include <stdint.h>
#include <string.h>

/* Named for what was read last or what must come next. */
enum {
    OBJECT,     /* after "{": a key or "}" */
    KEY,        /* after "," in an object: a key */
    COLON,      /* after a key */
    VALUE,      /* after ":", or "," in an array */
    ARRAY,      /* after "[": a value or "]" */
    MEMBER_END, /* after a value in an object: "," or "}" */
    ELEMENT_END, /* after a value in an array: "," or "]" */
    KEY_STRING, KEY_ESCAPE, KEY_U1, KEY_U2, KEY_U3, KEY_U4,
    STRING, ESCAPE, U1, U2, U3, U4,
    MINUS, ZERO, INTEGER, POINT, FRACTION, EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS,
    T, TR, TRU, F, FA, FAL, FALS, N, NU, NUL, CAPITAL_N, NA,
    I_, IN_, INF, INFI, INFIN, INFINI, INFINIT,
    /* Codes that are no state. */
    END_VALUE,     /* the last byte of a word */
    END_NUMBER,    /* a byte after a number: the number ends before it */
    BEGIN_INTEGER, /* a digit from 1 to 9 that begins the digits of a number */
    ILLEGAL
};

#define MAX_INTEGER_DIGITS 4300 /* Python's own limit: sys.int_info.default_max_str_digits */

/* Why a candidate died. */
enum { NO_KEY, NO_COLON, NO_VALUE, NO_COMMA_OR_BRACE, NO_COMMA_OR_BRACKET, BAD_STRING, BAD_ESCAPE, BAD_NUMBER,
       TOO_DEEP, TOO_LONG, REASONS };
static const char *const REASON_TEXTS[REASONS] = {
    "not a key", "not a colon", "not a value", "not a comma or closing brace", "not a comma or closing bracket",
    "a control character in a string", "not an escape", "not a number",
    "deeper than max_depth", "an integer of more than 4300 digits",
};

static inline int reason_in(int state)
{
    static const uint8_t reasons[] = {NO_KEY, NO_KEY, NO_COLON, NO_VALUE, NO_VALUE, NO_COMMA_OR_BRACE,
                                      NO_COMMA_OR_BRACKET, BAD_STRING};
    if (state <= KEY_STRING)
        return reasons[state];
    if (state == STRING)
        return BAD_STRING;
    return state < MINUS ? BAD_ESCAPE : state < T ? BAD_NUMBER : NO_VALUE;
}

/* What a byte is in a string: plain, or not; and after a backslash. */
enum { IN_STRING = 1, AFTER_BACKSLASH = 2, HEX_DIGIT = 4 };
static const uint8_t STRING_CLASS[256] = {
#define CONTROL 1, 1, 1, 1, 1, 1, 1, 1
    CONTROL, CONTROL, CONTROL, CONTROL,
#undef CONTROL
    ['"'] = 3, ['\\'] = 3, ['/'] = 2, ['b'] = 6, ['f'] = 6, ['n'] = 2, ['r'] = 2, ['t'] = 2,
    ['0'] = 4, ['1'] = 4, ['2'] = 4, ['3'] = 4, ['4'] = 4, ['5'] = 4, ['6'] = 4, ['7'] = 4, ['8'] = 4, ['9'] = 4,
    ['a'] = 4, ['c'] = 4, ['d'] = 4, ['e'] = 4, ['A'] = 4, ['B'] = 4, ['C'] = 4, ['D'] = 4, ['E'] = 4, ['F'] = 4,
};

static inline int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

/* Whether a byte begins what the terminal filter removes. */
static inline int is_noise(uint8_t byte) { return byte == 0x1b || byte == 0; }

static inline int is_white(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

static inline int ends_number(uint8_t byte) { return is_white(byte) || byte == ',' || byte == ']' || byte == '}'; }

/* What a byte means where few bytes are read: the next state or a code. The states of structure and string bodies are
   read_candidate()'s own, but for the beginnings of numbers and words. */
static inline int next_state(int state, uint8_t byte, int strict)
{
    static const struct { uint8_t byte, next; } words[] = {
        {'r', TR}, {'u', TRU}, {'e', END_VALUE},
        {'a', FA}, {'l', FAL}, {'s', FALS}, {'e', END_VALUE},
        {'u', NU}, {'l', NUL}, {'l', END_VALUE},
        {'a', NA}, {'N', END_VALUE},
        {'n', IN_}, {'f', INF}, {'i', INFI}, {'n', INFIN}, {'i', INFINI}, {'t', INFINIT}, {'y', END_VALUE},
    };
    if (state >= T)
        return byte == words[state - T].byte ? words[state - T].next : ILLEGAL;
    switch (state) {
    case KEY_ESCAPE: case ESCAPE:
        if (byte == 'u')
            return state + 1;
        return STRING_CLASS[byte] & AFTER_BACKSLASH ? state - 1 : ILLEGAL;
    case KEY_U1: case KEY_U2: case KEY_U3: case U1: case U2: case U3:
        return STRING_CLASS[byte] & HEX_DIGIT ? state + 1 : ILLEGAL;
    case KEY_U4: case U4:
        return STRING_CLASS[byte] & HEX_DIGIT ? (state == U4 ? STRING : KEY_STRING) : ILLEGAL;
    case VALUE: case ARRAY:
        switch (byte) {
        case '-': return MINUS;
        case 't': return T;
        case 'f': return F;
        case 'n': return N;
        case 'N': return strict ? ILLEGAL : CAPITAL_N;
        }
        /* fall through */
    case MINUS:
        if (byte == '0')
            return ZERO;
        if (byte == 'I')
            return strict ? ILLEGAL : I_;
        return is_digit(byte) ? BEGIN_INTEGER : ILLEGAL;
    case ZERO: case INTEGER: case FRACTION: case EXPONENT_DIGITS:
        if (is_digit(byte))
            return state == ZERO ? ILLEGAL : state;
        if (byte == '.' && (state == ZERO || state == INTEGER))
            return POINT;
        if ((byte | 0x20) == 'e' && state != EXPONENT_DIGITS)
            return EXPONENT;
        /* An integer that is too long dies at whatever byte shows that it has ended, legal there or not. */
        return state == INTEGER || ends_number(byte) ? END_NUMBER : ILLEGAL;
    case POINT:
        return is_digit(byte) ? FRACTION : ILLEGAL;
    case EXPONENT:
        if (byte == '+' || byte == '-')
            return EXPONENT_SIGN;
        /* fall through */
    case EXPONENT_SIGN:
        return is_digit(byte) ? EXPONENT_DIGITS : ILLEGAL;
    }
    return ILLEGAL;
}

/* Whether ``byte`` may be what follows a candidate's bracket: it does not die before its first key or value. */
static inline int may_follow(uint8_t opener, uint8_t byte)
{
    if (opener == '{')
        return byte == '"' || byte == '}';
    return byte != 0 && (is_digit(byte) || strchr("\"{[]-tfnNI", byte) != NULL);
}

/* Where the last line end stands, or NULL. */
static inline const uint8_t *last_line_end(const uint8_t *begin, const uint8_t *end)
{
    while (end > begin)
        if (*--end == '\n')
            return end;
    return NULL;
}

#endif
