// SPDX-License-Identifier: BSD-3-Clause
//
//     armci_storm SEED SECONDS
//
// Random ARMCI operations between all processes, checked against a model, until the time is over.
// Each process has an area on every process that no other one changes, by puts, rows, segments,
// values, flags, accumulates and atomics, with and without waiting and aggregated. They take effect
// in the order of the calls, so each get is compared at once, and all areas by their owners at the
// end of a round. What all share is compared by totals: sums of accumulates, tickets, swapped
// values, what mutexes guard. Data travels in rings behind notifications and flags, and as
// messages. Blocks and groups come and go. Descriptors and memory must stay as they are after the
// first rounds.
//
// A failure names seed and round; the same arguments on the same layout draw the same operations.
#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <sched.h>
#include <stdbool.h>

#include "frame/check.h"
#include "frame/random.h"
#include "frame/usage.h"

enum {
    PROCS_MOST = 64,
    WORDS = 2048,     // of one process's area on another
    OPERATIONS = 60,  // of a round
    HANDLES = 4,
    SUMS = 128,
    MUTEXES = 2,
    RING = 64,
    SETTLED = 48  // rounds after which resources must not grow
};

/** What each process has; its areas are behind it. */
typedef struct block {
    long tickets, swapped, guarded[MUTEXES];
    double sums[SUMS];
    long hashes[PROCS_MOST], wrong[PROCS_MOST];  // of the areas, by the owners of these
    long ring[RING], flagged[RING];
    int flag;
    long areas[];  // [nprocs][WORDS]
} block_t;

/** What this process did to another one's shared words in this round. */
typedef struct added {
    double sums[SUMS];
    long tickets, ticket_sum, swapped_in, swapped_out, guarded[MUTEXES];
} added_t;
enum { LONGS = 4 + MUTEXES };

static int me, nprocs, round_no;
static long seed;
static unsigned long operations;
static void *blocks[PROCS_MOST];
static long model[PROCS_MOST][WORDS], noise[2 * WORDS], got[2 * WORDS], snapshot[WORDS];
static added_t added[PROCS_MOST];
static armci_hdl_t handles[HANDLES];  // of puts whose sources never change

static block_t *at(int proc)
{
    return blocks[proc];
}

static long *area(int proc)
{
    return at(proc)->areas + (size_t)me * WORDS;
}

/** Some words that never change. */
static long *some(size_t n)
{
    return noise + draw(2 * WORDS - n + 1);
}

static size_t some_words(size_t most)
{
    size_t n = 1 + draw((uint64_t)1 << (1 + draw(11)));
    return n < most ? n : most;
}

static armci_hdl_t *some_handle(void)
{
    return draw(4) ? &handles[draw(HANDLES)] : NULL;
}

static void compare(const char *what, int proc, size_t from, const long *have, const long *want,
                    size_t n)
{
    size_t i = 0;
    while (i < n && have[i] == want[i])
        i++;
    REQUIRE(i == n,
            "seed %ld round %d: %s of %zu words at %zu on process %d: word %zu is %ld, not %ld",
            seed, round_no, what, n, from, proc, i, have[i], want[i]);
}

// ---------------------------------------------------------------- the area of one process
static void put(int proc)
{
    size_t n = some_words(WORDS), to = draw(WORDS - n + 1);
    long *src = some(n);
    if (draw(2))
        ARMCI_Put(src, area(proc) + to, (armci_size_t)(n * 8), proc);
    else
        ARMCI_NbPut(src, area(proc) + to, (armci_size_t)(n * 8), proc, some_handle());
    memcpy(model[proc] + to, src, n * 8);
}

static void put_value(int proc)
{
    size_t to = draw(WORDS);
    long value = *some(1);
    ARMCI_PutValueLong(value, area(proc) + to, proc);
    model[proc][to] = value;
}

/** Rows of `row` words at every other place, in planes. */
typedef struct rows {
    size_t row, n, planes, to, plane;  // words
    int count[3], src_stride[2], dst_stride[2];
} rows_t;

static rows_t some_rows(void)
{
    rows_t r = {.row = 1 + draw(draw(4) ? 6 : 150), .planes = 1 + draw(3)};
    size_t most = WORDS / r.planes / (2 * r.row);
    r.n = 1 + draw(most ? most : 1);
    r.plane = 2 * r.row * r.n;
    r.to = draw(WORDS - r.planes * r.plane + 1);
    r.count[0] = (int)r.row * 8, r.count[1] = (int)r.n, r.count[2] = (int)r.planes;
    r.src_stride[0] = r.count[0], r.src_stride[1] = r.count[0] * r.count[1];
    r.dst_stride[0] = 2 * r.count[0], r.dst_stride[1] = (int)r.plane * 8;
    return r;
}

/** One step of a model: dst = or += scale * src. */
static void apply(long *dst, const long *src, size_t n, long scale)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = scale ? dst[i] + scale * src[i] : src[i];
}

static void put_or_add_rows(int proc)
{
    rows_t r = some_rows();
    long *src = some(r.row * r.n * r.planes), *to = area(proc) + r.to,
         scale = draw(2) ? 0 : 1 + (long)draw(3);
    if (scale && draw(2))
        ARMCI_AccS(ARMCI_ACC_LNG, &scale, src, r.src_stride, to, r.dst_stride, r.count, 2, proc);
    else if (scale)
        ARMCI_NbAccS(ARMCI_ACC_LNG, &scale, src, r.src_stride, to, r.dst_stride, r.count, 2, proc,
                     some_handle());
    else if (draw(2))
        ARMCI_PutS(src, r.src_stride, to, r.dst_stride, r.count, 2, proc);
    else
        ARMCI_NbPutS(src, r.src_stride, to, r.dst_stride, r.count, 2, proc, some_handle());
    for (size_t p = 0; p < r.planes; p++)
        for (size_t i = 0; i < r.n; i++)
            apply(model[proc] + r.to + p * r.plane + 2 * i * r.row, src + (p * r.n + i) * r.row,
                  r.row, scale);
}

static void put_or_add_segments(int proc)
{
    void *from[24], *to[24];
    size_t n = 1 + draw(24), len = 1 + draw(40), places = WORDS / len, first = draw(places);
    long scale = draw(2) ? 0 : 1 + (long)draw(3);
    for (size_t i = 0; i < n && i < places; i++) {
        size_t where = (first + i) % places * len;
        from[i] = some(len);
        to[i] = area(proc) + where;
        apply(model[proc] + where, from[i], len, scale);
    }
    armci_giov_t iov = {.src_ptr_array = from,
                        .dst_ptr_array = to,
                        .ptr_array_len = (int)(n < places ? n : places),
                        .bytes = (int)len * 8};
    if (scale)
        ARMCI_AccV(ARMCI_ACC_LNG, &scale, &iov, 1, proc);
    else
        ARMCI_PutV(&iov, 1, proc);
}

static void add(int proc)
{
    size_t n = some_words(WORDS), to = draw(WORDS - n + 1);
    long *src = some(n), scale = 1 + (long)draw(3);
    ARMCI_Acc(ARMCI_ACC_LNG, &scale, src, area(proc) + to, (armci_size_t)(n * 8), proc);
    apply(model[proc] + to, src, n, scale);
}

static void change_atomically(int proc)
{
    size_t to = draw(WORDS);
    long value = *some(1), *have = &model[proc][to], old = value;
    bool swap = draw(2);
    int more = (int)draw(1000);
    ARMCI_Rmw(swap ? ARMCI_SWAP_LONG : ARMCI_FETCH_AND_ADD_LONG, &old, area(proc) + to, more, proc);
    compare(swap ? "swap" : "fetch-and-add", proc, to, &old, have, 1);
    *have = swap ? value : *have + more;
}

static void aggregate(int proc)
{
    armci_hdl_t hdl;
    size_t n = 1 + draw(40);
    ARMCI_INIT_HANDLE(&hdl);
    ARMCI_SET_AGGREGATE_HANDLE(&hdl);
    for (size_t i = 0; i < n; i++) {
        size_t to = draw(WORDS - 8), words = 1 + draw(8);
        long *src = some(words);
        if (draw(2)) {
            ARMCI_NbPutValueLong(*src, area(proc) + to, proc, &hdl);
            model[proc][to] = *src;
        } else {
            ARMCI_NbPut(src, area(proc) + to, (armci_size_t)words * 8, proc, &hdl);
            memcpy(model[proc] + to, src, words * 8);
        }
    }
    ARMCI_Wait(&hdl);
}

static void get(int proc)
{
    size_t n = some_words(WORDS), from = draw(WORDS - n + 1);
    ARMCI_Get(area(proc) + from, got, (armci_size_t)(n * 8), proc);
    compare("get", proc, from, got, model[proc] + from, n);
}

/** A get that is not waited for reads before what is put behind it. */
static void get_before_put(int proc)
{
    armci_hdl_t hdl;
    size_t n = some_words(WORDS), from = draw(WORDS - n + 1);
    ARMCI_INIT_HANDLE(&hdl);
    ARMCI_NbGet(area(proc) + from, got, (armci_size_t)(n * 8), proc, &hdl);
    memcpy(snapshot, model[proc] + from, n * 8);
    draw(2) ? put(proc) : put_or_add_rows(proc);
    ARMCI_Wait(&hdl);
    compare("get before a put", proc, from, got, snapshot, n);
}

static void get_rows(int proc)
{
    rows_t r = some_rows();
    ARMCI_GetS(area(proc) + r.to, r.dst_stride, got, r.src_stride, r.count, 2, proc);
    for (size_t p = 0; p < r.planes; p++)
        for (size_t i = 0; i < r.n; i++)
            compare("rows", proc, r.to, got + (p * r.n + i) * r.row,
                    model[proc] + r.to + p * r.plane + 2 * i * r.row, r.row);
}

// ---------------------------------------------------------------- what all share
/** Half of what all do goes to process 0. */
static int hot(int proc)
{
    return draw(2) ? 0 : proc;
}

static void add_to_sums(int proc)
{
    double src[SUMS], scale = 1 + (double)draw(4);
    size_t n = 1 + draw(SUMS / 2), to = draw(SUMS - 2 * n + 1);
    int dense = 8, gaps = 16, count[2] = {8, (int)n};
    proc = hot(proc);
    bool rows = draw(2);
    for (size_t i = 0; i < n; i++) {
        src[i] = (double)draw(100);
        added[proc].sums[to + (rows ? 2 * i : i)] += scale * src[i];
    }
    if (rows)
        ARMCI_AccS(ARMCI_ACC_DBL, &scale, src, &dense, at(proc)->sums + to, &gaps, count, 1, proc);
    else
        ARMCI_NbAcc(ARMCI_ACC_DBL, &scale, src, at(proc)->sums + to, (armci_size_t)n * 8, proc,
                    NULL);
}

static void take_ticket(int proc)
{
    long value = *some(1);
    proc = hot(proc);
    added_t *mine = &added[proc];
    if (draw(2)) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, &at(proc)->tickets, 1, proc);
        mine->tickets++;
        mine->ticket_sum += value;
        return;
    }
    mine->swapped_in += value;
    ARMCI_Rmw(ARMCI_SWAP_LONG, &value, &at(proc)->swapped, 0, proc);
    mine->swapped_out += value;
}

static void take_mutex(int proc)
{
    int mutex = (int)draw(MUTEXES);
    long value = 0;
    proc = hot(proc);
    long *word = &at(proc)->guarded[mutex];
    ARMCI_Lock(mutex, proc);
    ARMCI_Get(word, &value, sizeof value, proc);
    value++;
    ARMCI_Put(&value, word, sizeof value, proc);
    ARMCI_Unlock(mutex, proc);
    added[proc].guarded[mutex]++;
}

static void order(int proc)
{
    int handle = (int)draw(HANDLES);
    switch (draw(5)) {
    case 0:
        ARMCI_Fence(proc);
        break;
    case 1:
        ARMCI_AllFence();
        break;
    case 2:
        ARMCI_WaitProc(proc);
        break;
    case 3:
        ARMCI_Test(&handles[handle]);
        break;
    default:
        ARMCI_Wait(&handles[handle]);
    }
}

static void operate(void)
{
    static void (*const kinds[])(int) = {
        put,   put,         put_value,   put_or_add_rows, put_or_add_rows,   put_or_add_segments,
        add,   get,         get_rows,    get_before_put,  change_atomically, aggregate,
        order, add_to_sums, add_to_sums, take_ticket,     take_ticket,       take_mutex};
    kinds[draw(sizeof kinds / sizeof *kinds)]((int)draw((uint64_t)nprocs));
    operations++;
}

// ---------------------------------------------------------------- a round
static long hash_of(const long *words)
{
    unsigned long h = 1469598103934665603u;
    for (size_t i = 0; i < WORDS; i++) {
        h = (h ^ (unsigned long)words[i]) * 1099511628211u;
        h ^= h >> 31;
    }
    return (long)h;
}

/** Every process learns what its areas must contain, from their owners. A difference is located by
 *  the owner. */
static void compare_areas(void)
{
    block_t *mine = at(me);
    for (int proc = 0; proc < nprocs; proc++)
        ARMCI_PutValueLong(hash_of(model[proc]), &at(proc)->hashes[me], proc);
    ARMCI_Barrier();
    for (int proc = 0; proc < nprocs; proc++)
        ARMCI_PutValueLong(mine->hashes[proc] != hash_of(mine->areas + (size_t)proc * WORDS),
                           &at(proc)->wrong[me], proc);
    ARMCI_Barrier();
    for (int proc = 0; proc < nprocs; proc++) {
        if (!mine->wrong[proc])
            continue;
        ARMCI_Get(area(proc), got, WORDS * 8, proc);
        compare("the area", proc, 0, got, model[proc], WORDS);
        CHECK(false, "seed %ld round %d: an area on process %d was wrong for a time", seed,
              round_no, proc);
    }
}

static void compare_longs(long *sums, long *before)
{
    const block_t *mine = at(me);
    long tickets = sums[0], first = before[0];
    CHECK(sums[1] == tickets * first + tickets * (tickets - 1) / 2,
          "seed %ld round %d: %ld tickets have another sum", seed, round_no, tickets);
    CHECK(mine->tickets == (before[0] += tickets), "seed %ld round %d: tickets were lost", seed,
          round_no);
    CHECK(mine->swapped == (before[1] += sums[2] - sums[3]),
          "seed %ld round %d: swapped values were lost", seed, round_no);
    for (int m = 0; m < MUTEXES; m++)
        CHECK(mine->guarded[m] == (before[2 + m] += sums[4 + m]),
              "seed %ld round %d: %ld behind mutex %d, not %ld", seed, round_no, mine->guarded[m],
              m, before[2 + m]);
}

/** The totals of what all share; each round starts from those before it. */
static void compare_totals(void)
{
    static double sums[SUMS], before_sums[SUMS];
    static long longs[LONGS], before[LONGS];
    for (int proc = 0; proc < nprocs; proc++) {
        long words[LONGS] = {added[proc].tickets, added[proc].ticket_sum, added[proc].swapped_in,
                             added[proc].swapped_out};
        memcpy(words + 4, added[proc].guarded, sizeof added->guarded);
        armci_msg_dgop(added[proc].sums, SUMS, "+");
        armci_msg_lgop(words, LONGS, "+");
        if (proc == me) {
            memcpy(sums, added[proc].sums, sizeof sums);
            memcpy(longs, words, sizeof longs);
        }
    }
    for (int k = 0; k < SUMS; k++)
        CHECK(at(me)->sums[k] == (before_sums[k] += sums[k]),
              "seed %ld round %d: sum %d is %.0f, not %.0f", seed, round_no, k, at(me)->sums[k],
              before_sums[k]);
    compare_longs(longs, before);
    memset(added, 0, sizeof added);
    ARMCI_Barrier();
}

static void check_ring(const char *what, const long *words, int from)
{
    for (int i = 0; i < RING; i++)
        CHECK(words[i] == round_no * 100000L + from * 1000 + i,
              "seed %ld round %d: word %d behind the %s is %ld", seed, round_no, i, what, words[i]);
}

/** Data behind a notification, and behind a flag, to another process. */
static void pass_on(void)
{
    long data[RING];
    int shift = round_no % nprocs, to = (me + shift) % nprocs,
        from = (me + nprocs - shift) % nprocs, count[1] = {sizeof data}, came;
    volatile int *flag = &at(me)->flag;
    for (int i = 0; i < RING; i++)
        data[i] = round_no * 100000L + me * 1000 + i;
    ARMCI_Put(data, at(to)->ring, sizeof data, to);
    armci_notify(to);
    ARMCI_PutS_flag(data, NULL, at(to)->flagged, NULL, count, 0, &at(to)->flag, round_no + 1, to);
    armci_notify_wait(from, &came);
    check_ring("notification", at(me)->ring, from);
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != round_no + 1) {
        ARMCIX_Progress();
        sched_yield();
    }
    check_ring("flag", at(me)->flagged, from);
    ARMCI_Barrier();
}

/** Around the ring. Large ones wait for their receiver. */
static void pass_messages(void)
{
    int to = (me + 1) % nprocs, from = (me + nprocs - 1) % nprocs, n = (int)draw(WORDS), came;
    for (int turn = 0; turn < 2; turn++)
        if ((me == 0) == turn)
            armci_msg_snd(round_no, noise, n * 8, to);
        else
            armci_msg_rcv(round_no, got, sizeof got, &came, from);
    compare("message", from, 0, got, noise, (size_t)came / 8);
}

/** A group of every other process, with a block that it puts into. */
static void renew(void)
{
    ARMCI_Group group;
    int list[PROCS_MOST], n = 0;
    void *theirs[PROCS_MOST];
    for (int proc = round_no % 2; proc < nprocs; proc += 2)
        list[n++] = proc;
    ARMCI_Group_create(n, list, &group);
    if (me % 2 == round_no % 2) {
        size_t words = 1 + draw(50000);
        int rank, next;
        ARMCI_Group_rank(&group, &rank);
        next = (rank + 1) % n;
        REQUIRE(ARMCI_Malloc_group(theirs, (armci_size_t)words * 8, &group) == 0);
        ARMCI_PutValueLong(me, theirs[next], list[next]);
        ARMCI_AllFence();
        armci_msg_group_barrier(&group);
        CHECK(*(long *)theirs[rank] == list[(rank + n - 1) % n]);
        ARMCI_Free_group(theirs[rank], &group);
        ARMCI_Group_free(&group);
    }
    armci_msg_barrier();
}

static bool one_round(double until)
{
    for (int i = 0; i < OPERATIONS; i++)
        operate();
    pass_on();
    compare_areas();
    compare_totals();
    if (round_no % 4 == 0 && nprocs > 1)
        pass_messages();
    if (round_no % 8 == 0 && nprocs > 1)
        renew();
    int more = now_s() < until;
    armci_msg_bcast(&more, sizeof more, 0);
    round_no++;
    return more;
}

// ---------------------------------------------------------------- resources
static void check_resources(const resources_t *settled)
{
    resources_t now = resources();
    long most[4] = {settled->descriptors, settled->kib, now.descriptors, now.kib};
    if (round_no > SETTLED)
        check_flat(settled, &now, round_no - SETTLED);
    armci_msg_lgop(most, 4, "max");
    if (me == 0)
        printf("armci_storm: seed %ld: %d rounds, %lu operations a PE, %d PEs; descriptors %ld, "
               "%ld; memory %ld, %ld KiB\n",
               seed, round_no, operations, nprocs, most[0], most[2], most[1], most[3]);
}

static void begin(void)
{
    REQUIRE(ARMCI_Init() == 0);
    me = armci_msg_me(), nprocs = armci_msg_nproc();
    check_as("process", me, nprocs);
    REQUIRE(nprocs <= PROCS_MOST && ARMCI_Create_mutexes(MUTEXES) == 0);
    size_t nbytes = sizeof(block_t) + (size_t)nprocs * WORDS * 8;
    REQUIRE(ARMCI_Malloc(blocks, (armci_size_t)nbytes) == 0);
    memset(blocks[me], 0, nbytes);
    for (size_t i = 0; i < 2 * WORDS; i++)
        noise[i] = (long)draw(1 << 20);
    random_state ^= (uint64_t)seed * 0x9e3779b97f4a7c15u ^ (uint64_t)(me + 1) << 20;
    ARMCI_Barrier();
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? atol(argv[1]) : 1;
    double until = now_s() + (argc > 2 ? atof(argv[2]) : 5);
    resources_t settled = {0};
    begin();
    while (one_round(until))
        if (round_no == SETTLED)
            settled = resources();
    check_resources(&settled);
    ARMCI_Destroy_mutexes();
    ARMCI_Free(blocks[me]);
    int failed = checks_failed;
    ARMCI_Finalize();
    return failed > 0;
}
