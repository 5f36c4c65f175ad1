// SPDX-License-Identifier: BSD-3-Clause
//
//     storm SEED SECONDS
//
// Random transfers between all PEs, checked against a model, until the time is over. Each PE owns
// an area on every PE, changes it by puts, scalar and strided puts, signals and atomics over
// several contexts, and keeps what each area must contain. Where two operations touch the same
// block of an area, a fence (same context) or a quiet (another context, or a get) stands between
// them; where they do not, nothing orders them. Gets and fetching atomics are compared at once, all
// areas at the end of a round. Counters, tickets, a lock and signals are shared by all PEs, so
// their totals are compared. Descriptors and memory must stay as they are after the first rounds.
//
// A failure names seed and round; the same arguments on the same layout draw the same operations.
#include <shmem.h>
#include <stdbool.h>
#include <unistd.h>

#include "frame/check.h"
#include "frame/random.h"
#include "frame/usage.h"

enum {
    AREA = 1 << 16,  // bytes of one PE's area on another
    BLOCK = 64,      // bytes whose order is tracked together
    BLOCKS = AREA / BLOCK,
    LARGEST = 20000,   // bytes of a transfer
    CONTEXTS = 3,      // the default one and two others
    OPERATIONS = 150,  // of a round
    COUNTERS = 8,
    SETTLED = 48  // rounds after which resources must not grow
};

static int me, npes, round_no;
static long seed;
static uint64_t operations;

// symmetric
static unsigned char *areas;      // [npes][AREA], by owner
static uint64_t *hashes, *wrong;  // [npes], by owner
static uint64_t *added, *totals;  // [npes * (COUNTERS + 2)]
static uint64_t counters[COUNTERS], tickets;
static uint64_t signals, payload[64];
static long lock;
static uint64_t locked_count, behind_lock;
static int more, more_everywhere;
static long usage[4], usage_most[4];  // descriptors, KiB: when settled, now

static resources_t settled;

// the model
static unsigned char *model;  // [npes][AREA]: my areas on other PEs
static struct {
    uint32_t number;
    uint8_t ctx;
} * last;  // [npes][BLOCKS]: operation on the block
static unsigned char noise[1 << 17], scratch[LARGEST + 8];

static struct {
    shmem_ctx_t ctx;
    uint32_t number;             // operations so far
    uint32_t fenced, completed;  // ones up to here are ordered before what comes, are complete
    bool batched;
} ways[CONTEXTS];

// ---------------------------------------------------------------- order
static void complete(int w)
{
    shmem_ctx_quiet(ways[w].ctx);
    ways[w].completed = ways[w].fenced = ways[w].number;
}

static void fence(int w)
{
    shmem_ctx_fence(ways[w].ctx);
    ways[w].fenced = ways[w].number;
}

/** Makes [at, at + nbytes) of my area on a PE ready for an operation of context w: one that
 *  `reads` the area needs all before it complete. */
static void touch(int w, int pe, size_t at, size_t nbytes, bool reads)
{
    size_t first = (size_t)pe * BLOCKS + at / BLOCK,
           end = (size_t)pe * BLOCKS + (at + nbytes - 1) / BLOCK;
    for (size_t b = first; b <= end; b++) {
        int by = last[b].ctx;
        if (last[b].number > ways[by].completed && (by != w || reads))
            complete(by);
        else if (by == w && last[b].number > ways[w].fenced)
            draw(4) ? fence(w) : complete(w);
    }
    ways[w].number++;
    for (size_t b = first; b <= end; b++) {
        last[b].ctx = (uint8_t)w;
        last[b].number = ways[w].number;
    }
}

// ---------------------------------------------------------------- operations
static size_t some_nbytes(size_t most)
{
    size_t n = 1 + draw((uint64_t)1 << (1 + draw(15)));
    return n < most ? n : most;
}

static unsigned char *mine_at(int pe, size_t at)
{
    return model + (size_t)pe * AREA + at;
}

static unsigned char *there(size_t at)
{
    return areas + (size_t)me * AREA + at;
}

static void put(int w, int pe)
{
    size_t n = some_nbytes(LARGEST), at = draw(AREA - n + 1), from = draw(sizeof noise - n);
    touch(w, pe, at, n, false);
    memcpy(mine_at(pe, at), noise + from, n);
    if (draw(2)) {
        shmem_ctx_putmem(ways[w].ctx, there(at), noise + from, n, pe);
        return;
    }
    shmem_ctx_putmem_nbi(ways[w].ctx, there(at), noise + from, n, pe);
}

static void put_scalar(int w, int pe)
{
    size_t at = draw(AREA / 8) * 8;
    uint64_t value = random_word();
    touch(w, pe, at, 8, false);
    memcpy(mine_at(pe, at), &value, 8);
    shmem_ctx_uint64_p(ways[w].ctx, (uint64_t *)(void *)there(at), value, pe);
}

static void put_strided(int w, int pe)
{
    size_t step = 1 + draw(5), n = 1 + draw(200), span = ((n - 1) * step + 1) * 4;
    size_t at = draw((AREA - span) / 4 + 1) * 4, from = draw(sizeof noise / 4 - n) * 4;
    touch(w, pe, at, span, false);
    for (size_t i = 0; i < n; i++)
        memcpy(mine_at(pe, at + i * step * 4), noise + from + i * 4, 4);
    shmem_ctx_iput32(ways[w].ctx, there(at), noise + from, (ptrdiff_t)step, 1, n, pe);
}

static void compare(const char *what, int pe, size_t at, const void *got, size_t nbytes)
{
    const unsigned char *have = got, *want = mine_at(pe, at);
    size_t i = 0;
    while (i < nbytes && have[i] == want[i])
        i++;
    REQUIRE(i == nbytes,
            "seed %ld round %d: %s of %zu bytes at %zu on PE %d: byte %zu is %02x, not %02x", seed,
            round_no, what, nbytes, at, pe, i, have[i], want[i]);
}

static void get(int w, int pe)
{
    size_t n = some_nbytes(LARGEST), at = draw(AREA - n + 1);
    touch(w, pe, at, n, true);
    if (draw(2)) {
        shmem_ctx_getmem(ways[w].ctx, scratch, there(at), n, pe);
        compare("get", pe, at, scratch, n);
        return;
    }
    shmem_ctx_getmem_nbi(ways[w].ctx, scratch, there(at), n, pe);
    complete(w);
    compare("get_nbi", pe, at, scratch, n);
}

static void get_scalar(int w, int pe)
{
    size_t at = draw(AREA / 8) * 8;
    touch(w, pe, at, 8, true);
    uint64_t got = shmem_ctx_uint64_g(ways[w].ctx, (uint64_t *)(void *)there(at), pe);
    compare("g", pe, at, &got, 8);
}

static void change_atomically(int w, int pe)
{
    size_t at = draw(AREA / 8) * 8;
    uint64_t value = random_word(), old, *word = (uint64_t *)(void *)there(at);
    shmem_ctx_t ctx = ways[w].ctx;
    touch(w, pe, at, 8, false);
    memcpy(&old, mine_at(pe, at), 8);
    uint64_t want = old, got = old;
    switch (draw(8)) {
    case 0:
        shmem_ctx_uint64_atomic_add(ctx, word, value, pe), want = old + value;
        break;
    case 1:
        shmem_ctx_uint64_atomic_xor(ctx, word, value, pe), want = old ^ value;
        break;
    case 2:
        shmem_ctx_uint64_atomic_and(ctx, word, value, pe), want = old & value;
        break;
    case 3:
        shmem_ctx_uint64_atomic_set(ctx, word, value, pe), want = value;
        break;
    case 4:
        got = shmem_ctx_uint64_atomic_fetch_add(ctx, word, value, pe), want = old + value;
        break;
    case 5:
        got = shmem_ctx_uint64_atomic_swap(ctx, word, value, pe), want = value;
        break;
    case 6:
        got = shmem_ctx_uint64_atomic_compare_swap(ctx, word, old, value, pe), want = value;
        break;
    default:
        got = shmem_ctx_uint64_atomic_fetch_or(ctx, word, value, pe), want = old | value;
        break;
    }
    compare("fetching atomic", pe, at, &got, 8);
    memcpy(mine_at(pe, at), &want, 8);
}

static void count(int w, int pe)
{
    uint64_t *mine = added + (size_t)pe * (COUNTERS + 2), value = draw(1000);
    size_t k = draw(COUNTERS + 2);
    ways[w].number++;
    if (k < COUNTERS) {
        shmem_ctx_uint64_atomic_add(ways[w].ctx, &counters[k], value, pe);
        mine[k] += value;
        return;
    }
    mine[COUNTERS]++;
    mine[COUNTERS + 1] += shmem_ctx_uint64_atomic_fetch_inc(ways[w].ctx, &tickets, pe);
}

static void order_or_batch(int w, int pe)
{
    (void)pe;
    switch (draw(4)) {
    case 0:
        complete(w);
        break;
    case 1:
        fence(w);
        break;
    default:
        ways[w].batched = !ways[w].batched;
        if (ways[w].batched)
            shmem_ctx_session_start(ways[w].ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
        else
            shmem_ctx_session_stop(ways[w].ctx);
    }
}

static void operate(void)
{
    static void (*const kinds[])(int, int) = {
        put,         put,   put,           put_scalar,        put_scalar,
        put_strided, get,   get_scalar,    change_atomically, change_atomically,
        count,       count, order_or_batch};
    int w = (int)draw(CONTEXTS), pe = (int)draw((uint64_t)npes);
    kinds[draw(sizeof kinds / sizeof *kinds)](w, pe);
    operations++;
}

// ---------------------------------------------------------------- a round
static void all_complete(void)
{
    for (int w = 0; w < CONTEXTS; w++) {
        if (ways[w].batched)
            shmem_ctx_session_stop(ways[w].ctx);
        ways[w].batched = false;
        complete(w);
    }
}

static uint64_t hash_of(const unsigned char *bytes)
{
    uint64_t h = 1469598103934665603u, word;
    for (size_t i = 0; i < AREA; i += 8) {
        memcpy(&word, bytes + i, 8);
        h = (h ^ word) * 1099511628211u;
        h ^= h >> 31;
    }
    return h;
}

/** Every PE learns what its areas must contain, from their owners. A difference is located by the
 *  owner. */
static void compare_areas(void)
{
    for (int pe = 0; pe < npes; pe++)
        shmem_uint64_p(&hashes[me], hash_of(mine_at(pe, 0)), pe);
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++)
        shmem_uint64_p(&wrong[me], hashes[pe] != hash_of(areas + (size_t)pe * AREA), pe);
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++)
        for (size_t at = 0; wrong[pe] && at < AREA; at += LARGEST / 2) {
            size_t n = AREA - at < LARGEST / 2 ? AREA - at : LARGEST / 2;
            shmem_getmem(scratch, there(at), n, pe);
            compare("the area", pe, at, scratch, n);
        }
    for (int pe = 0; pe < npes; pe++)
        CHECK(!wrong[pe], "seed %ld round %d: an area on PE %d was wrong for a time", seed,
              round_no, pe);
}

/** The totals of counters and tickets; each round starts from the totals before it. */
static void compare_totals(void)
{
    static uint64_t before[COUNTERS], before_tickets;
    size_t n = (size_t)npes * (COUNTERS + 2);
    shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, totals, added, n);
    const uint64_t *mine = totals + (size_t)me * (COUNTERS + 2);
    for (int k = 0; k < COUNTERS; k++) {
        before[k] += mine[k];
        CHECK(counters[k] == before[k], "seed %ld round %d: counter %d is %llu, not %llu", seed,
              round_no, k, (unsigned long long)counters[k], (unsigned long long)before[k]);
    }
    uint64_t taken = mine[COUNTERS];
    CHECK(mine[COUNTERS + 1] == taken * before_tickets + taken * (taken - (taken > 0)) / 2,
          "seed %ld round %d: %llu tickets have another sum", seed, round_no,
          (unsigned long long)taken);
    CHECK(tickets == (before_tickets += taken), "seed %ld round %d: tickets were lost", seed,
          round_no);
    memset(added, 0, n * sizeof *added);
    shmem_sync_all();
}

/** Data and a signal to another PE, which often sleeps in its wait by then. */
static void pass_signals(void)
{
    uint64_t data[64];
    int shift = round_no % npes, to = (me + shift) % npes, from = (me + npes - shift) % npes;
    for (int i = 0; i < 64; i++)
        data[i] = (uint64_t)round_no << 32 | (uint64_t)me << 16 | (uint64_t)i;
    if (draw(8) == 0)
        usleep((useconds_t)draw(5000));
    shmem_put64_signal(payload, data, 64, &signals, (uint64_t)round_no + 1, SHMEM_SIGNAL_SET, to);
    shmem_signal_wait_until(&signals, SHMEM_CMP_EQ, (uint64_t)round_no + 1);
    for (int i = 0; i < 64; i++)
        CHECK(payload[i] == ((uint64_t)round_no << 32 | (uint64_t)from << 16 | (uint64_t)i),
              "seed %ld round %d: word %d behind the signal is %llx", seed, round_no, i,
              (unsigned long long)payload[i]);
    shmem_barrier_all();
}

static void take_lock(void)
{
    shmem_set_lock(&lock);
    uint64_t n = shmem_uint64_g(&behind_lock, npes - 1);
    shmem_uint64_p(&behind_lock, n + 1, npes - 1);
    shmem_quiet();
    shmem_clear_lock(&lock);
    locked_count += (uint64_t)npes;
    shmem_barrier_all();
    CHECK(me != npes - 1 || behind_lock == locked_count, "seed %ld round %d: %llu of %llu times",
          seed, round_no, (unsigned long long)behind_lock, (unsigned long long)locked_count);
    shmem_barrier_all();
}

static void renew_contexts(void)
{
    for (int w = 1; w < CONTEXTS; w++) {
        if (ways[w].ctx != SHMEM_CTX_INVALID)
            shmem_ctx_destroy(ways[w].ctx);
        REQUIRE(shmem_ctx_create(w == 1 ? 0 : SHMEM_CTX_PRIVATE, &ways[w].ctx) == 0, "no context");
    }
    shmem_team_t team = SHMEM_TEAM_INVALID;
    REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, (npes + 1) / 2, NULL, 0, &team) == 0 ||
                npes == 1,
            "no team");
    if (team != SHMEM_TEAM_INVALID) {
        shmem_team_sync(team);
        shmem_team_destroy(team);
    }
}

// ---------------------------------------------------------------- resources
/** What travels together leaves while its PE makes no call, too, by connections that a node opens
 *  when it first happens. */
static void leave_alone(void)
{
    static uint64_t heard, collected;
    int to = (me + npes / 2) % npes, from = (me + npes - npes / 2) % npes;
    for (int i = 0; i < 64; i++)
        shmem_uint64_atomic_inc(&collected, to);
    for (bool notified = false; !notified || __atomic_load_n(&heard, __ATOMIC_ACQUIRE) == 0;) {
        if (!notified && __atomic_load_n(&collected, __ATOMIC_ACQUIRE) == 64) {
            shmem_uint64_p(&heard, 1, from);
            notified = true;
        }
        usleep(100);
    }
    shmem_barrier_all();
}

static void check_resources(void)
{
    if (round_no <= SETTLED)
        return;
    resources_t now = resources();
    check_flat(&settled, &now, round_no - SETTLED);
    long mine[4] = {settled.descriptors, settled.kib, now.descriptors, now.kib};
    memcpy(usage, mine, sizeof usage);
    shmem_long_max_reduce(SHMEM_TEAM_WORLD, usage_most, usage, 4);
}

static void one_round(void)
{
    if (round_no % 16 == 0)
        renew_contexts();
    for (int i = 0; i < OPERATIONS; i++)
        operate();
    all_complete();
    pass_signals();
    compare_areas();
    compare_totals();
    if (round_no % 5 == 0)
        take_lock();
    if (round_no == SETTLED) {
        leave_alone();
        settled = resources();
    }
}

static void *allocate(size_t nbytes)
{
    void *p = shmem_calloc(nbytes, 1);
    REQUIRE(p, "the heap is too small for %zu bytes", nbytes);
    return p;
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? atol(argv[1]) : 1;
    double seconds = argc > 2 ? atof(argv[2]) : 5, start = now_s();
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)random_word();
    random_state ^= (uint64_t)seed * 0x9e3779b97f4a7c15u ^ (uint64_t)(me + 1) << 20;
    areas = allocate((size_t)npes * AREA);
    hashes = allocate((size_t)npes * sizeof *hashes);
    wrong = allocate((size_t)npes * sizeof *wrong);
    added = allocate((size_t)npes * (COUNTERS + 2) * sizeof *added);
    totals = allocate((size_t)npes * (COUNTERS + 2) * sizeof *totals);
    model = calloc((size_t)npes, AREA);
    last = calloc((size_t)npes * BLOCKS, sizeof *last);
    REQUIRE(model && last, "no memory");
    ways[0].ctx = SHMEM_CTX_DEFAULT;
    ways[1].ctx = ways[2].ctx = SHMEM_CTX_INVALID;
    do {
        one_round();
        more = me == 0 && now_s() - start < seconds;
        shmem_int_max_reduce(SHMEM_TEAM_WORLD, &more_everywhere, &more, 1);
        round_no++;
    } while (more_everywhere);
    check_resources();
    if (me == 0)
        printf("storm: seed %ld: %d rounds, %llu operations a PE, %d PEs; descriptors %ld, %ld; "
               "memory %ld, %ld KiB\n",
               seed, round_no, (unsigned long long)operations, npes, usage_most[0], usage_most[2],
               usage_most[1], usage_most[3]);
    int failed = checks_failed;
    shmem_finalize();
    return failed > 0;
}
