// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of owner-addressed memory: words, origins, first contact.
#include "core/owner/owner.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "core/observe/known.h"
#include "core/owner/handle.h"
#include "core/owner/transfer.h"
#include "core/path/contact.h"
#include "core/path/path.h"
#include "core/rma/context.h"
#include "core/rma/rma.h"
#include "core/sync/published.h"

static cw_owner_t *first;

cw_owner_t *cw_owner_first(void)
{
    return first;
}

/** The inject of unreached records. */
static ssize_t first_contact(void *ep, const void *buf, size_t nbytes, uint64_t pe, uint64_t addr,
                             uint64_t key)
{
    (void)key;
    cw_owner_put_general(ep, "put", (uint32_t)pe, (void *)(uintptr_t)addr, buf, nbytes,
                         CW_OWNER_COPIED, NULL);
    cw_implicit_issued();
    return 0;
}

static bool is_record(const cw_owner_t *o, uint32_t pe)
{
    return (o->word[pe] & 1) && o->word[pe] != cw_owner_unreached_word(o, pe);
}

static void free_tables(cw_owner_t *o)
{
    for (uint32_t pe = 0; pe < o->npes; pe++)
        if (is_record(o, pe))
            free(cw_owner_target_of(cw_word_target(o->word[pe])));
    free(o->word);
    free(o->origin);
    free(o->floor);
    free(o->unreached);
}

static void make_tables(cw_owner_t *o)
{
    o->npes = (uint32_t)cw_world.npes;
    o->word = malloc((o->npes + CW_OWNER_BEYOND) * sizeof *o->word);
    o->origin = calloc(o->npes, sizeof *o->origin);
    o->floor = malloc(o->npes * sizeof *o->floor);
    o->unreached = aligned_alloc(64, o->npes * sizeof(cwt_target_t));
    if (!o->word || !o->origin || !o->floor || !o->unreached)
        cwu_fatal("%s: out of memory for the tables of %u PEs", o->config.call, o->npes);
    for (uint32_t pe = 0; pe < o->npes; pe++) {
        o->unreached[pe] = (cwt_target_t){.inject = first_contact, .ep = o, .fabric_addr = pe};
        o->word[pe] = cw_owner_unreached_word(o, pe);
        o->floor[pe] = CW_OWNER_NOWHERE;
    }
    for (uint32_t i = o->npes; i < o->npes + CW_OWNER_BEYOND; i++)
        o->word[i] = 2;
}

static void set_origin(const cw_owner_t *o, uint32_t pe, uintptr_t origin)
{
    // pair with the loads of owner.h
    __atomic_store_n(&o->floor[pe], origin + o->shared_offset, __ATOMIC_RELEASE);
    __atomic_store_n(&o->origin[pe], origin, __ATOMIC_RELEASE);
}

void cw_owner_open(cw_owner_t *o, const cw_owner_config_t *config)
{
    o->config = *config;
    cw_area_heap(&o->shared_offset, &o->shared_nbytes);
    o->shared_small = o->shared_nbytes > CW_OWNER_SMALL ? o->shared_nbytes - CW_OWNER_SMALL : 0;
    if (o->epoch != cw_world.epoch) {
        if (o->epoch)
            free_tables(o);
        make_tables(o);
    }
    // opened again in one job, beside another front end: the transport knows the records
    for (uint32_t pe = 0; pe < o->npes; pe++)
        if (!is_record(o, pe))
            o->word[pe] = cw_owner_unreached_word(o, pe);
    o->word[cw_world.pe] = o->config.wakes ? 2 : 0;
    o->own = cw_area_origin();
    set_origin(o, (uint32_t)cw_world.pe, o->own);
    o->epoch = cw_world.epoch;
    for (const cw_owner_t *other = first; other; other = other->next)
        if (other == o)
            return;  // opened in an earlier job
    o->next = first;
    first = o;
}

void cw_owner_publish(cw_owner_t *o)
{
    o->limit = cw_world.plain && !o->config.outside ? o->npes : 0;
    cw_publish_word(CW_PUBLISHED_ORIGIN, cw_area_origin());
}

void cw_owner_close(cw_owner_t *o)
{
    o->limit = 0;
    cw_known_void();
}

// ---------------------------------------------------------------- words
uintptr_t cw_owner_find_word(const cw_owner_t *o, uint32_t pe)
{
    uintptr_t word = __atomic_load_n(&o->word[pe], CW_DEPENDED_ON);
    if (CW_LIKELY(word != cw_owner_unreached_word(o, pe)) || o->config.outside ||
        cw_world.node_of_pe[pe] != cw_world.node)
        return word;
    uintptr_t origin = cw_owner_origin(o, pe),
              slice = (uintptr_t)cw_area_early((void *)cw_area_origin(), (int)pe);
    word = (slice - origin) | (o->config.wakes ? 2 : 0);
    // threads store the same; pairs with the loads of the word
    __atomic_store_n(&o->word[pe], word, __ATOMIC_RELEASE);
    return word;
}

uintptr_t cw_owner_shift(const cw_owner_t *o, uint32_t pe)
{
    return o->own - cw_owner_origin(o, pe);
}

void cw_owner_reach(cw_owner_t *o, uint32_t pe)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uintptr_t unreached = cw_owner_unreached_word(o, pe);
    if (o->config.outside || __atomic_load_n(&o->word[pe], CW_DEPENDED_ON) != unreached)
        return;
    uintptr_t origin = cw_owner_origin(o, pe);
    pthread_mutex_lock(&lock);
    cw_owner_target_t *target = aligned_alloc(_Alignof(cw_owner_target_t), sizeof *target);
    if (target && __atomic_load_n(&o->word[pe], CW_DEPENDED_ON) == unreached) {
        memset(target, 0, sizeof *target);
        cw_target_of_owner((int)pe, origin, &o->word[pe], target);
        __atomic_store_n(&o->inject_nbytes, (uint32_t)cw_inject_most(), __ATOMIC_RELAXED);
        // pairs with the loads of the word
        __atomic_store_n(&o->word[pe], (uintptr_t)&target->direct + 1, __ATOMIC_RELEASE);
        target = NULL;
    }
    free(target);
    pthread_mutex_unlock(&lock);
}

// ---------------------------------------------------------------- words that other PEs publish
uint64_t cw_owner_ask(const cw_owner_t *o, uint32_t pe, int which)
{
    cw_published_search_t search = CW_PUBLISHED_SEARCH((cw_published_word_t)which);
    cw_wait_t w = CW_WAIT_DEAF(o->config.call);  // the other process is still to call it
    uint64_t word = cw_published_poll(&search, (int)pe);
    if (word)
        return word;
    cw_published_wait();
    while (!(word = cw_published_poll(&search, (int)pe)))
        o->config.wait_round(&w);
    cw_published_wait_end();
    cw_wait_done(&w);
    return word;
}

void cw_owner_ask_all(const cw_owner_t *o, int which)
{
    cw_published_search_t search = CW_PUBLISHED_SEARCH((cw_published_word_t)which);
    cw_wait_t w = CW_WAIT_DEAF(o->config.call);
    if (cw_published_poll_all(&search))
        return;
    cw_published_wait();
    while (!cw_published_poll_all(&search))
        o->config.wait_round(&w);
    cw_published_wait_end();
    cw_wait_done(&w);
}

uintptr_t cw_owner_ask_origin(const cw_owner_t *o, uint32_t pe)
{
    uintptr_t origin = cw_owner_ask(o, pe, CW_PUBLISHED_ORIGIN);
    set_origin(o, pe, origin);
    return origin;
}
