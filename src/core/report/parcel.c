// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers texts on PE 0 through the pages of the deadlock report, and compares clocks.
#include "core/report/parcel.h"

#include <stdlib.h>

#include "base/clock.h"
#include "core/coll/coll.h"
#include "core/path/contact.h"
#include "core/port/port.h"
#include "core/progress/wait.h"
#include "core/report/report.h"
#include "core/world/job.h"

enum { CLOCK_ROUNDS = 8 };

// Pieces are numbered over all gatherings, each of which begins at a number that all PEs know: so
// PE 0 reads no word back that it put, since between nodes a read may pass a put.
#define PIECES_BITS 40u
static uint64_t gatherings;  // begun

static struct {
    bool known;
    int64_t ns;
} offset;  // of this PE's clock, for statistics and trace

static bool is_here(int pe)
{
    return cw_world.node_of_pe[pe] == cw_world.node;
}

void cw_parcel_open(void)
{
    cw_report_slot_t *mine = cw_report_slot(cw_world.slot);
    gatherings = 0;
    offset.known = false;
    atomic_store(&mine->taken, 0);
    atomic_store(&mine->ask, 0);
    atomic_store(&mine->measured, 0);
    atomic_store(&mine->filled, 0);
    atomic_store(&mine->replied, 0);
}

// ---------------------------------------------------------------- PE 0 and the words of other PEs

static uint64_t offset_of(int pe, size_t field)
{
    return cw_report_offset(cw_world.slot_of_pe[pe]) + field;
}

/** Reads from the page of any PE, with acquire: a word that is read brings what its owner wrote
 *  before it. */
static void read_slot(int pe, size_t field, void *dest, size_t nbytes)
{
    cw_node_read(cw_world.node_of_pe[pe], offset_of(pe, field), dest, nbytes);
}

static void write_word(int pe, size_t field, uint64_t value)
{
    if (is_here(pe)) {
        char *at = (char *)cw_report_slot(cw_world.slot_of_pe[pe]) + field;
        __atomic_store_n((uint64_t *)(void *)at, value, __ATOMIC_SEQ_CST);  // pairs with await_word
        cw_wake(pe);
        return;
    }
    cw_node_put(cw_world.node_of_pe[pe], offset_of(pe, field), &value, sizeof value);
}

/** Waits until a word that the page's owner writes has reached the value. */
static void await_owner(int pe, size_t field, uint64_t value)
{
    uint64_t seen = 0;
    cw_wait_t w = CW_WAIT_INIT("statistics of another PE");
    for (read_slot(pe, field, &seen, sizeof seen); seen < value;
         read_slot(pe, field, &seen, sizeof seen))
        cw_wait_round(&w);
    cw_wait_done(&w);
}

/** The word is named: while a PE's turn has not come, arrivals for the others do not wake it. */
static void await_word(const _Atomic uint64_t *word, uint64_t value)
{
    cw_wait_t w = CW_WAIT_FOR("PE 0 to take the statistics", word, sizeof *word);
    while (atomic_load_explicit(word, memory_order_acquire) < value)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

// ---------------------------------------------------------------- texts

size_t cw_parcel_from_text(void *arg, char *text, size_t capacity)
{
    cw_parcel_text_t *t = arg;
    size_t n = t->nbytes < capacity ? t->nbytes : capacity;
    memcpy(text, t->text, n);
    t->text += n;
    t->nbytes -= n;
    return n;
}

static void hand_over(uint64_t piece, cw_parcel_source_fn *source, void *arg)
{
    cw_report_slot_t *mine = cw_report_slot(cw_world.slot);
    size_t n;
    do {
        n = source(arg, mine->text, sizeof mine->text);
        mine->nbytes = n;
        atomic_store(&mine->filled, ++piece);  // release: pairs with read_slot
        cw_wake(cw_world.leader_of_node[cw_world.node]);
        await_word(&mine->taken, piece);
    } while (n);
}

static void take_from(int pe, uint64_t piece, cw_parcel_sink_fn *sink, void *arg)
{
    char *text = malloc(CW_REPORT_TEXT);
    uint64_t nbytes;
    if (!text)
        cwu_fatal("out of memory for the statistics of PE %d", pe);
    do {
        await_owner(pe, offsetof(cw_report_slot_t, filled), ++piece);
        read_slot(pe, offsetof(cw_report_slot_t, nbytes), &nbytes, sizeof nbytes);
        if (nbytes > CW_REPORT_TEXT)
            cwu_fatal("PE %d handed over %llu bytes of statistics at once", pe,
                      (unsigned long long)nbytes);
        if (nbytes) {
            read_slot(pe, offsetof(cw_report_slot_t, text), text, nbytes);
            sink(arg, text, nbytes);
        }
        write_word(pe, offsetof(cw_report_slot_t, taken), piece);
    } while (nbytes);
    free(text);
}

void cw_parcel_gather(cw_parcel_source_fn *source, void *source_arg, cw_parcel_sink_fn *sink,
                      void *sink_arg)
{
    uint64_t before = ++gatherings << PIECES_BITS;
    char text[4096];
    if (cw_world.pe != 0) {
        hand_over(before, source, source_arg);
        return;
    }
    for (size_t n; (n = source(source_arg, text, sizeof text)) != 0;)
        sink(sink_arg, text, n);
    for (int pe = 1; pe < cw_world.npes; pe++)
        take_from(pe, before, sink, sink_arg);
}

// ---------------------------------------------------------------- clocks

static bool one_clock(int pe)
{
    return is_here(pe) || cw_boot.one_machine;
}

/** The other PE's clock less mine. */
static int64_t measure(int pe)
{
    int64_t offset = 0;
    uint64_t quickest = UINT64_MAX;
    for (uint64_t round = 1; round <= CLOCK_ROUNDS; round++) {
        uint64_t clock, before = cwu_now_ns();
        write_word(pe, offsetof(cw_report_slot_t, ask), round);
        await_owner(pe, offsetof(cw_report_slot_t, replied), round);
        uint64_t after = cwu_now_ns();
        read_slot(pe, offsetof(cw_report_slot_t, clock), &clock, sizeof clock);
        if (after - before < quickest) {
            quickest = after - before;
            offset = (int64_t)(clock - before - (after - before) / 2);
        }
    }
    return offset;
}

static int64_t reply_until_measured(void)
{
    cw_report_slot_t *mine = cw_report_slot(cw_world.slot);
    uint64_t done = 0, wanted;
    cw_wait_t w = CW_WAIT_INIT("PE 0 to compare clocks");
    while (!atomic_load_explicit(&mine->measured, memory_order_acquire)) {
        if ((wanted = atomic_load_explicit(&mine->ask, memory_order_acquire)) == done) {
            cw_wait_round(&w);
            continue;
        }
        mine->clock = cwu_now_ns();
        atomic_store(&mine->replied, done = wanted);
    }
    cw_wait_done(&w);
    return (int64_t)atomic_load_explicit(&mine->origin, memory_order_relaxed);
}

/** PE 0 tells each PE. */
static int64_t measure_all(uint64_t origin_ns)
{
    for (int pe = 1; pe < cw_world.npes; pe++) {
        int64_t skew = one_clock(pe) ? 0 : measure(pe);
        write_word(pe, offsetof(cw_report_slot_t, origin), (uint64_t)(-(int64_t)origin_ns - skew));
        write_word(pe, offsetof(cw_report_slot_t, measured), 1);
    }
    return -(int64_t)origin_ns;
}

int64_t cw_parcel_clock_offset(uint64_t origin_ns)
{
    if (!offset.known)
        offset.ns = cw_world.pe ? reply_until_measured() : measure_all(origin_ns);
    offset.known = true;
    return offset.ns;
}
