// SPDX-License-Identifier: BSD-3-Clause
//
// A hash table spread over all nodes, changed and read by active messages. See README.md.
#define _POSIX_C_SOURCE 200809L
#define GASNET_SEQ 1
#include <gasnet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../number.h"

enum { INSERT = 128, INSERTED, LOOKUP, FOUND, REPORT };
enum { BATCH = 128 };  // keys per lookup message

typedef struct entry {
    uint64_t key, value;  // key 0: free
} entry_t;

typedef struct report {
    uint64_t entries, longest;  // of a node's part
} report_t;

static unsigned me, nodes;
static entry_t *table;  // this node's part
static uint64_t mask;
static report_t mine;
static uint64_t pending, wrong, reports;  // as table: changed by handlers, which run inside
                                          // this process's GASNet calls (SEQ)
static gasnet_seginfo_t *segments;

/** A bijection without a visible pattern. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/** Keys are numbered from 1, so none is 0. */
static uint64_t key_of(uint64_t number)
{
    return mix(number);
}

static uint64_t value_of(uint64_t key)
{
    return mix(key + 1);
}

static gasnet_node_t owner_of(uint64_t key)
{
    return (gasnet_node_t)((key >> 32) % nodes);
}

// ---------------------------------------------------------------- this node's part
/** The place where the key is or would be. */
static entry_t *place_of(uint64_t key, uint64_t *steps_p)
{
    uint64_t i = mix(key) & mask;
    for (*steps_p = 1; table[i].key && table[i].key != key; i = (i + 1) & mask)
        ++*steps_p;
    return &table[i];
}

// ---------------------------------------------------------------- handlers
#define HIGH(x) ((gasnet_handlerarg_t)((x) >> 32))
#define LOW(x) ((gasnet_handlerarg_t)(uint32_t)(x))
#define JOIN(high, low) ((uint64_t)(uint32_t)(high) << 32 | (uint32_t)(low))

static void insert(gasnet_token_t token, gasnet_handlerarg_t k1, gasnet_handlerarg_t k0,
                   gasnet_handlerarg_t v1, gasnet_handlerarg_t v0)
{
    uint64_t steps;
    entry_t *entry = place_of(JOIN(k1, k0), &steps);
    mine.entries += entry->key == 0;
    if (steps > mine.longest)
        mine.longest = steps;
    entry->key = JOIN(k1, k0);
    entry->value = JOIN(v1, v0);
    gasnet_AMReplyShort0(token, INSERTED);
}

static void inserted(gasnet_token_t token)
{
    (void)token;
    pending--;
}

/** Keys in, values out: 0 for a key that is not there. */
static void lookup(gasnet_token_t token, void *keys, size_t nbytes)
{
    entry_t reply[BATCH];
    size_t n = nbytes / sizeof(uint64_t);
    for (size_t i = 0; i < n; i++) {
        uint64_t steps;
        reply[i].key = ((const uint64_t *)keys)[i];
        const entry_t *entry = place_of(reply[i].key, &steps);
        reply[i].value = entry->key ? entry->value : 0;
    }
    gasnet_AMReplyMedium0(token, FOUND, reply, n * sizeof *reply);
}

static uint64_t first_absent;  // numbers from here on have not been inserted

static void found(gasnet_token_t token, void *reply, size_t nbytes)
{
    const entry_t *entry = reply;
    (void)token;
    for (size_t i = 0; i < nbytes / sizeof *entry; i++)
        wrong += entry[i].value != 0 && entry[i].value != value_of(entry[i].key);
    for (size_t i = 0; i < nbytes / sizeof *entry; i++)
        wrong += (entry[i].value == 0) != (first_absent != 0);
    pending--;
}

static void report(gasnet_token_t token, void *data, size_t nbytes)
{
    (void)token, (void)data;
    reports += nbytes == sizeof(report_t);
}

static gasnet_handlerentry_t handlers[] = {
    {INSERT, (void (*)())insert}, {INSERTED, (void (*)())inserted}, {LOOKUP, (void (*)())lookup},
    {FOUND, (void (*)())found},   {REPORT, (void (*)())report},
};

// ---------------------------------------------------------------- the phases
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/** Inserts numbers first + 1 ... first + count, each from one node. */
static void insert_all(uint64_t count)
{
    for (uint64_t number = me + 1; number <= count; number += nodes) {
        uint64_t key = key_of(number), value = value_of(key);
        pending++;
        gasnet_AMRequestShort4(owner_of(key), INSERT, HIGH(key), LOW(key), HIGH(value), LOW(value));
    }
    GASNET_BLOCKUNTIL(pending == 0);
    barrier();
}

/** Looks up numbers that another node has inserted, or none has, in one batch per owner at a
 *  time. */
static void lookup_all(uint64_t from, uint64_t count)
{
    uint64_t(*batch)[BATCH] = calloc(nodes, sizeof *batch);
    size_t *fill = calloc(nodes, sizeof *fill);
    for (uint64_t number = from + (me + 1) % nodes + 1; number <= from + count; number += nodes) {
        uint64_t key = key_of(number);
        gasnet_node_t owner = owner_of(key);
        batch[owner][fill[owner]++] = key;
        if (fill[owner] == BATCH) {
            pending++;
            fill[owner] = 0;
            gasnet_AMRequestMedium0(owner, LOOKUP, batch[owner], sizeof *batch);
        }
    }
    for (unsigned owner = 0; owner < nodes; owner++) {
        if (fill[owner] == 0)
            continue;
        pending++;
        gasnet_AMRequestMedium0(owner, LOOKUP, batch[owner], fill[owner] * sizeof(uint64_t));
    }
    GASNET_BLOCKUNTIL(pending == 0);
    barrier();
    free(batch);
    free(fill);
}

/** Every node sends its counts into node 0's segment by long messages. */
static uint64_t count_entries(uint64_t *longest_p)
{
    gasnet_AMRequestLong0(0, REPORT, &mine, sizeof mine, (report_t *)segments[0].addr + me);
    uint64_t entries = 0;
    *longest_p = 0;
    if (me == 0) {
        GASNET_BLOCKUNTIL(reports == nodes);
        const report_t *all = segments[0].addr;
        for (unsigned node = 0; node < nodes; node++) {
            entries += all[node].entries;
            if (all[node].longest > *longest_p)
                *longest_p = all[node].longest;
        }
    }
    barrier();
    return entries;
}

int main(int argc, char **argv)
{
    gasnet_init(&argc, &argv);
    nodes = gasnet_nodes();
    me = gasnet_mynode();
    const uint64_t count = argc > 1 ? (uint64_t)whole_number(argv[1], 1, 1L << 32) : 100000;
    uintptr_t segment = (nodes * sizeof(report_t) / GASNET_PAGESIZE + 1) * GASNET_PAGESIZE;
    if (gasnet_attach(handlers, sizeof handlers / sizeof *handlers, segment, 0) != GASNET_OK)
        gasnet_exit(1);
    if (count < 1 || argc > 2) {
        fprintf(stderr, "usage: hash_table [entries, 1 to 2^32]\n");
        gasnet_exit(2);
    }
    for (mask = 1024; mask < 4 * (count / nodes + 1);)
        mask *= 2;
    table = calloc(mask--, sizeof *table);
    segments = calloc(nodes, sizeof *segments);
    if (!table || !segments) {
        fprintf(stderr, "hash_table: no memory for %llu entries\n", (unsigned long long)count);
        gasnet_exit(1);
    }
    gasnet_getSegmentInfo(segments, (int)nodes);
    barrier();
    double start = now();
    insert_all(count);
    double inserts = now() - start;
    lookup_all(0, count);
    double lookups = now() - start - inserts;
    first_absent = count;
    lookup_all(count, count < 10000 ? count : 10000);
    uint64_t longest, entries = count_entries(&longest);
    wrong += me == 0 && entries != count;
    if (wrong)
        printf("node %u: FAILED: %llu values or counts were wrong\n", me,
               (unsigned long long)wrong);
    fflush(stdout);
    barrier();
    if (me == 0) {
        printf("%llu entries, longest search %llu steps\n", (unsigned long long)entries,
               (unsigned long long)longest);
        printf("inserts: %.3f M/s one by one; lookups: %.3f M/s, %d a message\n",
               (double)count / inserts * 1e-6, (double)count / lookups * 1e-6, BATCH);
        printf(
            "RESULT program=hash_table pes=%u verified=%s seconds=%.6f rate=%.6f unit=Minsert/s\n",
            nodes, wrong ? "no" : "yes", inserts, (double)count / inserts * 1e-6);
    }
    gasnet_exit(wrong != 0);
    return 1;
}
