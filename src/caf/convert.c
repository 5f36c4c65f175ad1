// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion of elements, as an intrinsic assignment does: numbers of all types and kinds, logicals
// of all kinds, characters of both kinds and any length.
#include <string.h>

#include "caf/section.h"

typedef __int128 widest_t;
#if defined(__x86_64__)
typedef __float128 real16_t;  // of kind 16; kind 10 is long double
#else
typedef long double real16_t;
#endif

bool caf_is_same(const caf_section_t *dest, const caf_section_t *src)
{
    return dest->elem_nbytes == src->elem_nbytes &&
           (dest->type == CAF_DERIVED || dest->type == CAF_UNKNOWN ||
            (dest->type == src->type && dest->kind == src->kind));
}

/** A number between two types. */
typedef struct number {
    widest_t whole;
    real16_t real, imag;
} number_t;

static widest_t load_whole(const void *p, int kind)
{
    widest_t wide;
    switch (kind) {
    case 1:
        return *(const int8_t *)p;
    case 2:
        return *(const int16_t *)p;
    case 4:
        return *(const int32_t *)p;
    case 8:
        return *(const int64_t *)p;
    default:
        memcpy(&wide, p, sizeof wide);
        return wide;
    }
}

static void store_whole(void *p, int kind, widest_t value)
{
    switch (kind) {
    case 1:
        *(int8_t *)p = (int8_t)value;
        break;
    case 2:
        *(int16_t *)p = (int16_t)value;
        break;
    case 4:
        *(int32_t *)p = (int32_t)value;
        break;
    case 8:
        *(int64_t *)p = (int64_t)value;
        break;
    default:
        memcpy(p, &value, sizeof value);
    }
}

static size_t real_nbytes(int kind)
{
    return kind == 10 ? sizeof(long double) : (size_t)kind;
}

static real16_t load_real(const void *p, int kind)
{
    real16_t quad;
    switch (kind) {
    case 4:
        return *(const float *)p;
    case 8:
        return *(const double *)p;
    case 10:
        return *(const long double *)p;
    default:
        memcpy(&quad, p, sizeof quad);
        return quad;
    }
}

static void store_real(void *p, int kind, real16_t value)
{
    switch (kind) {
    case 4:
        *(float *)p = (float)value;
        break;
    case 8:
        *(double *)p = (double)value;
        break;
    case 10:
        *(long double *)p = (long double)value;
        break;
    default:
        memcpy(p, &value, sizeof value);
    }
}

static number_t load_number(const caf_section_t *of, const char *p)
{
    number_t x = {0, 0, 0};
    if (of->type == CAF_INTEGER) {
        x.whole = load_whole(p, of->kind);
        x.real = (real16_t)x.whole;
        return x;
    }
    x.real = load_real(p, of->kind);
    if (of->type == CAF_COMPLEX)
        x.imag = load_real(p + real_nbytes(of->kind), of->kind);
    return x;
}

static void convert_number(const caf_section_t *to, char *dest, const caf_section_t *from,
                           const char *src)
{
    number_t x = load_number(from, src);
    if (to->type == CAF_INTEGER) {
        store_whole(dest, to->kind, from->type == CAF_INTEGER ? x.whole : (widest_t)x.real);
        return;
    }
    store_real(dest, to->kind, x.real);
    if (to->type == CAF_COMPLEX)
        store_real(dest + real_nbytes(to->kind), to->kind, x.imag);
}

static uint32_t load_character(const char *src, int kind, size_t i)
{
    uint32_t c;
    if (kind == 1)
        return (unsigned char)src[i];
    memcpy(&c, src + i * sizeof c, sizeof c);
    return c;
}

/** Cut, or padded with blanks; what has no place in one byte becomes '?'. */
static void convert_characters(const caf_section_t *to, char *dest, const caf_section_t *from,
                               const char *src)
{
    const size_t room = to->elem_nbytes / (size_t)to->kind,
                 n = from->elem_nbytes / (size_t)from->kind;
    for (size_t i = 0; i < room; i++) {
        uint32_t c = i < n ? load_character(src, from->kind, i) : ' ';
        if (to->kind == 1)
            dest[i] = c > 255 ? '?' : (char)c;
        else
            memcpy(dest + i * sizeof c, &c, sizeof c);
    }
}

static void convert_logical(const caf_section_t *to, char *dest, const caf_section_t *from,
                            const char *src)
{
    store_whole(dest, to->kind, load_whole(src, from->kind));
}

typedef void convert_fn(const caf_section_t *to, char *dest, const caf_section_t *from,
                        const char *src);

static bool is_number(int type)
{
    return type == CAF_INTEGER || type == CAF_REAL || type == CAF_COMPLEX;
}

static convert_fn *conversion(const caf_section_t *to, const caf_section_t *from)
{
    if (is_number(to->type) && is_number(from->type))
        return convert_number;
    if (to->type == CAF_CHARACTER && from->type == CAF_CHARACTER)
        return convert_characters;
    if ((to->type == CAF_LOGICAL && from->type == CAF_LOGICAL) ||
        (to->type == CAF_LOGICAL && from->type == CAF_INTEGER) ||
        (to->type == CAF_INTEGER && from->type == CAF_LOGICAL))
        return convert_logical;
    caf_fatal("assignment", "type %d of %zu bytes does not convert to type %d of %zu bytes",
              from->type, from->elem_nbytes, to->type, to->elem_nbytes);
}

void caf_convert(const caf_section_t *dest_type, char *dest, ptrdiff_t dest_stride,
                 const caf_section_t *src_type, const char *src, ptrdiff_t src_stride, size_t n)
{
    convert_fn *convert = conversion(dest_type, src_type);
    for (size_t i = 0; i < n; i++)
        convert(dest_type, dest + (ptrdiff_t)i * dest_stride, src_type,
                src + (ptrdiff_t)i * src_stride);
}
