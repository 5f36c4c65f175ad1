// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of owner-addressed memory: words, origins, first contact.
#include "core/owner/owner.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "core/owner/handle.h"
#include "core/owner/transfer.h"
#include "core/rma/context.h"
#include "core/rma/rma.h"
#include "core/sync/card.h"

cw_owner_state_t cw_owner;

/** The inject of unreached records, which the fast paths call: any transfer is a first contact. */
static ssize_t first_contact(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                             uint64_t addr, uint64_t key)
{
    (void)fabric_addr, (void)key;
    uint32_t pe = (uint32_t)((cwt_target_t *)ep - cw_owner.unreached);
    cw_owner_put_general("put", pe, (void *)(uintptr_t)addr, buf, nbytes, CW_OWNER_COPIED, NULL);
    cw_implicit_issued();
    return 0;
}

void cw_owner_open(const cw_owner_config_t *config)
{
    uint32_t npes = (uint32_t)cw_world.npes, me = (uint32_t)cw_world.pe;
    cw_owner.config = *config;
    cw_owner.npes = npes;
    cw_area_heap(&cw_owner.shared_offset, &cw_owner.shared_nbytes);
    cw_owner.word = malloc((npes + CW_OWNER_BEYOND) * sizeof *cw_owner.word);
    cw_owner.origin = calloc(npes, sizeof *cw_owner.origin);
    cw_owner.unreached = aligned_alloc(64, npes * sizeof(cwt_target_t));
    if (!cw_owner.word || !cw_owner.origin || !cw_owner.unreached)
        cwu_fatal("%s: out of memory for the tables of %u PEs", config->call, npes);
    for (uint32_t pe = 0; pe < npes; pe++) {
        cw_owner.unreached[pe] =
            (cwt_target_t){.inject = first_contact, .ep = &cw_owner.unreached[pe]};
        cw_owner.word[pe] = cw_owner_unreached_word(pe);
    }
    for (uint32_t i = npes; i < npes + CW_OWNER_BEYOND; i++)
        cw_owner.word[i] = 2;
    cw_owner.word[me] = config->wakes ? 2 : 0;
    cw_owner.origin[me] = cw_area_origin();
}

void cw_owner_publish(void)
{
    cw_owner.limit = cw_world.plain && !cw_owner.config.outside ? cw_owner.npes : 0;
    cw_card_publish(CW_CARD_ORIGIN, cw_area_origin());
}

// ---------------------------------------------------------------- words
uintptr_t cw_owner_find_word(uint32_t pe)
{
    uintptr_t word = __atomic_load_n(&cw_owner.word[pe], CW_DEPENDED_ON);
    if (CW_LIKELY(word != cw_owner_unreached_word(pe)) || cw_owner.config.outside ||
        cw_world.node_of_pe[pe] != cw_world.node)
        return word;
    uintptr_t origin = cw_owner_origin(pe),
              slice = (uintptr_t)cw_area_early((void *)cw_area_origin(), (int)pe);
    word = (slice - origin) | (cw_owner.config.wakes ? 2 : 0);
    // threads that do it at a time store the same; pairs with the loads of the word
    __atomic_store_n(&cw_owner.word[pe], word, __ATOMIC_RELEASE);
    return word;
}

void cw_owner_reach(uint32_t pe)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uintptr_t unreached = cw_owner_unreached_word(pe);
    if (cw_owner.config.outside || __atomic_load_n(&cw_owner.word[pe], CW_DEPENDED_ON) != unreached)
        return;
    uintptr_t origin = cw_owner_origin(pe);
    pthread_mutex_lock(&lock);
    cwt_target_t *record = aligned_alloc(64, sizeof *record);
    if (record && __atomic_load_n(&cw_owner.word[pe], CW_DEPENDED_ON) == unreached) {
        memset(record, 0, sizeof *record);
        cw_target_of_owner((int)pe, origin, record);
        __atomic_store_n(&cw_owner.inject_nbytes, (uint32_t)cw_inject_most(), __ATOMIC_RELAXED);
        // pairs with the loads of the word
        __atomic_store_n(&cw_owner.word[pe], (uintptr_t)record + 1, __ATOMIC_RELEASE);
        record = NULL;
    }
    free(record);
    pthread_mutex_unlock(&lock);
}

// ---------------------------------------------------------------- words that other PEs publish
uint64_t cw_owner_ask(uint32_t pe, int which)
{
    cw_card_search_t search = CW_CARD_SEARCH((cw_card_word_t)which);
    cw_wait_t w = CW_WAIT_DEAF(cw_owner.config.call);  // the other process is still to call it
    uint64_t word = cw_card_poll(&search, (int)pe);
    if (word)
        return word;
    cw_card_wait();
    while (!(word = cw_card_poll(&search, (int)pe)))
        cw_owner.config.wait_round(&w);
    cw_card_wait_end();
    cw_wait_done(&w);
    return word;
}

void cw_owner_ask_all(int which)
{
    cw_card_search_t search = CW_CARD_SEARCH((cw_card_word_t)which);
    cw_wait_t w = CW_WAIT_DEAF(cw_owner.config.call);
    if (cw_card_poll_all(&search))
        return;
    cw_card_wait();
    while (!cw_card_poll_all(&search))
        cw_owner.config.wait_round(&w);
    cw_card_wait_end();
    cw_wait_done(&w);
}

uintptr_t cw_owner_ask_origin(uint32_t pe)
{
    uintptr_t origin = cw_owner_ask(pe, CW_CARD_ORIGIN);
    __atomic_store_n(&cw_owner.origin[pe], origin, __ATOMIC_RELEASE);  // pairs with cw_owner_origin
    return origin;
}
