// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: types, operations and masks as text: the names of the bits that are set (of a bit
// without a name: its value), with | between.
#include <stdio.h>
#include <string.h>

#include "gex/gex.h"

#define BITS 32

/** Returns the bytes of the text with its terminator; writes it if there is a buffer. */
static size_t format(char *buf, const char *prefix, const char *const names[BITS], uint32_t set)
{
    size_t len = 0;
    for (int bit = 0; bit < BITS; bit++) {
        char name[32];
        if (!(set >> bit & 1))
            continue;
        int n = names[bit]
                    ? snprintf(name, sizeof name, "%s%s%s", len ? "|" : "", prefix, names[bit])
                    : snprintf(name, sizeof name, "%s0x%x", len ? "|" : "", UINT32_C(1) << bit);
        if (buf)
            memcpy(buf + len, name, (size_t)n);
        len += (size_t)n;
    }
    if (buf)
        buf[len] = '\0';
    return len + 1;
}

GAS_API size_t gasnett_format_dt(char *buf, gex_DT_t dt)
{
    static const char *const names[BITS] = {"I32", "U32", "I64", "U64", "FLT", "DBL", "USER"};
    return format(buf, "GEX_DT_", names, dt);
}

GAS_API size_t gasnett_format_op(char *buf, gex_OP_t op)
{
    static const char *const names[BITS] = {
        [0] = "AND", "OR",   "XOR",  "ADD",   "SUB",         "MULT",        "MIN",
        "MAX",       "INC",  "DEC",  "SET",   "CAS",         [15] = "FAND", "FOR",
        "FXOR",      "FADD", "FSUB", "FMULT", "FMIN",        "FMAX",        "FINC",
        "FDEC",      "SWAP", "FCAS", "GET",   [30] = "USER", "USER_NC"};
    return format(buf, "GEX_OP_", names, op);
}

GAS_API size_t gasnett_format_ti(char *buf, gex_TI_t mask)
{
    static const char *const names[BITS] = {"SRCRANK", "ENTRY", "IS_REQ", "IS_LONG", "EP"};
    return format(buf, "GEX_TI_", names, mask);
}
