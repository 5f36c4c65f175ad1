// SPDX-License-Identifier: BSD-3-Clause
//
// The registered front ends.
#include "core/world/front_end.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"

static cw_front_end_t *first CW_WRITTEN_AT_LOAD;
static const cw_front_end_t plain_front_end = {.init = "the initialisation",
                                               .finalize = "the end of the job",
                                               .more_threads = "a higher thread level"};
static const cw_names_t plain = {.alloc = "allocation",
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

static cw_front_end_t *find(const char *routine)
{
    cw_front_end_t *f = first;
    while (f && !(routine && f->is_routine(routine)))
        f = f->next;
    return f;
}

const cw_front_end_t *cw_front_end_of(const char *routine)
{
    const cw_front_end_t *f = find(routine);
    return f ? f : first ? first : &plain_front_end;
}

const char *cw_missing_finalize(void)
{
    static _Thread_local char text[160];
    size_t n = 0;
    for (const cw_front_end_t *f = first; f && n < sizeof text; f = f->next)
        if (f->joined > 0)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " and " : "", f->finalize);
    return n ? text : cw_front_end_of(NULL)->finalize;
}

/** NULL: a PE, counted from 0. */
static const char *peer_word(void)
{
    const char *word = NULL;
    for (const cw_front_end_t *f = first; f; f = f->next) {
        if (f->joined == 0)
            continue;
        if (!f->peer || (word && strcmp(word, f->peer)))
            return NULL;
        word = f->peer;
    }
    return word;
}

void cw_front_end_count(const char *routine, int change)
{
    cw_front_end_t *f = find(routine);
    if (f && f->joined + change >= 0)
        f->joined += change;
    const char *word = peer_word();
    if (change > 0 || word)  // where all have left, what they said stays
        cwu_error_word(word);
}

const char *cw_pe_word(void)
{
    const char *word = peer_word();
    return word ? word : "PE";
}

int cw_pe_number(int pe)
{
    return peer_word() ? pe + 1 : pe;
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
