// SPDX-License-Identifier: BSD-3-Clause
//
// The front ends of this process, for messages.
#include "core/world/front_end.h"

#include <stddef.h>

static cw_front_end_t *first;
static const cw_names_t plain = {.init = "the initialisation",
                                 .finalize = "the end of the job",
                                 .alloc = "allocation",
                                 .free = "free",
                                 .ctx_default = "the default context",
                                 .ctx_private = "the option for one thread",
                                 .ctx_destroy = "destroy"};

void cw_front_end_register(cw_front_end_t *front_end)
{
    cw_front_end_t **at = &first;
    for (; *at; at = &(*at)->next)
        if (*at == front_end)
            return;
    *at = front_end;
}

const cw_names_t *cw_names(void)
{
    for (const cw_front_end_t *f = first; f; f = f->next)
        if (f->names)
            return f->names;
    return &plain;
}

bool cw_is_routine(const char *symbol)
{
    for (const cw_front_end_t *f = first; f; f = f->next)
        if (f->is_routine(symbol))
            return true;
    return false;
}

bool cw_is_named_routine(const char *symbol)
{
    for (const cw_front_end_t *f = first; f; f = f->next)
        if (f->names && f->is_routine(symbol))
            return true;
    return false;
}

bool cw_has_named_routines(void)
{
    return cw_names() != &plain;
}

void cw_rename_routine(char *routine, size_t nbytes, bool exact)
{
    for (const cw_front_end_t *f = first; f; f = f->next)
        if (f->rename)
            f->rename(routine, nbytes, exact);
}
