// SPDX-License-Identifier: BSD-3-Clause
//
// Error codes: their names, their texts, and the end of a job whose GASNET_Safe failed.
#include "gasnet_job/gas.h"

typedef struct error {
    int code;
    const char *name, *text;
} error_t;

static const error_t errors[] = {
    {GASNET_OK, "GASNET_OK", "No error"},
    {GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT",
     "GASNet is not in the state that the call needs (gasnet_init, gasnet_attach)"},
    {GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE",
     "The network or the system could not provide what was needed"},
    {GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG", "An argument is not valid"},
    {GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY", "The operation is not complete yet"},
    {GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH",
     "The names or flags of a barrier differ between nodes or calls"},
};

static const error_t *find(int code)
{
    static const error_t unknown = {-1, "no GASNet error", "No such error code"};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code)
            return &errors[i];
    return &unknown;
}

// The specification gives clients a char *, and forbids them to write to it.
GAS_API char *gasnet_ErrorName(int errval)
{
    return (char *)(uintptr_t)find(errval)->name;
}

GAS_API char *gasnet_ErrorDesc(int errval)
{
    return (char *)(uintptr_t)find(errval)->text;
}

GAS_API void gasnet_causeway_unsafe(int result)
{
    gas_fail("GASNET_Safe", "the call in it returned %d (%s: %s)", result, find(result)->name,
             find(result)->text);
}
