// SPDX-License-Identifier: BSD-3-Clause
//
// RandomAccess by the rules of the HPC Challenge benchmark, on DART: random words of a table that
// is spread over all units are read, changed and written. See README.md.
#define _POSIX_C_SOURCE 200809L  // clock_gettime
#include <inttypes.h>
#include <string.h>

#include "../02-random-access/stream.h"
#include "../13-dart-stencil/units.h"

enum {
    UPDATES_PER_WORD = 4,
    AHEAD_MOST = 1024,    // updates of a unit under way, by the rules
    AHEAD_LEAST = 4,      // in a batch
    AHEAD_SHARE = 16384,  // part of the words that all units have under way, if that is more
};

/** A unit's part of the table are 2^shift words, so some units may have none. */
typedef struct table {
    dart_gptr_t gptr;
    uint64_t *own;
    uint64_t nwords;  // of the whole, a power of two
    int shift;
} table_t;

static uint64_t words_of(const table_t *t, int unit)
{
    uint64_t first = (uint64_t)unit << t->shift, each = UINT64_C(1) << t->shift;
    return first >= t->nwords ? 0 : each;
}

static dart_gptr_t place(const table_t *t, uint64_t index)
{
    dart_gptr_t gptr = t->gptr;
    gptr.unitid = (int)(index >> t->shift) & 0x7fffff;
    gptr.addr_or_offs.offset = (index & ((UINT64_C(1) << t->shift) - 1)) * sizeof *t->own;
    return gptr;
}

static void make_table(table_t *t, int log2_words)
{
    t->nwords = UINT64_C(1) << log2_words;
    for (t->shift = 0; ((uint64_t)nunits << t->shift) < t->nwords;)
        t->shift++;
    void *own;
    t->gptr = allocate((size_t)1 << t->shift, DART_TYPE_ULONGLONG, &own);
    t->own = own;
    for (uint64_t i = 0; i < words_of(t, me); i++)
        t->own[i] = ((uint64_t)me << t->shift) + i;
}

// ---------------------------------------------------------------- updates
/** One at a time. What another unit writes between the get and the put is lost. */
static void update_getput(const table_t *t, uint64_t ran, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t word;
        ran = stream_next(ran);
        dart_gptr_t gptr = place(t, ran & (t->nwords - 1));
        dart_get_blocking(&word, gptr, 1, DART_TYPE_ULONGLONG, DART_TYPE_ULONGLONG);
        word ^= ran;
        dart_put_blocking(gptr, &word, 1, DART_TYPE_ULONGLONG, DART_TYPE_ULONGLONG);
    }
}

static uint64_t updates_ahead(const table_t *t)
{
    uint64_t most = t->nwords / AHEAD_SHARE / (uint64_t)nunits;
    return most < AHEAD_LEAST ? AHEAD_LEAST : most < AHEAD_MOST ? most : AHEAD_MOST;
}

/** Many under way at a time. What another of them writes between the get and the put is lost, also
 *  of the same batch: words return in this stream more often than in a random one. */
static void update_batches(const table_t *t, uint64_t ran, uint64_t n)
{
    static uint64_t word[AHEAD_MOST];
    const uint64_t ahead = updates_ahead(t);
    for (uint64_t done = 0; done < n; done += ahead) {
        const uint64_t batch = n - done < ahead ? n - done : ahead;
        uint64_t put_ran = ran;
        for (uint64_t i = 0; i < batch; i++) {
            ran = stream_next(ran);
            dart_get(&word[i], place(t, ran & (t->nwords - 1)), 1, DART_TYPE_ULONGLONG,
                     DART_TYPE_ULONGLONG);
        }
        must(dart_flush_local_all(t->gptr), "dart_flush_local_all");
        for (uint64_t i = 0; i < batch; i++) {
            put_ran = stream_next(put_ran);
            word[i] ^= put_ran;
            dart_put(place(t, put_ran & (t->nwords - 1)), &word[i], 1, DART_TYPE_ULONGLONG,
                     DART_TYPE_ULONGLONG);
        }
        must(dart_flush_all(t->gptr), "dart_flush_all");
    }
}

/** Nothing is lost, and nothing is waited for but at the end. */
static void update_atomic(const table_t *t, uint64_t ran, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        ran = stream_next(ran);
        dart_accumulate_blocking_local(place(t, ran & (t->nwords - 1)), &ran, 1,
                                       DART_TYPE_ULONGLONG, DART_OP_BXOR);
    }
    must(dart_flush_all(t->gptr), "dart_flush_all");
}

/** Plain loads and stores on a table of one unit: what the others are compared with. */
static void update_plain(const table_t *t, uint64_t ran, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        ran = stream_next(ran);
        t->own[ran & (t->nwords - 1)] ^= ran;
    }
}

/** The whole stream again, by plain stores, on this unit's words: xor is its own inverse. */
static uint64_t count_errors(const table_t *t)
{
    const uint64_t first = (uint64_t)me << t->shift, n = words_of(t, me);
    uint64_t ran = stream_start(0), errors = 0;
    for (uint64_t i = 0; i < UPDATES_PER_WORD * t->nwords; i++) {
        ran = stream_next(ran);
        uint64_t at = (ran & (t->nwords - 1)) - first;  // wraps for words of lower units
        if (at < n)
            t->own[at] ^= ran;
    }
    for (uint64_t i = 0; i < n; i++)
        errors += t->own[i] != first + i;
    return sum_of_all(errors);
}

// ---------------------------------------------------------------- the program
static const struct method {
    const char *name;
    void (*update)(const table_t *t, uint64_t ran, uint64_t n);
    bool exact, alone;
} methods[] = {{"getput", update_getput, false, false},
               {"batches", update_batches, false, false},
               {"atomic", update_atomic, true, false},
               {"plain", update_plain, true, true}};

static const struct method *find_method(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].name, name) == 0 && !(methods[i].alone && nunits > 1))
            return &methods[i];
    return NULL;
}

/** Returns the number of words that must not be wrong. */
static uint64_t report(const table_t *t, const struct method *method, double seconds)
{
    const uint64_t nupdates = UPDATES_PER_WORD * t->nwords, errors = count_errors(t);
    const double percent = 100.0 * (double)errors / (double)t->nwords;
    const bool good = method->exact ? errors == 0 : percent <= 1.0;
    if (me == 0) {
        printf("table of %" PRIu64 " words, %" PRIu64 " updates, method %s\n", t->nwords, nupdates,
               method->name);
        printf("wrong words: %" PRIu64 " (%.4f %%, limit %s)\n", errors, percent,
               method->exact ? "none" : "1 %");
        if (!good)
            fprintf(stderr, "random_access: FAILED: %" PRIu64 " words are wrong\n", errors);
        printf("RESULT program=dart-random-access method=%s pes=%d verified=%s seconds=%.6f "
               "rate=%.6f unit=MUP/s\n",
               method->name, nunits, good ? "yes" : "no", seconds,
               1e-6 * (double)nupdates / seconds);
    }
    return good ? 0 : errors;
}

int main(int argc, char **argv)
{
    table_t t;
    begin(&argc, &argv);
    const int log2_words = argc > 1 ? (int)whole_number(argv[1], 1, 40) : 20;
    const struct method *method = find_method(argc > 2 ? argv[2] : "getput");
    if (log2_words < 1 || !method || argc > 3)
        return refuse("random_access [log2 of the words, 1 to 40 [getput|batches|atomic|plain]], "
                      "plain for one unit alone");
    make_table(&t, log2_words);

    // each unit makes an equal part of the one stream of updates
    const uint64_t nupdates = UPDATES_PER_WORD * t.nwords, each = nupdates / (uint64_t)nunits;
    const uint64_t from = each * (uint64_t)me, to = me == nunits - 1 ? nupdates : from + each;
    const uint64_t ran = stream_start((int64_t)from);
    must(dart_barrier(DART_TEAM_ALL), "dart_barrier");
    double start = now();
    method->update(&t, ran, to - from);
    must(dart_barrier(DART_TEAM_ALL), "dart_barrier");
    double seconds = now() - start;

    return finish(t.gptr, report(&t, method, seconds));
}
