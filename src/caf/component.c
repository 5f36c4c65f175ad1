// SPDX-License-Identifier: BSD-3-Clause
//
// Allocatable and pointer components of this image: tokens, and their memory.
//
// Compilers copy variables together with the tokens of their components, initialised or not
// (gfortran 15 and 16), so a token may be anything: it is looked up before it is used. Tokens lie
// in tables, each twice as long as the one before, so a look-up is a few comparisons.
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/symbol.h"
#include "caf/caf.h"
#include "caf/transfer.h"

enum { TABLES_MOST = 48, FIRST_TABLE = 64 };

static struct table {
    caf_coarray_t *tokens;
    size_t n;
} tables[TABLES_MOST];
static int ntables;
static caf_coarray_t *unused;  // by `next`

static size_t room_of(int table)
{
    return (size_t)FIRST_TABLE << table;
}

static caf_coarray_t *take_token(void)
{
    caf_coarray_t *c = unused;
    if (c) {
        unused = c->next;
        return c;
    }
    struct table *last = ntables > 0 ? &tables[ntables - 1] : NULL;
    if (!last || last->n == room_of(ntables - 1)) {
        last = &tables[ntables];
        if (ntables == TABLES_MOST || !(last->tokens = calloc(room_of(ntables), sizeof *c)))
            cwu_fatal("out of memory for the tokens of components");
        ntables++;
    }
    return &last->tokens[last->n++];
}

caf_coarray_t *caf_component_register(void)
{
    caf_coarray_t *c = take_token();
    *c = (caf_coarray_t){.is_component = true};
    return c;
}

caf_coarray_t *caf_component_find(void *token)
{
    for (int i = 0; i < ntables; i++) {
        const uintptr_t at = (uintptr_t)token - (uintptr_t)tables[i].tokens;
        if (at < tables[i].n * sizeof(caf_coarray_t) && at % sizeof(caf_coarray_t) == 0)
            return ((caf_coarray_t *)token)->is_component ? token : NULL;
    }
    return NULL;
}

bool caf_component_allocate(const caf_status_t *status, caf_coarray_t *c, size_t nbytes)
{
    c->nbytes = nbytes;
    if (!(c->mine = caf_memory_allocate(status, nbytes)))
        return false;
    c->symmetric = (uintptr_t)c->mine;
    return true;
}

void caf_component_deregister(caf_coarray_t *c)
{
    if (c->mine)
        caf_memory_release(c->mine);
    *c = (caf_coarray_t){.next = unused};
    unused = c;
}

// ---------------------------------------------------------------- those that are no more
typedef struct ended {
    uint64_t at;     // offset of the token's place, + 1; 0: none
    uint64_t place;  // cwu_symbol_shared
} ended_t;
enum { ENDED = 64 };  // that an image keeps

static ended_t *ended_of(uint64_t at)
{
    ended_t *all = caf_own(CAF_OWN_ENDED);
    for (int i = 0; i < ENDED; i++)
        if (all[i].at == at)
            return &all[i];
    return NULL;
}

void caf_component_ended(const void *token_at)
{
    static unsigned n;
    const size_t offset = caf_offset_of(token_at);
    if (offset == SIZE_MAX)
        return;
    ended_t *e = ended_of(offset + 1);
    e = e ? e : (ended_t *)caf_own(CAF_OWN_ENDED) + n++ % ENDED;
    *e = (ended_t){offset + 1, cwu_symbol_shared()};
}

void caf_component_renew(const void *memory, size_t nbytes)
{
    const size_t begin = caf_offset_of(memory);
    ended_t *all = caf_own(CAF_OWN_ENDED);
    for (int i = 0; i < ENDED; i++)
        if (all[i].at && all[i].at - 1 - begin < nbytes)
            all[i] = (ended_t){0};
}

const char *caf_component_end(int pe, const void *token_at, char *text, size_t text_nbytes)
{
    ended_t theirs[ENDED];
    char place[160];
    const size_t offset = caf_offset_of(token_at);
    text[0] = '\0';
    if (offset == SIZE_MAX)
        return text;
    caf_get(theirs, caf_own(CAF_OWN_ENDED), sizeof theirs, pe);
    for (int i = 0; i < ENDED; i++)
        if (theirs[i].at == offset + 1 &&
            cwu_symbol_describe_shared(theirs[i].place, place, sizeof place))
            snprintf(text, text_nbytes, " any more: deallocated there at %s", place);
    return text;
}

void caf_component_close(void)
{
    while (ntables > 0) {
        free(tables[--ntables].tokens);
        tables[ntables] = (struct table){0};
    }
    unused = NULL;
}
