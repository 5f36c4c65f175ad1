// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for and testing sets of words: the untyped logic of the all, any and some families and
// their vector forms.
#include "shmem/p2p.h"

static void check_set(const shm_wait_set_t *set)
{
    shm_check_compare(set->func, set->cmp);
    if (SHM_CHECKING() || CW_UNLIKELY(set->nelems > PTRDIFF_MAX))
        shm_check_count(set->func, "nelems", set->nelems, set->kind / 2);
    if (SHM_CHECKING()) {
        if (set->nelems)
            shm_check_variable(set->func, "ivars", set->words, set->kind / 2);
        shm_check_symmetric(set->func, "ivars", set->words, set->nelems * (set->kind / 2));
    }
}

static bool in_set(const shm_wait_set_t *set, size_t i)
{
    return !set->status || set->status[i] == 0;
}

static shm_key_t wanted(const shm_wait_set_t *set, size_t i)
{
    return set->values ? shm_load_key((const char *)set->values + i * (set->kind / 2), set->kind)
                       : set->value;
}

static bool satisfied(const shm_wait_set_t *set, size_t i)
{
    size_t at = i * (set->kind / 2);
    return shm_matches(shm_load_key((const char *)set->words + at, set->kind), set->cmp,
                       wanted(set, i));
}

static uint32_t nbytes_of(const shm_wait_set_t *set)
{
    size_t size = set->kind / 2;
    return set->nelems < UINT32_MAX / size ? (uint32_t)(set->nelems * size) : UINT32_MAX;
}

static bool is_empty(const shm_wait_set_t *set)
{
    for (size_t i = 0; i < set->nelems; i++)
        if (in_set(set, i))
            return false;
    return true;
}

/** For the deadlock report: the first word of the set that does not satisfy the condition. */
static cw_wait_on_t first_missing(const shm_wait_set_t *set)
{
    size_t i = 0;
    while (i + 1 < set->nelems && (!in_set(set, i) || satisfied(set, i)))
        i++;
    const char *word = (const char *)set->words + i * (set->kind / 2);
    return shm_wait_on(word, set->kind, set->cmp, wanted(set, i), i, set->nelems);
}

/** One round of waiting; with observers on it names the word waited for (`on` is the caller's). */
static void wait_round(const shm_wait_set_t *set, cw_wait_t *w, cw_wait_on_t *on)
{
    if (CW_UNLIKELY(!cw_world.plain)) {
        *on = first_missing(set);
        w->on = on;
    }
    cw_wait_round(w);
}

/** The first word at or after `start`, cyclically, that is in the set and satisfied; SIZE_MAX for
 *  none. */
static size_t find(const shm_wait_set_t *set, size_t start)
{
    for (size_t n = 0, i = start; n < set->nelems; n++, i = i + 1 == set->nelems ? 0 : i + 1)
        if (in_set(set, i) && satisfied(set, i))
            return i;
    return SIZE_MAX;
}

/**
 * Where to begin a search: a word that stays satisfied must not hide the others. For the same words
 * as before the search begins behind the last find, so each word gets its turn. For other words it
 * begins at random, since two sets in alternation would move one cursor in step.
 */
static size_t find_fairly(const shm_wait_set_t *set)
{
    static _Thread_local struct {
        const void *words;
        size_t next;
        uint32_t random;
    } last = {.random = 2463534242u};
    if (last.words != set->words) {
        last.random ^= last.random << 13;  // xorshift
        last.random ^= last.random >> 17;
        last.random ^= last.random << 5;
        last.words = set->words;
        last.next = set->nelems ? last.random % set->nelems : 0;
    }
    size_t found = find(set, last.next < set->nelems ? last.next : 0);
    if (found != SIZE_MAX)
        last.next = found + 1;
    return found;
}

static size_t collect(const shm_wait_set_t *set, size_t *indices)
{
    size_t count = 0;
    for (size_t i = 0; i < set->nelems; i++)
        if (in_set(set, i) && satisfied(set, i))
            indices[count++] = i;
    return count;
}

static bool all_satisfied(const shm_wait_set_t *set)
{
    for (size_t i = 0; i < set->nelems; i++)
        if (in_set(set, i) && !satisfied(set, i))
            return false;
    return true;
}

int shm_set_test_all(const shm_wait_set_t *set)
{
    check_set(set);
    if (all_satisfied(set))
        return 1;
    cw_wait_tested();
    return all_satisfied(set);
}

size_t shm_set_test_any(const shm_wait_set_t *set)
{
    check_set(set);
    size_t found = find_fairly(set);
    if (found != SIZE_MAX || set->nelems == 0)
        return found;
    cw_wait_tested();
    return find_fairly(set);
}

size_t shm_set_test_some(const shm_wait_set_t *set, size_t *indices)
{
    check_set(set);
    size_t count = collect(set, indices);
    if (count || set->nelems == 0)
        return count;
    cw_wait_tested();
    return collect(set, indices);
}

void shm_set_wait_all(const shm_wait_set_t *set)
{
    check_set(set);
    cw_wait_t w = CW_WAIT_INIT(shm_call_name(set->func));
    cw_wait_on_t on;
    for (size_t i = 0; i < set->nelems; i++)
        while (in_set(set, i) && !satisfied(set, i)) {
            cw_wait_on_word(&w, (const char *)set->words + i * (set->kind / 2), set->kind / 2);
            wait_round(set, &w, &on);
        }
    cw_wait_done(&w);
}

size_t shm_set_wait_any(const shm_wait_set_t *set)
{
    check_set(set);
    if (is_empty(set))
        return SIZE_MAX;
    size_t found;
    cw_wait_t w = CW_WAIT_FOR(shm_call_name(set->func), set->words, nbytes_of(set));
    cw_wait_on_t on;
    while ((found = find_fairly(set)) == SIZE_MAX)
        wait_round(set, &w, &on);
    cw_wait_done(&w);
    return found;
}

size_t shm_set_wait_some(const shm_wait_set_t *set, size_t *indices)
{
    check_set(set);
    if (is_empty(set))
        return 0;
    size_t count;
    cw_wait_t w = CW_WAIT_FOR(shm_call_name(set->func), set->words, nbytes_of(set));
    cw_wait_on_t on;
    while ((count = collect(set, indices)) == 0)
        wait_round(set, &w, &on);
    cw_wait_done(&w);
    return count;
}
