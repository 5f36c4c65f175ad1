// SPDX-License-Identifier: BSD-3-Clause
//
// A table of puts, in chains by what completes them, and of places of gets.
#include "core/observe/sources.h"

#include <errno.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/lock.h"
#include "base/symbol.h"
#include "core/mem/foreign.h"
#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/observe/address.h"
#include "core/observe/check.h"
#include "core/world/world.h"

enum {
    CHAINS = 256,        // by eight bits of the hash
    RECENT = 64,         // by six
    WORDS = 8,           // of a sample
    SAMPLE = WORDS * 8,  // bytes of a source that is sampled whole
    PAGE = 4096,         // the smallest; larger ones count as several
    PAGES = 8,           // remembered in a completion
    TRUSTED = 64,        // completions between looks at the handler
};

typedef struct source {
    const void *src;
    size_t nbytes;  // 0: of a get, or free
    uintptr_t key;
    const void *place;  // of the put
    uint64_t sample;
    struct source *next;  // in its chain, or free
    unsigned count;       // begun at that place with that key, of a put from that source
    int pe;               // of the first
    uint8_t kind;         // cw_source_kind_t
    bool is_gone;         // found by its completion, which sees it again
    bool is_idle;         // complete; in its chain until the next completion
} source_t;

static struct {
    cwu_lock_t lock;  // guards the rest, except loads of n
    source_t *all;    // [CW_SOURCES_MOST]
    source_t *free;
    source_t *chain[CHAINS];
    source_t *recent[RECENT];  // by source; the record may be another's by now
    _Atomic size_t n;          // in chains
    _Atomic bool is_stopped;
    source_t *taken;  // by the completion that has the lock
} table CW_LARGE;

// The handler of faults that calls cw_source_faulted.
static struct {
    bool (*_Atomic is_there)(void);  // NULL: none
    unsigned trusted;                // completions since it was seen
    jmp_buf back;                    // of the completion that has the lock
} handler;
static _Thread_local source_t *volatile reading CW_INITIAL_EXEC;  // by the completion

// ---------------------------------------------------------------- samples
/** Independent, so a processor multiplies several at a time. Any odd weights do of which no small
 *  multiples add up to others'. */
static CW_ALWAYS_INLINE uint64_t weighed(uint64_t word, size_t i)
{
    static const uint32_t weight[WORDS + 1] = {0x2c1b3c6d, 0x297a2d39, 0x4e3779b1,
                                               0x05ebca77, 0x42b2ae3d, 0x27d4eb2f,
                                               0x165667b1, 0x4cf5ad43, 0x2745937f};
    return word * weight[i];
}

static CW_ALWAYS_INLINE uint64_t mixed(uint64_t word)
{
    return word * UINT64_C(0x9e3779b97f4a7c15);
}

/** Of at most SAMPLE bytes, which exist. */
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

/** Of an existing source. */
static CW_ALWAYS_INLINE uint64_t sample_of(const char *src, size_t nbytes)
{
    uint64_t sum = nbytes, word;
    if (nbytes <= SAMPLE)
        return sample_whole(src, nbytes);
#pragma GCC unroll 8
    for (size_t i = 0; i < WORDS; i++) {
        memcpy(&word, src + place_of_word(nbytes, i), sizeof word);
        sum += weighed(word, i);
    }
    return sum;
}

// ---------------------------------------------------------------- what is there
/** Findings of one completion. */
typedef struct there {
    bool any;                   // the rest is set
    uintptr_t data, data_room;  // the program's, with what malloc has appended
    uintptr_t heap, heap_room;  // symmetric
    uintptr_t page[PAGES];
} there_t;

/** Can the word be read, or has the program returned its memory? The system says so when asked to
 *  copy a mask of signals from there, which has no effect. */
static bool is_readable(uintptr_t word)
{
    return syscall(SYS_rt_sigprocmask, -1, word & ~(uintptr_t)7, NULL, 8) == 0 || errno != EFAULT;
}

/** Asks about a remembered page once. */
static bool is_page_there(there_t *there, uintptr_t address)
{
    uintptr_t *page = &there->page[address / PAGE % PAGES];
    if (*page == address / PAGE)
        return true;
    if (!is_readable(address))
        return false;
    *page = address / PAGE;
    return true;
}

static void begin_there(there_t *there)
{
    const cwt_layout_t *l = &cw_segment.layout;
    *there = (there_t){.any = true,
                       .data = cw_segment.origin,
                       .data_room = l->data_nbytes,
                       .heap = (uintptr_t)cw_segment.heap,
                       .heap_room = l->heap_nbytes};
    const uintptr_t end = (uintptr_t)sbrk(0);
    if (cw_segment.own_view && end > there->data + there->data_room)
        there->data_room = end - there->data;
}

static CW_ALWAYS_INLINE bool is_within(uintptr_t begin, size_t nbytes, uintptr_t room_begin,
                                       uintptr_t room)
{
    return begin - room_begin < room && nbytes <= room - (begin - room_begin);
}

static CW_NOINLINE bool is_there_by_page(there_t *there, uintptr_t begin, size_t nbytes)
{
    const bool whole = nbytes <= SAMPLE;
    for (size_t i = 0; i < (whole ? 1 : WORDS); i++) {
        uintptr_t first = begin + (whole ? 0 : place_of_word(nbytes, i)),
                  last = first + (whole ? nbytes : 8) - 1;
        if (!is_page_there(there, first) || !is_page_there(there, last))
            return false;
    }
    return true;
}

/** Without a handler: do all sampled bytes exist? Symmetric memory stays, and the program's data up
 *  to the break. For others the system is asked: as long as ten puts of 1 KiB. */
static CW_ALWAYS_INLINE bool is_there(there_t *there, const void *src, size_t nbytes)
{
    if (!there->any)
        begin_there(there);
    return CW_LIKELY(is_within((uintptr_t)src, nbytes, there->heap, there->heap_room)) ||
           CW_LIKELY(is_within((uintptr_t)src, nbytes, there->data, there->data_room)) ||
           is_there_by_page(there, (uintptr_t)src, nbytes);
}

// ---------------------------------------------------------------- the table
// Excludes other threads where the program has any.
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

static bool is_full(void)
{
    return atomic_load_explicit(&table.n, memory_order_relaxed) == CW_SOURCES_MOST;
}

/** Changes the number in chains; wraps. */
static void count(size_t more)
{
    const size_t n = atomic_load_explicit(&table.n, memory_order_relaxed);
    atomic_store_explicit(&table.n, n + more, memory_order_relaxed);
}

static source_t **chain_of(cw_source_kind_t kind, uintptr_t key)
{
    return &table.chain[mixed(key + kind) >> 56];
}

static source_t **recent_of(const void *src)
{
    return &table.recent[mixed((uintptr_t)src) >> 58];
}

// ---------------------------------------------------------------- begin, with the lock
static CW_ALWAYS_INLINE void release(source_t *s)
{
    s->nbytes = 0;
    s->next = table.free;
    table.free = s;
}

static void release_idle(void)
{
    for (int i = 0; i < CHAINS; i++)
        for (source_t *s, **at = &table.chain[i]; (s = *at) != NULL;) {
            if (s->is_idle) {
                *at = s->next;
                release(s);
            } else {
                at = &s->next;
            }
        }
}

/** NULL: full, or no memory. */
static source_t *take_free(void)
{
    if (!table.all) {
        table.all = calloc(CW_SOURCES_MOST, sizeof *table.all);
        for (size_t i = 0; table.all && i < CW_SOURCES_MOST; i++)
            release(&table.all[i]);
    } else if (!table.free) {
        release_idle();
    }
    source_t *s = table.free;
    if (s)
        table.free = s->next;
    return s;
}

/** Adds a record without a source to its chain; NULL: no room. */
static source_t *add(cw_source_kind_t kind, uintptr_t key, const void *place, int pe)
{
    source_t *s = take_free(), **chain = chain_of(kind, key);
    if (!s)
        return NULL;
    s->key = key;
    s->place = place;
    s->next = *chain;
    s->count = 1;
    s->pe = pe;
    s->kind = (uint8_t)kind;
    s->is_gone = s->is_idle = false;
    *chain = s;
    count(1);
    return s;
}

/** Is an equal put kept? Its older sample notices all changes. */
static CW_ALWAYS_INLINE bool is_kept(const source_t *s, cw_source_kind_t kind, uintptr_t key,
                                     const void *place, const void *src, size_t nbytes)
{
    return s && s->src == src && s->nbytes == nbytes && nbytes > 0 && s->key == key &&
           s->place == place && s->kind == (uint8_t)kind;
}

static CW_ALWAYS_INLINE void keep_again(source_t *s, const void *src, size_t nbytes, int pe)
{
    if (!s->is_idle) {
        s->count++;
        return;
    }
    s->is_idle = false;
    s->count = 1;
    s->pe = pe;
    s->sample = sample_of(src, nbytes);
    count(1);
}

/** No equal recent put, or a call in this library, so that the place is to be found. */
static CW_NOINLINE void keep(cw_source_kind_t kind, uintptr_t key, const void *caller,
                             const void *src, size_t nbytes, int pe)
{
    source_t *s = *recent_of(src);
    if (nbytes == 0 || is_full() || is_stopped())
        return;
    const void *place = cwu_symbol_call(caller);
    if (place != caller && is_kept(s, kind, key, place, src, nbytes)) {
        keep_again(s, src, nbytes, pe);
    } else if ((s = add(kind, key, place, pe)) != NULL) {
        s->src = src;
        s->nbytes = nbytes;
        s->sample = sample_of(src, nbytes);
        *recent_of(src) = s;
    }
}

// ---- without
void cw_source_begin(cw_source_kind_t kind, uintptr_t key, const void *caller, const void *src,
                     size_t nbytes, int pe)
{
    if (cw_foreign_holds(src))
        return;  // no processor can look at it
    enter();
    source_t *recent = *recent_of(src);
    if (CW_LIKELY(is_kept(recent, kind, key, caller, src, nbytes)))
        keep_again(recent, src, nbytes, pe);
    else
        keep(kind, key, caller, src, nbytes, pe);
    leave();
}

void cw_source_begin_get(cw_source_kind_t kind, uintptr_t key, const void *caller, int pe)
{
    const void *place = cwu_symbol_call(caller);
    if (is_stopped())
        return;
    enter();
    source_t *s = *chain_of(kind, key);
    while (s && (s->kind != kind || s->key != key || s->place != place))
        s = s->next;
    if (s)
        s->count++;
    else
        (void)add(kind, key, place, pe);
    leave();
}

// ---------------------------------------------------------------- end, with the lock
/** there NULL: a source that is gone faults. */
static CW_ALWAYS_INLINE bool is_changed(source_t *s, there_t *there)
{
    if (there)
        s->is_gone = !is_there(there, s->src, s->nbytes);
    reading = s;
    atomic_signal_fence(memory_order_seq_cst);  // pairs with cw_source_faulted
    const bool changed = s->is_gone || sample_of(s->src, s->nbytes) != s->sample;
    atomic_signal_fence(memory_order_seq_cst);
    reading = NULL;
    return changed;
}

static CW_ALWAYS_INLINE void free_one(source_t *s)
{
    release(s);
    count((size_t)-1);
}

/** Takes records of one key, or with any of all, out of a chain; all or changed ones go to
 *  table.taken. */
static void take_from(source_t **at, cw_source_kind_t kind, uintptr_t key, bool any,
                      bool only_changed, there_t *there)
{
    for (source_t *s; (s = *at) != NULL;) {
        if (s->kind != kind || (!any && s->key != key)) {
            at = &s->next;
        } else if (s->is_idle) {
            *at = s->next;
            release(s);
        } else if (!only_changed || CW_UNLIKELY(is_changed(s, there))) {
            *at = s->next;
            s->next = table.taken;
            table.taken = s;
        } else if (kind == CW_SOURCE_HANDLE) {  // no second put has that key
            *at = s->next;
            free_one(s);
        } else {
            s->is_idle = true;
            count((size_t)-1);
            at = &s->next;
        }
    }
}

/** Does the process still have the handler? Looked at rarely: only sources freed too early need
 *  it. */
static bool is_handled(void)
{
    bool (*is_there)(void) = atomic_load_explicit(&handler.is_there, memory_order_relaxed);
    if (!is_there)
        return false;
    if (++handler.trusted < TRUSTED)
        return true;
    handler.trusted = 0;
    if (!is_there())
        atomic_store(&handler.is_there, NULL);
    return atomic_load(&handler.is_there) != NULL;
}

/** any: all keys. A fault in a sample returns here, the table unchanged: that source is gone. */
static CW_NOINLINE void take_locked(cw_source_kind_t kind, uintptr_t key, bool any,
                                    bool only_changed)
{
    const bool handled = only_changed && is_handled();
    there_t there;
    there.any = false;
    if (handled && CW_UNLIKELY(_setjmp(handler.back))) {
        reading->is_gone = true;
        reading = NULL;
    }
    there_t *asked = handled ? NULL : &there;
    if (!any)
        take_from(chain_of(kind, key), kind, key, false, only_changed, asked);
    for (int i = 0; any && i < CHAINS; i++)
        take_from(&table.chain[i], kind, 0, true, only_changed, asked);
}

// ---- without
static CW_ALWAYS_INLINE source_t *take_some(cw_source_kind_t kind, uintptr_t key, bool any,
                                            bool only_changed)
{
    if (atomic_load_explicit(&table.n, memory_order_relaxed) == 0 || is_stopped())
        return NULL;
    enter();
    table.taken = NULL;
    take_locked(kind, key, any, only_changed);
    source_t *taken = table.taken;
    leave();
    return taken;
}

static source_t *take(cw_source_kind_t kind, uintptr_t key, bool only_changed)
{
    return take_some(kind, key, false, only_changed);
}

static source_t *take_all(cw_source_kind_t kind, bool only_changed)
{
    return take_some(kind, 0, true, only_changed);
}

void cw_sources_handled(bool (*is_there)(void))
{
    atomic_store(&handler.is_there, is_there);
}

void cw_source_faulted(const void *address, const sigset_t *mask)
{
    const source_t *s = reading;
    if (!s || is_stopped() || (uintptr_t)address - (uintptr_t)s->src >= s->nbytes)
        return;
    pthread_sigmask(SIG_SETMASK, mask, NULL);
    _longjmp(handler.back, 1);
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

/** Of changed sources. */
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
        list->kind = (uint8_t)to;
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

/** Warns of incomplete ones, and forgets them. */
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
    memset(table.recent, 0, sizeof table.recent);
    atomic_store_explicit(&table.n, 0, memory_order_relaxed);
    atomic_store(&table.is_stopped, false);
    leave();
}
