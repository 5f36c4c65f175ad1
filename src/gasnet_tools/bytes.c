// SPDX-License-Identifier: BSD-3-Clause
//
// Sums and counts over bytes, and register values to and from memory.
#include <string.h>

#include "tools.h"

/** Detects damage, not forgery: the multiplication lets each byte reach the bits above it. */
uint64_t gasnett_checksum(const void *p, int numbytes)
{
    const unsigned char *byte = p;
    uint64_t sum = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < numbytes; i++)
        sum = (sum ^ byte[i]) * 0x100000001B3u;
    return sum;
}

int gasnett_count0s_uint64_t(uint64_t x)
{
    // The top bit of each byte of `some` says that the byte is not 0; no carry crosses a byte.
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
    uint64_t some = (((x & low) + low) | x) & ~low;
    return 8 - __builtin_popcountll(some);
}

int gasnett_count0s_uint32_t(uint32_t x)
{
    return gasnett_count0s_uint64_t(x | 0xFFFFFFFF00000000u);
}

size_t gasnett_count0s(const void *p, size_t numbytes)
{
    const unsigned char *byte = p;
    size_t n = 0;
    for (; numbytes >= 8; byte += 8, numbytes -= 8) {
        uint64_t word;
        memcpy(&word, byte, 8);
        n += (size_t)gasnett_count0s_uint64_t(word);
    }
    while (numbytes-- > 0)
        n += *byte++ == 0;
    return n;
}

size_t gasnett_count0s_copy(void *GASNETT_RESTRICT dst, const void *GASNETT_RESTRICT src,
                            size_t numbytes)
{
    const unsigned char *from = src;
    unsigned char *to = dst;
    size_t n = 0;
    for (; numbytes >= 8; from += 8, to += 8, numbytes -= 8) {
        uint64_t word;
        memcpy(&word, from, 8);
        memcpy(to, &word, 8);
        n += (size_t)gasnett_count0s_uint64_t(word);
    }
    for (; numbytes > 0; numbytes--)
        n += (*to++ = *from++) == 0;
    return n;
}

static size_t low_end(size_t nbytes)
{
    return gasnett_isLittleEndian() ? 0 : sizeof(uint64_t) - nbytes;
}

void gasnett_value_assign_(void *dest, uint64_t value, size_t nbytes)
{
    if (nbytes > sizeof value)
        gasnett_fatalerror_nopos("a value has at most 8 bytes, not %zu", nbytes);
    memcpy(dest, (const char *)&value + low_end(nbytes), nbytes);
}

uint64_t gasnett_value_return_(const void *src, size_t nbytes)
{
    uint64_t value = 0;
    if (nbytes > sizeof value)
        gasnett_fatalerror_nopos("a value has at most 8 bytes, not %zu", nbytes);
    memcpy((char *)&value + low_end(nbytes), src, nbytes);
    return value;
}
