/* Wide compares: many bytes at a time with AVX2, SSE2 or NEON, eight with plain arithmetic where neither is there. */

#ifndef LASTBRACE_SEARCH_H
#define LASTBRACE_SEARCH_H

#include "grammar.h"

#if defined(LASTBRACE_AVX2)
#include <immintrin.h>
#elif !defined(LASTBRACE_PORTABLE) && (defined(__SSE2__) || defined(_M_X64))
#define LASTBRACE_SSE2
#include <emmintrin.h>
#elif !defined(LASTBRACE_PORTABLE) && defined(__ARM_NEON) && defined(__aarch64__)
#define LASTBRACE_NEON
#include <arm_neon.h>
#endif
#ifdef _MSC_VER
#include <intrin.h>
#endif

/* A Block is WIDTH bytes; a compare gives a Block of those that pass, and bits() a bit for each, the first one lowest. */

#if defined(LASTBRACE_AVX2)

typedef __m256i Block;
enum { WIDTH = 32 };
static inline Block load(const uint8_t *at) { return _mm256_loadu_si256((const __m256i *)at); }
static inline Block equal(Block block, uint8_t byte) { return _mm256_cmpeq_epi8(block, _mm256_set1_epi8((char)byte)); }
static inline Block at_most(Block block, uint8_t most)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(block, _mm256_set1_epi8((char)most)), block);
}
static inline Block either(Block one, Block other) { return _mm256_or_si256(one, other); }
static inline Block beyond_ascii(Block block) { return block; } /* bits() takes the highest one of each byte */
static inline uint64_t bits(Block block) { return (uint32_t)_mm256_movemask_epi8(block); }

#elif defined(LASTBRACE_SSE2)

typedef __m128i Block;
enum { WIDTH = 16 };
static inline Block load(const uint8_t *at) { return _mm_loadu_si128((const __m128i *)at); }
static inline Block equal(Block block, uint8_t byte) { return _mm_cmpeq_epi8(block, _mm_set1_epi8((char)byte)); }
static inline Block at_most(Block block, uint8_t most)
{
    return _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8((char)most)), block);
}
static inline Block either(Block one, Block other) { return _mm_or_si128(one, other); }
static inline Block beyond_ascii(Block block) { return block; }
static inline uint64_t bits(Block block) { return (uint32_t)_mm_movemask_epi8(block); }

#elif defined(LASTBRACE_NEON)

typedef uint8x16_t Block;
enum { WIDTH = 16 };
static inline Block load(const uint8_t *at) { return vld1q_u8(at); }
static inline Block equal(Block block, uint8_t byte) { return vceqq_u8(block, vdupq_n_u8(byte)); }
static inline Block at_most(Block block, uint8_t most) { return vcleq_u8(block, vdupq_n_u8(most)); }
static inline Block either(Block one, Block other) { return vorrq_u8(one, other); }
static inline Block beyond_ascii(Block block) { return vcgeq_u8(block, vdupq_n_u8(0x80)); }
static inline uint64_t bits(Block block)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    block = vandq_u8(block, vld1q_u8(weights));
    return vaddv_u8(vget_low_u8(block)) | (uint64_t)vaddv_u8(vget_high_u8(block)) << 8;
}

#else

typedef uint64_t Block; /* a byte that passed has its highest bit set */
enum { WIDTH = 8 };
#define EACH_BYTE UINT64_C(0x0101010101010101)
#define LOW_BITS (0x7f * EACH_BYTE)
static inline Block load(const uint8_t *at)
{
    uint64_t block = 0;
    for (int index = 0; index < 8; index++) /* compilers make one load of it, whatever the byte order */
        block |= (uint64_t)at[index] << (8 * index);
    return block;
}
static inline Block equal(Block block, uint8_t byte)
{
    block ^= byte * EACH_BYTE;
    return ~(((block & LOW_BITS) + LOW_BITS) | block | LOW_BITS);
}
static inline Block at_most(Block block, uint8_t most) /* for most < 0x7f */
{
    return ~(((block & LOW_BITS) + (0x7f - most) * EACH_BYTE) | block | LOW_BITS);
}
static inline Block either(Block one, Block other) { return one | other; }
static inline Block beyond_ascii(Block block) { return block & ~LOW_BITS; }
static inline uint64_t bits(Block block) { return (block >> 7) * UINT64_C(0x0102040810204080) >> 56; }

#endif

/* The number of the lowest bit that is set; there must be one. */
static inline int first_bit(uint64_t mask)
{
#ifdef _MSC_VER
    unsigned long index;
    if (_BitScanForward(&index, (unsigned long)mask))
        return (int)index;
    _BitScanForward(&index, (unsigned long)(mask >> 32));
    return (int)index + 32;
#else
    return __builtin_ctzll(mask);
#endif
}

static inline void prefetch(const uint8_t *at)
{
#ifdef __GNUC__
    __builtin_prefetch(at);
#else
    (void)at;
#endif
}

enum {
    AHEAD = 1024, /* bytes: by then they have come from memory */
    WINDOW = 64, /* bytes that are compared at once: a bit of a word for each */
    SHORT = 32,  /* bytes of a string: longer than most keys and many values */
};

/* The length of the escape at ``at``, 0 where it is none or the data ends in it. */
static inline int escape_length(const uint8_t *at, const uint8_t *end)
{
    if (end - at >= 2 && STRING_CLASS[at[1]] & AFTER_BACKSLASH)
        return 2;
    if (end - at >= 6 && at[1] == 'u' &&
        STRING_CLASS[at[2]] & STRING_CLASS[at[3]] & STRING_CLASS[at[4]] & STRING_CLASS[at[5]] & HEX_DIGIT)
        return 6;
    return 0;
}

/* The bytes that stand behind a backslash which is not itself behind such a one: where runs of them have odd length, the
   subtraction carries past their end (as in simdjson, Langdale and Lemire 2019). */
static inline uint64_t escaped_by(uint64_t backslashes)
{
    const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
    return ((((backslashes << 1) | odd) - backslashes) ^ odd) ^ backslashes;
}

/* Return a bit for each byte of a window, which begins in a string, that the string may end or die at: a quote, a control
   character, or the backslash of what is no escape of two bytes. */
static inline uint64_t special_bits(const uint8_t *at)
{
    uint64_t special = 0, backslashes = 0, usual = 0;
    for (int index = 0; index < WINDOW; index += WIDTH) {
        Block block = load(at + index), backslash = equal(block, '\\');
        Block mark = either(equal(block, '"'), backslash);
        backslashes |= bits(backslash) << index;
        usual |= bits(either(mark, either(equal(block, 'n'), equal(block, 't')))) << index;
        special |= bits(either(mark, at_most(block, 0x1f))) << index;
    }
    if (!backslashes)
        return special;
    uint64_t escaped = escaped_by(backslashes), plain = escaped & usual;
    special &= ~(plain | plain >> 1);
    uint64_t begins = backslashes & ~escaped & ~(plain >> 1) & UINT64_MAX >> 1;
    for (; begins; begins &= begins - 1) {
        int index = first_bit(begins);
        if (STRING_CLASS[at[index + 1]] & AFTER_BACKSLASH)
            special &= ~(UINT64_C(1) << index);
    }
    return special;
}

/* Skip the body of a string that is not short, a window at a time. */
static inline const uint8_t *skip_windows(const uint8_t *at, const uint8_t *end)
{
    for (;;) {
        uint8_t padded[WINDOW];
        const uint8_t *window = at;
        if (end - at < WINDOW) {
            if (at == end)
                return end;
            memset(padded, 0, sizeof padded); /* special, so that nothing runs beyond the end */
            memcpy(padded, at, end - at);
            window = padded;
        }
        prefetch(at + AHEAD);
        uint64_t special = special_bits(window);
        Py_ssize_t index = WINDOW;
        while (special) {
            const uint8_t *found = at + first_bit(special);
            int length;
            if (found >= end)
                return end;
            if (*found != '\\' || !(length = escape_length(found, end)))
                return found;
            index = found - at + length;
            if (index >= WINDOW)
                break;
            special &= UINT64_MAX << index;
            index = WINDOW;
        }
        at += index;
    }
}

/* Skip a string's body: return where its quote stands, or a control character, or a backslash without a whole escape;
   else the end. Most strings are short: they are told by one look, whose answer does not depend on their length. */
static inline const uint8_t *skip_string(const uint8_t *at, const uint8_t *end)
{
    if (end - at >= SHORT) {
        uint64_t special = 0;
        for (int index = 0; index < SHORT; index += WIDTH) {
            Block block = load(at + index);
            special |= bits(either(either(equal(block, '"'), equal(block, '\\')), at_most(block, 0x1f))) << index;
        }
        if (special) {
            at += first_bit(special);
            if (*at != '\\')
                return at;
        }
        else
            at += SHORT;
    }
    return skip_windows(at, end);
}

/* Skip digits, eight at a time, so that no branch depends on how many they are. */
static inline const uint8_t *skip_digits(const uint8_t *at, const uint8_t *end)
{
    while (end - at >= 8) {
        const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), zeros = UINT64_C(0x3030303030303030);
        uint64_t word = 0;
        for (int index = 0; index < 8; index++)
            word |= (uint64_t)at[index] << (8 * index);
        /* A digit is 0x30 to 0x39: adding 6 does not change its upper half, whose carry no digit gives. */
        uint64_t others = ((word & high) ^ zeros) | (((word + UINT64_C(0x0606060606060606)) & high) ^ zeros);
        if (others)
            return at + first_bit(others) / 8;
        at += 8;
    }
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* Search text outside objects: return where the first of two openers stands, or with ``stops`` an ESC or NUL, else the
   end. Note in ``fence`` whether three marks in a row, as a code fence has them, were passed. */
static inline const uint8_t *next_opener(const uint8_t *at, const uint8_t *end, const uint8_t openers[2], int stops,
                                         int *fence)
{
    const uint8_t one = openers[0], other = openers[1];
    const uint8_t escape = stops ? 0x1b : one, nul = stops ? 0 : one;
    if (at < end && *at == '\n') /* most often all that stands between two objects */
        at++;
    if (at < end && (*at == one || *at == other))
        return at;
    for (; end - at >= WINDOW; at += WINDOW) {
        prefetch(at + AHEAD);
        uint64_t looked_at = 0;
        for (int index = 0; index < WINDOW; index += WIDTH) {
            Block block = load(at + index);
            Block bracket = either(equal(block, one), equal(block, other));
            Block mark = either(equal(block, '`'), equal(block, '~'));
            looked_at |= bits(either(either(bracket, mark), either(equal(block, escape), equal(block, nul)))) << index;
        }
        for (; looked_at; looked_at &= looked_at - 1) {
            const uint8_t *byte = at + first_bit(looked_at);
            if (*byte != '`' && *byte != '~')
                return byte;
            if (end - byte >= 3 && byte[0] == byte[1] && byte[1] == byte[2])
                *fence = 1;
        }
    }
    for (; at < end; at++) {
        if (*at == one || *at == other || *at == escape || *at == nul)
            return at;
        if ((*at == '`' || *at == '~') && end - at >= 3 && at[0] == at[1] && at[1] == at[2])
            *fence = 1;
    }
    return end;
}

#endif
