// SPDX-License-Identifier: BSD-3-Clause
//
// The message layer: messages of every size in every order, to all and to oneself, floods that the
// receiver is slow to take; broadcasts, reductions and selections in all scopes and types.
#include <armci.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"

enum { PROCS_MOST = 64, FLOOD = 2000, LARGE = 3 << 20 };

static int me, nprocs;

static unsigned char byte_of(int from, int tag, size_t at)
{
    return (unsigned char)((size_t)from * 37 + (size_t)tag * 11 + at * 7 + at / 251);
}

static void fill(unsigned char *bytes, size_t n, int from, int tag)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = byte_of(from, tag, i);
}

static void check_bytes(const unsigned char *bytes, size_t n, int from, int tag)
{
    size_t bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += bytes[i] != byte_of(from, tag, i);
    CHECK(bad == 0, "%zu of %zu bytes from %d, tag %d", bad, n, from, tag);
}

/** A ring in each direction, one process at a time begins: no send depends on a buffer. */
static void sizes(void)
{
    static const int list[] = {0, 1, 8, 3968, 3969, 16320, 100000, LARGE};
    unsigned char *out = malloc(LARGE), *in = malloc(LARGE);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int sender = 0; sender < nprocs; sender++) {
            int n = list[i], tag = (int)i - 3, came = -1;
            fill(out, (size_t)n, sender, tag);
            for (int proc = 0; proc < nprocs && me == sender; proc++)
                armci_msg_snd(tag, out, n, proc);
            memset(in, 0, (size_t)n);
            armci_msg_rcv(tag, in, LARGE, &came, sender);
            CHECK(came == n);
            check_bytes(in, (size_t)n, sender, tag);
        }
    free(out);
    free(in);
}

/** All send to process 0 at once, small and large in turns, while it does something else. */
static void flood(void)
{
    unsigned char bytes[5000];
    armci_msg_barrier();
    if (me != 0) {
        for (int i = 0; i < FLOOD; i++) {
            int n = i % 100 == 7 ? 5000 : i % 50;
            fill(bytes, (size_t)n, me, i);
            armci_msg_snd(5, bytes, n, 0);
        }
        return;
    }
    usleep(20000);
    int next[PROCS_MOST] = {0};
    for (int i = 0; i < FLOOD * (nprocs - 1); i++) {
        int n = -1, from = armci_msg_rcvany(5, bytes, sizeof bytes, &n);
        REQUIRE(from > 0 && from < nprocs);
        int number = next[from]++;
        CHECK(n == (number % 100 == 7 ? 5000 : number % 50), "message %d of %d: %d bytes", number,
              from, n);
        check_bytes(bytes, (size_t)n, from, number);
    }
}

/** Bytes that this process has in memory, of the node's shared memory too. */
static size_t resident(void)
{
    unsigned long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file && fscanf(file, "%lu %lu", &all, &here) == 2);
    fclose(file);
    return here * (size_t)sysconf(_SC_PAGESIZE);
}

/** What a process does not receive stays with its sender, also while the process takes messages
 *  of others. */
static void backlog(void)
{
    enum { MESSAGES = 4000, NBYTES = 3900 };
    unsigned char *bytes = calloc(1, NBYTES);
    int last = nprocs - 1, go = 0;
    armci_msg_barrier();
    if (me == 0 && nprocs > 2) {
        size_t before = resident();
        armci_msg_rcv(6, &go, sizeof go, NULL, last);
        size_t grown = resident() - before;
        const char *sanitizer = getenv("CAUSEWAY_TEST_SANITIZE");
        CHECK(grown < 4 << 20 || (sanitizer && *sanitizer), "%zu KiB more", grown >> 10);
        for (int i = 0; i < MESSAGES; i++)
            armci_msg_rcv(5, bytes, NBYTES, NULL, 1);
    }
    for (int i = 0; i < MESSAGES && me == 1 && nprocs > 2; i++)
        armci_msg_snd(5, bytes, NBYTES, 0);
    if (me == last && nprocs > 2) {
        usleep(50000);
        armci_msg_snd(6, &go, sizeof go, 0);
    }
    free(bytes);
}

/** Tags are taken in another order than they were sent in; one tag in the order sent. */
static void tags(void)
{
    int next = (me + 1) % nprocs, before = (me + nprocs - 1) % nprocs;
    for (int i = 0; i < 60; i++)
        armci_msg_snd(i % 3, &i, sizeof i, next);
    for (int tag = 2; tag >= 0; tag--)
        for (int i = tag; i < 60; i += 3) {
            int got = -1;
            armci_msg_rcv(tag, &got, sizeof got, NULL, before);
            CHECK(got == i, "tag %d: %d instead of %d", tag, got, i);
        }
}

static void broadcasts(void)
{
    static const int list[] = {0, 1, 240, 241, 5000, 2 << 20};
    unsigned char *bytes = malloc(2 << 20);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int root = 0; root < nprocs; root += root < 2 || nprocs < 4 ? 1 : nprocs - 3) {
            memset(bytes, 0xee, (size_t)list[i]);
            if (me == root)
                fill(bytes, (size_t)list[i], root, 1);
            armci_msg_bcast(bytes, list[i], root);
            check_bytes(bytes, (size_t)list[i], root, 1);
        }
    int up, left, right, root;
    for (int scope = SCOPE_ALL; scope <= SCOPE_MASTERS; scope += 2) {
        if (scope == SCOPE_ALL + 2)
            continue;
        armci_msg_bintree(scope, &root, &up, &left, &right);
        int value = me == root ? 4711 + scope : -1, takes_part = me == root || up >= 0;
        armci_msg_bcast_scope(scope, &value, sizeof value, root);
        CHECK(value == (takes_part ? 4711 + scope : -1));
        for (int child = left; child >= 0; child = child == left ? right : -1)
            armci_msg_snd(scope, &me, sizeof me, child);
        if (up >= 0) {
            int parent = -1;
            armci_msg_rcv(scope, &parent, sizeof parent, NULL, up);
            CHECK(parent == up);
        }
    }
    int value = armci_domain_glob_proc_id(0, armci_domain_my_id(0), 0) == me ? me : -5;
    armci_msg_clus_brdcst(&value, sizeof value);
    CHECK(value == armci_domain_glob_proc_id(0, armci_domain_my_id(0), 0));
    free(bytes);
}

#define REDUCTIONS(letter, type)                                                            \
    static void reductions_##letter(int n)                                                  \
    {                                                                                       \
        type *x = malloc((size_t)n * sizeof *x);                                            \
        static char *ops[] = {"+", "*", "min", "max", "absmin", "absmax"};                  \
        for (int op = 0; op < 6; op++) {                                                    \
            for (int i = 0; i < n; i++)                                                     \
                x[i] = (type)(op == 1 ? 1 + (me == i % nprocs) : i % 5 - me - 1);           \
            armci_msg_##letter##gop(x, n, ops[op]);                                         \
            int bad = 0;                                                                    \
            for (int i = 0; i < n; i++) {                                                   \
                int lowest = i % 5 - nprocs, highest = i % 5 - 1, near = lowest, far;       \
                far = abs(lowest) > abs(highest) ? abs(lowest) : abs(highest);              \
                near = lowest <= 0 && highest >= 0                                          \
                           ? 0                                                              \
                           : (abs(lowest) < abs(highest) ? abs(lowest) : abs(highest));     \
                int want[] = {nprocs * (i % 5) - nprocs * (nprocs + 1) / 2, 2, lowest, highest, \
                              near, far};                                                   \
                bad += x[i] != (type)want[op];                                              \
            }                                                                               \
            CHECK(bad == 0, #letter "gop %s: %d of %d", ops[op], bad, n);                   \
        }                                                                                   \
        free(x);                                                                            \
    }
REDUCTIONS(i, int)
REDUCTIONS(l, long)
REDUCTIONS(ll, long long)
REDUCTIONS(f, float)
REDUCTIONS(d, double)

static void reductions(void)
{
    for (int n = 1; n <= 300000; n = n == 1 ? 33 : n * 95) {
        reductions_i(n);
        reductions_d(n);
    }
    reductions_l(100);
    reductions_ll(100);
    reductions_f(100);
    int bits = 1 << me % 20, all = 0;
    for (int proc = 0; proc < nprocs; proc++)
        all |= 1 << proc % 20;
    armci_msg_igop(&bits, 1, "or");
    CHECK(bits == all);
    double third = 1.0 / (me + 3), first;
    armci_msg_dgop(&third, 1, "+");  // the same bits on all
    first = third;
    armci_msg_bcast(&first, sizeof first, 0);
    CHECK(memcmp(&first, &third, sizeof first) == 0);
    int x = 1;
    armci_msg_reduce(&x, 1, "+", ARMCI_INT);
    CHECK(x == (me == 0 ? nprocs : 1));
    x = 1;
    armci_msg_clus_igop(&x, 1, "+");
    CHECK(x == armci_domain_nprocs(0, -1));
    x = 1;
    armci_msg_gop_scope(SCOPE_MASTERS, &x, 1, "+", ARMCI_INT);
    int is_master = armci_domain_glob_proc_id(0, armci_domain_my_id(0), 0) == me;
    CHECK(x == (is_master ? armci_domain_count(0) : 1));
    x = 1;
    armci_msg_reduce_scope(SCOPE_NODE, &x, 1, "+", ARMCI_INT);
    CHECK(x == (is_master ? armci_domain_nprocs(0, -1) : 1));
}

/** Fortran callers pass an operation with whatever lies behind it. */
static void without_end(void)
{
    static const char *const ops[] = {"+",  "*",   "min", "max",  "absmin", "absmax", "or",  "|",
                                      "||", "lor", "bor", "land", "&&",     "&",      "band"},
                             *const behind[] = {"+", "*max", "absmin", "min", "or", " ", "\xff"};
    for (size_t op = 0; op < sizeof ops / sizeof *ops; op++)
        for (size_t b = 0; b < sizeof behind / sizeof *behind; b++) {
            char ended[16], text[16];
            int want = 6 - 5 * me, x = want;
            snprintf(ended, sizeof ended, "%s", ops[op]);
            snprintf(text, sizeof text, "%s%s", ops[op], behind[b]);
            armci_msg_igop(&want, 1, ended);
            armci_msg_igop(&x, 1, text);
            CHECK(x == want, "%s: %d, and %d with an end", text, x, want);
        }
    int first = me, last = me;
    armci_msg_sel(&first, sizeof first, (char *)"minmax", ARMCI_INT, 1);
    armci_msg_sel(&last, sizeof last, (char *)"max+", ARMCI_INT, 1);
    CHECK(first == 0 && last == nprocs - 1, "%d and %d", first, last);
}

/** Names that are the same as others, or combine the processes of this node. */
static void other_names(void)
{
    int root = nprocs - 1, same = 0, sum = 1;
    long number = me == root ? 77 : 0, ones = 1;
    CHECK(mp_group_name && *mp_group_name);
    long long long_ones = 1;
    float halves = 0.5f;
    double thirds = 0.25, since = armci_timer();
    armci_msg_brdcst(&number, sizeof number, root);
    CHECK(number == 77);
    for (int proc = 0; proc < nprocs; proc++) {
        CHECK(!armci_sameclusnode(proc) == !ARMCI_Same_node(proc), "process %d", proc);
        same += armci_sameclusnode(proc) != 0;
    }
    CHECK(armci_sameclusnode(me) && same == armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1));
    armci_msg_clus_igop(&sum, 1, (char *)"+");
    armci_msg_clus_lgop(&ones, 1, (char *)"+");
    armci_msg_clus_llgop(&long_ones, 1, (char *)"+");
    armci_msg_clus_fgop(&halves, 1, (char *)"+");
    armci_msg_clus_dgop(&thirds, 1, (char *)"+");
    CHECK(sum == same && ones == same && long_ones == same, "%d %ld %lld of %d", sum, ones,
          long_ones, same);
    CHECK(halves == 0.5f * (float)same && thirds == 0.25 * same, "%g %g", (double)halves, thirds);
    double now = armci_timer();
    CHECK(now > since && now - since < 100, "%g s", now - since);
}

static void selections(void)
{
    struct {
        double value;
        int where, more[1500];
    } x;
    for (int size = 16; size <= (int)sizeof x; size += (int)sizeof x - 16)
        for (int max = 0; max <= 1; max++) {
            memset(&x, 0, sizeof x);
            x.value = fabs(me - nprocs / 2.0 + 0.25);
            x.where = me;
            int best = -1;
            for (int proc = 0; proc < nprocs; proc++) {  // odd ones contribute, unless alone
                double a = fabs(proc - nprocs / 2.0 + 0.25), b = fabs(best - nprocs / 2.0 + 0.25);
                if ((proc % 2 || nprocs == 1) && (best < 0 || (max ? a > b : a < b)))
                    best = proc;
            }
            armci_msg_sel(&x, size, max ? "max" : "min", ARMCI_DOUBLE, me % 2 || nprocs == 1);
            CHECK(x.where == best, "%d instead of %d", x.where, best);
        }
}

static void addresses(void)
{
    void *ptr[PROCS_MOST] = {NULL};
    ptr[me] = (char *)(uintptr_t)0x7f0012345000 + me;
    armci_exchange_address(ptr, nprocs);
    for (int proc = 0; proc < nprocs; proc++)
        CHECK(ptr[proc] == (char *)(uintptr_t)0x7f0012345000 + proc);
}

int main(int argc, char **argv)
{
    armci_msg_init(&argc, &argv);
    me = armci_msg_me();
    nprocs = armci_msg_nproc();
    REQUIRE(ARMCI_Initialized() == 0);
    REQUIRE(ARMCI_Init() == 0 && ARMCI_Initialized() == 1);
    check_as("process", me, nprocs);
    sizes();
    flood();
    backlog();
    tags();
    broadcasts();
    reductions();
    without_end();
    other_names();
    selections();
    addresses();
    ARMCI_Finalize();
    armci_msg_barrier();
    armci_msg_finalize();
    return check_result();
}
