/* Numbers: integers, and the double that is nearest to a decimal fraction. */

#ifndef LASTBRACE_NUMBERS_H
#define LASTBRACE_NUMBERS_H

#include <float.h>
#include <math.h>

#include "decoding.h"

enum {
    SURE_DIGITS = 18,    /* of an integer that a long long has room for */
    MOST_DIGITS = 400,   /* of an integer that is read here: always fewer than the interpreter's own limit */
    MOST_EXPONENT = 27,  /* 5 ** 27 is the last power in 64 bits */
    FAR_EXPONENT = 9999, /* as good as any beyond */
};

/* A number's digits as an integer, its last zeros left out where there are too many digits for that, and the power of
   ten that it is to be multiplied by. */
typedef struct {
    uint64_t digits;
    int exponent;
    int exact; /* no digit was left out, and the exponent is not too far away to be counted */
} Decimal;

static inline const uint8_t *add_digits(Decimal *decimal, const uint8_t *at)
{
    for (; is_digit(*at); at++) {
        if (decimal->digits >= UINT64_C(1000000000000000000))
            decimal->exact = 0;
        else
            decimal->digits = decimal->digits * 10 + (*at - '0');
    }
    return at;
}

/* Return ``digits`` * 10 ** ``exponent`` rounded to the nearest double by arithmetic that has no error, or -1 where
   that is not possible. */
#ifdef __SIZEOF_INT128__
static double nearest(uint64_t digits, int exponent)
{
    __extension__ typedef unsigned __int128 Wide;
    uint64_t power = 1;
    for (int left = abs(exponent); left; left--)
        power *= 5;
    Wide quotient = (Wide)digits * power;
    int rest = 0, shift = exponent;
    if (exponent < 0) {
        int zeros = __builtin_clzll(digits); /* with its highest bit set it gives more than 53 bits */
        Wide dividend = (Wide)(digits << zeros) << 64;
        quotient = dividend / power;
        rest = quotient * power != dividend;
        shift = exponent - zeros - 64;
    }
    uint64_t high = (uint64_t)(quotient >> 64);
    int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)quotient);
    if (bits <= 53)
        return ldexp((double)(uint64_t)quotient, shift);
    uint64_t kept = (uint64_t)(quotient >> (bits - 53));
    Wide half = (Wide)1 << (bits - 54), lost = quotient & (half * 2 - 1);
    if (lost > half || (lost == half && (rest || (kept & 1))))
        kept++;
    return ldexp((double)kept, shift + bits - 53);
}
#else
static double nearest(uint64_t Py_UNUSED(digits), int Py_UNUSED(exponent)) { return -1; }
#endif

/* Return the double of a number without its sign, or -1 with or without an error set. */
static double as_double(const Decimal *decimal, const uint8_t *begin, const uint8_t *end)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
                                    1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int exponent = decimal->exponent;
    if (decimal->exact && decimal->digits == 0)
        return 0;
#if FLT_EVAL_METHOD == 0
    /* Both are doubles without an error, so that there is one rounding (Clinger 1990). */
    if (decimal->exact && decimal->digits <= UINT64_C(1) << 53 && abs(exponent) <= 22) {
        double digits = (double)decimal->digits;
        return exponent < 0 ? digits / powers[-exponent] : digits * powers[exponent];
    }
#endif
    if (decimal->exact && abs(exponent) <= MOST_EXPONENT) {
        double value = nearest(decimal->digits, exponent);
        if (value >= 0)
            return value;
    }
    char *stopped;
    double value = PyOS_string_to_double((const char *)begin, &stopped, NULL);
    if (value < 0) { /* with an error: it has no room, or no way to read that */
        if (PyErr_ExceptionMatches(PyExc_ValueError))
            PyErr_Clear();
        return -1;
    }
    return (const uint8_t *)stopped == end ? value : -1;
}

/* Read what makes of an integer that ends at ``at`` a number that is none. */
static const uint8_t *read_fraction(Decoding *d, const uint8_t *begin, const uint8_t *at, Decimal *decimal,
                                    int negative)
{
    if (*at == '.') {
        const uint8_t *point = ++at;
        at = add_digits(decimal, at);
        if (at == point)
            return NULL;
        decimal->exact &= at - point < FAR_EXPONENT;
        decimal->exponent = (int)Py_MAX(point - at, -FAR_EXPONENT);
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        int sign = *at == '-' ? -1 : 1, exponent = 0;
        at += *at == '-' || *at == '+';
        if (!is_digit(*at))
            return NULL;
        for (; is_digit(*at); at++)
            exponent = Py_MIN(exponent * 10 + (*at - '0'), FAR_EXPONENT);
        decimal->exact &= exponent < FAR_EXPONENT;
        decimal->exponent += sign * exponent;
    }
    double value = as_double(decimal, begin, at);
    if (value < 0)
        return NULL;
    return put(d, PyFloat_FromDouble(negative ? -value : value)) ? at : NULL;
}

/* Return an integer that is too long for a long long. */
static PyObject *long_integer(const uint8_t *begin, const uint8_t *end)
{
    char digits[MOST_DIGITS + 2];
    if (end - begin > MOST_DIGITS)
        return NULL;
    memcpy(digits, begin, end - begin);
    digits[end - begin] = 0;
    return PyLong_FromString(digits, NULL, 10);
}

static const uint8_t *read_number(Decoding *d, const uint8_t *at)
{
    const uint8_t *begin = at;
    Decimal decimal = {.exact = 1};
    int negative = *at == '-';
    at += negative;
    const uint8_t *first = at;
    if (*at == '0')
        at++;
    else if ((at = add_digits(&decimal, at)) == first)
        return NULL;
    if (*at == '.' || *at == 'e' || *at == 'E')
        return read_fraction(d, first, at, &decimal, negative);
    if (at - first > SURE_DIGITS)
        return put(d, long_integer(begin, at)) ? at : NULL;
    return put(d, PyLong_FromLongLong(negative ? -(long long)decimal.digits : (long long)decimal.digits)) ? at : NULL;
}

#endif
