// SPDX-License-Identifier: BSD-3-Clause
//
// One table of puts, in chains by what completes them, and of places of gets.
#include "core/observe/sources.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/lock.h"
#include "base/symbol.h"
#include "core/mem/memory.h"
#include "core/observe/address.h"
#include "core/observe/check.h"
#include "core/world/world.h"

enum {
    CHAINS = 256,        // by eight bits
    WORDS = 8,           // of a sample
    SAMPLE = WORDS * 8,  // bytes of a source that is sampled whole
    PAGE = 4096,         // the least one; of larger ones parts
};

typedef struct source {
    struct source *next;  // in its chain, or free
    const void *place;    // of the put in the program
    const void *src;
    size_t nbytes;
    uint64_t sample;
    size_t count;  // of a get: begun at that place with that key
    uintptr_t key;
    int pe;
    cw_source_kind_t kind;
    bool is_gone;  // found so at its completion
} source_t;

static struct {
    cwu_lock_t lock;  // guards the rest, but for the loads of n
    source_t *all;    // [CW_SOURCES_MOST]
    source_t *free;
    source_t *chain[CHAINS];
    _Atomic size_t n;  // in chains
    _Atomic bool is_stopped;
} table;

// ---------------------------------------------------------------- samples
/** The words count apart from each other, so a processor multiplies several at a time. */
static CW_ALWAYS_INLINE uint64_t weighed(uint64_t word, size_t i)
{
    return word * (UINT64_C(0x9e3779b97f4a7c15) * (2 * i + 1));
}

/** Of bytes that are there. */
static uint64_t sample_whole(const char *src, size_t nbytes)
{
    uint64_t sum = nbytes, word = 0;
    size_t i = 0;
    for (; nbytes >= 8; nbytes -= 8, src += 8) {
        memcpy(&word, src, 8);
        sum += weighed(word, i++);
    }
    word = 0;
    memcpy(&word, src, nbytes);
    return sum + weighed(word, i);
}

static CW_ALWAYS_INLINE size_t place_of_word(size_t nbytes, size_t i)
{
    return i == WORDS - 1 ? nbytes - 8 : nbytes / WORDS * i;
}

/** Of a source that is there. */
static uint64_t sample_of(const char *src, size_t nbytes)
{
    uint64_t sum = nbytes, word;
    if (nbytes <= SAMPLE)
        return sample_whole(src, nbytes);
    for (size_t i = 0; i < WORDS; i++) {
        memcpy(&word, src + place_of_word(nbytes, i), sizeof word);
        sum += weighed(word, i);
    }
    return sum;
}

/** Can the word be read, where the program may have given its memory back? The system says so when
 *  it is to copy a mask of signals from there; for no purpose, so it changes nothing. */
static bool is_readable(uintptr_t word)
{
    return syscall(SYS_rt_sigprocmask, -1, word & ~(uintptr_t)7, NULL, 8) == 0 || errno != EFAULT;
}

/** Are all bytes there that are sampled? Each page is asked for once. */
static bool is_there(const char *src, size_t nbytes)
{
    const bool whole = nbytes <= SAMPLE;
    uintptr_t page = 0;
    for (size_t i = 0; i < (whole ? 1 : WORDS); i++) {
        uintptr_t first = (uintptr_t)src + (whole ? 0 : place_of_word(nbytes, i)),
                  last = first + (whole ? nbytes : 8) - 1;
        if ((first / PAGE != page && !is_readable(first)) ||
            (last / PAGE != first / PAGE && !is_readable(last)))
            return false;
        page = last / PAGE;
    }
    return true;
}

// ---------------------------------------------------------------- the table
// One thread at a time has it, where the program says so.
static void enter(void)
{
    if (CW_UNLIKELY(cw_world.thread_multiple))
        cwu_lock(&table.lock);
}

static void leave(void)
{
    if (CW_UNLIKELY(cw_world.thread_multiple))
        cwu_unlock(&table.lock);
}

static bool is_stopped(void)
{
    return atomic_load_explicit(&table.is_stopped, memory_order_relaxed);
}

void cw_sources_stop(void)
{
    atomic_store(&table.is_stopped, true);
}

/** So many more, or less, are in chains. */
static void count(size_t more)
{
    const size_t n = atomic_load_explicit(&table.n, memory_order_relaxed);
    atomic_store_explicit(&table.n, n + more, memory_order_relaxed);
}

static source_t **chain_of(cw_source_kind_t kind, uintptr_t key)
{
    return &table.chain[weighed(key + kind, 0) >> 56];
}

/** Lock held. NULL: the table is full, or there is no memory for one. */
static source_t *take_free(void)
{
    if (!table.all) {
        table.all = calloc(CW_SOURCES_MOST, sizeof *table.all);
        for (size_t i = 0; table.all && i < CW_SOURCES_MOST; i++) {
            table.all[i].next = table.free;
            table.free = &table.all[i];
        }
    }
    source_t *s = table.free;
    if (s)
        table.free = s->next;
    return s;
}

/** Lock held. Nothing where there is no room. */
static void add(const source_t *new)
{
    source_t *s = take_free(), **chain = chain_of(new->kind, new->key);
    if (s) {
        *s = *new;
        s->next = *chain;
        *chain = s;
        count(1);
    }
}

void cw_source_begin(cw_source_kind_t kind, uintptr_t key, const void *caller, const void *src,
                     size_t nbytes, int pe)
{
    if (nbytes == 0 || atomic_load_explicit(&table.n, memory_order_relaxed) == CW_SOURCES_MOST ||
        is_stopped())
        return;
    const source_t new = {.place = cwu_symbol_call(caller),
                          .src = src,
                          .nbytes = nbytes,
                          .sample = sample_of(src, nbytes),
                          .count = 1,
                          .key = key,
                          .pe = pe,
                          .kind = kind};
    enter();
    add(&new);
    leave();
}

void cw_source_begin_get(cw_source_kind_t kind, uintptr_t key, const void *caller, int pe)
{
    const source_t new = {
        .place = cwu_symbol_call(caller), .count = 1, .key = key, .pe = pe, .kind = kind};
    if (is_stopped())
        return;
    enter();
    source_t *s = *chain_of(kind, key);
    while (s && (s->kind != kind || s->key != key || s->place != new.place))
        s = s->next;
    if (s)
        s->count++;
    else
        add(&new);
    leave();
}

static bool is_changed(source_t *s)
{
    // what is symmetric stays where it is
    s->is_gone = !cw_is_symmetric(s->src, s->nbytes) && !is_there(s->src, s->nbytes);
    return s->is_gone || sample_of(s->src, s->nbytes) != s->sample;
}

static void free_one(source_t *s)
{
    s->next = table.free;
    table.free = s;
    count((size_t)-1);
}

/** Takes those of one key out of a chain, or with any all of that kind: a list of all, or of those
 *  that have changed. */
static source_t *take_from(source_t **at, cw_source_kind_t kind, uintptr_t key, bool any,
                           bool only_changed)
{
    source_t *taken = NULL;
    for (source_t *s; (s = *at) != NULL;) {
        if (s->kind != kind || (!any && s->key != key)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        if (only_changed && CW_LIKELY(!is_changed(s))) {
            free_one(s);
        } else {
            s->next = taken;
            taken = s;
        }
    }
    return taken;
}

static source_t *take(cw_source_kind_t kind, uintptr_t key, bool only_changed)
{
    if (atomic_load_explicit(&table.n, memory_order_relaxed) == 0 || is_stopped())
        return NULL;
    enter();
    source_t *taken = take_from(chain_of(kind, key), kind, key, false, only_changed);
    leave();
    return taken;
}

static source_t *take_all(cw_source_kind_t kind, bool only_changed)
{
    source_t *taken = NULL;
    if (atomic_load_explicit(&table.n, memory_order_relaxed) == 0 || is_stopped())
        return NULL;
    enter();
    for (int i = 0; i < CHAINS; i++) {
        source_t *more = take_from(&table.chain[i], kind, 0, true, only_changed), **end = &more;
        while (*end)
            end = &(*end)->next;
        *end = taken;
        taken = more;
    }
    leave();
    return taken;
}

static void give_back(source_t *list)
{
    if (!list)
        return;
    enter();
    for (source_t *next; list; list = next) {
        next = list->next;
        free_one(list);
    }
    leave();
}

// ---------------------------------------------------------------- lines
static void warn(const source_t *s, const char *call)
{
    char place[160];
    if (!cw_check_is_news(s->place))
        return;
    cwu_symbol_describe(s->place, place, sizeof place);
    cw_check_warn(call,
                  "the source of the put to PE %d at %s, %s, %zu bytes, was %s before this call "
                  "completed the put: between nodes its old or its new bytes travel; change or "
                  "free it after this call",
                  s->pe, place, cw_at(s->src, s->nbytes), s->nbytes,
                  s->is_gone ? "freed" : "changed");
}

/** Of sources that have changed. */
static void end_list(source_t *list, const char *call)
{
    for (const source_t *s = list; s; s = s->next)
        warn(s, call);
    give_back(list);
}

void cw_source_end(cw_source_kind_t kind, uintptr_t key, const char *call)
{
    end_list(take(kind, key, true), call);
}

void cw_source_end_all(cw_source_kind_t kind, const char *call)
{
    end_list(take_all(kind, true), call);
}

void cw_source_move(cw_source_kind_t from, uintptr_t from_key, cw_source_kind_t to,
                    uintptr_t to_key)
{
    source_t *list = take(from, from_key, false);
    if (!list)
        return;
    enter();
    for (source_t *next, **chain = chain_of(to, to_key); list; list = next) {
        next = list->next;
        list->kind = to;
        list->key = to_key;
        list->next = *chain;
        *chain = list;
    }
    leave();
}

void cw_source_forget(cw_source_kind_t kind, uintptr_t key)
{
    give_back(take(kind, key, false));
}

static bool is_get(cw_source_kind_t kind)
{
    return kind == CW_GET_IMPLICIT || kind == CW_GET_FLUSH;
}

/** A list of those that are not complete: warns, and forgets them. */
static void warn_of_left(source_t *list, const char *call, const char *remedy)
{
    char place[160];
    size_t n = 0;
    for (const source_t *s = list; s; s = s->next)
        n += s->count;
    if (list && cw_check_is_news(list->place)) {
        const bool get = is_get(list->kind), one = n == 1;
        cwu_symbol_describe(list->place, place, sizeof place);
        cw_check_warn(call, "%zu %s of this PE, %s%s PE %d at %s, %s not complete: %s", n,
                      get ? (one ? "get" : "gets") : (one ? "put" : "puts"),
                      one ? "" : "one of them ", get ? "from" : "to", list->pe, place,
                      one ? "is" : "are", remedy);
    }
    give_back(list);
}

void cw_source_left(cw_source_kind_t kind, const char *call, const char *remedy)
{
    warn_of_left(take_all(kind, false), call, remedy);
}

void cw_source_left_of(cw_source_kind_t kind, uintptr_t key, const char *call, const char *remedy)
{
    warn_of_left(take(kind, key, false), call, remedy);
}

void cw_sources_close(void)
{
    enter();
    free(table.all);
    table.all = table.free = NULL;
    memset(table.chain, 0, sizeof table.chain);
    atomic_store_explicit(&table.n, 0, memory_order_relaxed);
    atomic_store(&table.is_stopped, false);
    leave();
}
