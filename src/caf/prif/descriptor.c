// SPDX-License-Identifier: BSD-3-Clause
//
// The descriptors of gfortran (caf/descriptor.h) and of flang.
#include "caf/prif/descriptor.h"

#include <float.h>

/** Its numbers of types: the first one of each range. */
enum {
    INTEGERS = 1,
    REALS = 25,
    EXTENDED = 29,
    LONG_DOUBLE = 30,
    COMPLEX = 32,
    EXTENDED_COMPLEX = 36,
    LONG_DOUBLE_COMPLEX = 37,
    LOGICAL = 39,
    CHARACTER = 40,
    OTHERS = 41,
    WIDE_CHARACTER = 44
};

int prf_type_of_flang(int type)
{
    if (type == CHARACTER || type == WIDE_CHARACTER)
        return CAF_CHARACTER;
    if (type < INTEGERS || type >= OTHERS)
        return CAF_DERIVED;
    return type < REALS     ? CAF_INTEGER
           : type < COMPLEX ? CAF_REAL
           : type < LOGICAL ? CAF_COMPLEX
                            : CAF_LOGICAL;
}

/** 0: the bytes say it. A number of 16 bytes is of kind 10 or 16. */
static int kind_of_flang(int type, size_t elem_nbytes)
{
    const bool is_extended =
        type == EXTENDED || type == EXTENDED_COMPLEX ||
        ((type == LONG_DOUBLE || type == LONG_DOUBLE_COMPLEX) && LDBL_MANT_DIG == 64);
    if (is_extended)
        return 10;
    if (type == WIDE_CHARACTER)
        return 4;
    if (type < REALS || type >= LOGICAL)
        return 0;
    return (int)(type < COMPLEX ? elem_nbytes : elem_nbytes / 2);
}

static void describe_flang(caf_section_t *s, const prf_flang_t *d)
{
    s->base = d->data;
    s->elem_nbytes = d->elem_nbytes;
    s->type = prf_type_of_flang(d->type);
    s->kind = kind_of_flang(d->type, d->elem_nbytes);
    s->rank = d->rank;
    for (int i = 0; i < s->rank; i++) {
        s->dim[i].by = (caf_subscripts_t){0};
        s->dim[i].stride = d->dim[i].stride;
        s->dim[i].extent = (size_t)d->dim[i].extent;
    }
}

void prf_describe(caf_section_t *s, const char *call, const void *descriptor, int compiler,
                  int text_length)
{
    if (compiler == PRF_FLANG)
        describe_flang(s, descriptor);
    else if (compiler == PRF_GFORTRAN)
        caf_section_of(s, descriptor, NULL, 0);
    else
        caf_fatal(call, "the module prif was not compiled by gfortran or flang");
    if (text_length > 0)
        s->type = CAF_CHARACTER;
}
