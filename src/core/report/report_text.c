// SPDX-License-Identifier: BSD-3-Clause
//
// The words of the deadlock report. Addresses are offsets in a slice, the same on every PE, so PE 0
// names variables of all.
#include "core/report/report_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/output.h"
#include "base/symbol.h"
#include "core/mem/area.h"
#include "core/mem/layout.h"
#include "core/mem/segment.h"
#include "core/report/waits.h"
#include "core/world/front_end.h"

#define LINE_NBYTES 1024u  // of a PE in the report, on average at most

/** Text that grows up to its room. */
typedef struct out {
    char *text;
    size_t used, room;
} out_t;

static CW_PRINTF(2, 3) void put(out_t *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(out->text + out->used, out->room - out->used, fmt, args);
    va_end(args);
    size_t left = out->room - out->used - 1;
    if (n > 0)
        out->used += (size_t)n < left ? (size_t)n : left;
}

static void put_place(out_t *out, const cw_report_wait_t *r)
{
    const cwt_layout_t *l = &cw_segment.layout;
    cwu_variable_t variable;
    uint64_t in_heap = r->at - l->heap_offset;
    if (r->at < l->data_nbytes) {
        if (!cwu_symbol_variable((const void *)(cw_segment.origin + r->at), &variable) ||
            variable.distance >= variable.nbytes)
            put(out, "static data +%#" PRIx64, r->at);
        else if (variable.distance)
            put(out, "%s+%#zx", variable.name, variable.distance);
        else
            put(out, "%s", variable.name);
    } else if (in_heap < CW_COLL_SCRATCH) {
        put(out, "a word of the library");
    } else if (in_heap < l->heap_nbytes - cw_area_nbytes()) {
        put(out, "heap +%#" PRIx64, in_heap - CW_COLL_SCRATCH);
    } else if (in_heap < l->heap_nbytes) {
        put(out, "allocated memory");
    } else {
        put(out, "private memory");
    }
}

static void put_number(out_t *out, const cw_report_wait_t *r, int64_t value)
{
    if (r->is_unsigned)
        put(out, "%" PRIu64, (uint64_t)value);
    else
        put(out, "%" PRId64, value);
}

static void put_word(out_t *out, const cw_report_wait_t *r)
{
    static const char *const comparisons[8] = {"", "==", ">", ">=", "<", "<=", "!=", ""};
    put_place(out, r);
    put(out, " is ");
    put_number(out, r, r->seen);
    put(out, ", wanted %s ", comparisons[r->cmp & 7]);
    put_number(out, r, r->want);
    if (r->nelems > 1)
        put(out, " (word %" PRIu64 " of %" PRIu64 ")", r->index, r->nelems);
}

/** "PE 3", or as the program calls it, "image 4". */
static void put_pe(out_t *out, int pe)
{
    put(out, "%s %d", cw_pe_word(), cw_pe_number(pe));
}

static bool is_in_slice(const cw_report_wait_t *r)
{
    const cwt_layout_t *l = &cw_segment.layout;
    return r->at < l->data_nbytes ||
           (r->at - l->heap_offset >= CW_COLL_SCRATCH && r->at - l->heap_offset < l->heap_nbytes);
}

/** A symmetric one by its variable, else the PE that has it. */
static void put_lock_name(out_t *out, const cw_report_wait_t *r)
{
    const cwt_layout_t *l = &cw_segment.layout;
    if (r->at < l->data_nbytes || r->at - l->heap_offset < l->heap_nbytes - cw_area_nbytes()) {
        put(out, "lock ");
        put_place(out, r);
        return;
    }
    put(out, "a lock of ");
    put_pe(out, (int)r->index);
}

static bool waits_for_same(const cw_report_wait_t *r, const cw_report_wait_t *other)
{
    return r->kind == CW_WAIT_LOCK && r->at == other->at && r->index == other->index;
}

/** Follows the queue from a waiter to the one before it: the PE that does not wait for the lock
 *  holds it. If none is found, one that holds it has joined its own queue. */
static void put_lock(out_t *out, const cw_report_wait_t *waits, const cw_report_wait_t *r)
{
    int pe = r->behind, steps = 0;
    while (pe >= 0 && pe < cw_world.npes && waits_for_same(&waits[pe], r) &&
           steps++ < cw_world.npes)
        pe = waits[pe].behind;
    put_lock_name(out, r);
    if (steps > cw_world.npes) {
        put(out, ", behind ");
        put_pe(out, r->behind);
        put(out,
            " in a queue that has no end: one %s of it holds the lock already, and a lock is not "
            "recursive",
            cw_pe_word());
        return;
    }
    put(out, ", held by ");
    put_pe(out, pe);
    if (pe != r->behind) {
        put(out, " (in the queue behind ");
        put_pe(out, r->behind);
        put(out, ")");
    }
}

bool cw_report_has_come(const cw_report_wait_t *r, const cw_report_wait_t *mine)
{
    if (mine->ending)
        return r->ending;
    return r->kind == CW_WAIT_WORLD && !r->ending && (int32_t)(r->number - mine->number) >= 0;
}

/** PEs as ranges: "2, 5-7". */
static void put_missing(out_t *out, const cw_report_wait_t *waits, const cw_report_wait_t *mine)
{
    const char *comma = "";
    if (mine->ending)
        put(out, "the end of all %ss; not there: ", cw_pe_word());
    else
        put(out, "synchronisation %" PRIu32 " of all %ss; not there: ", mine->number, cw_pe_word());
    for (int pe = 0, last; pe < cw_world.npes; pe = last + 1) {
        for (last = pe; last < cw_world.npes && !cw_report_has_come(&waits[last], mine); last++)
            ;
        if (last == pe)
            continue;
        put(out, "%s", comma);
        put_pe(out, pe);
        if (last - pe > 1)
            put(out, "-%d", cw_pe_number(last - 1));
        comma = ", ";
    }
    if (!*comma)
        put(out, "no %s known", cw_pe_word());
}

/** That is waited for, and another one that is there. */
static void put_message(out_t *out, const cw_report_wait_t *r)
{
    put(out, "a message with tag %" PRId64 " of ", r->want);
    if (r->behind < 0)
        put(out, "any %s", cw_pe_word());
    else
        put_pe(out, r->behind);
    if (r->index == 0) {
        put(out, "; none waits here");
        return;
    }
    put(out, "; here wait%s %" PRIu64 ", ", r->index == 1 ? "s" : "", r->index);
    put(out, r->index == 1 ? "of " : "one of them of ");
    put_pe(out, r->seen_pe);
    put(out, " with tag %" PRId64 " and %" PRIu64 " bytes", r->seen, r->nelems);
}

/** A variable of the program by its name; one that was allocated has none. */
static void put_event(out_t *out, const cw_report_wait_t *r)
{
    put(out, "an event");
    if (r->at < cw_segment.layout.data_nbytes) {
        put(out, ", ");
        put_place(out, r);
        put(out, ",");
    }
    put(out, " has %" PRId64 " post%s, %" PRId64 " are wanted", r->seen, r->seen == 1 ? "" : "s",
        r->want);
}

static void put_notice(out_t *out, const cw_report_wait_t *r)
{
    put(out, "notification %" PRId64 " of ", r->want);
    put_pe(out, r->behind);
    put(out, ", which has sent %" PRId64, r->seen);
}

static void put_partner(out_t *out, int pe)
{
    put_pe(out, pe);
    put(out, ", which has not come to its synchronisation with this %s", cw_pe_word());
}

/** The kinds whose words need no other PE's wait. False: it is none of them. */
static bool put_own(out_t *out, const cw_report_wait_t *r)
{
    if (r->kind == CW_WAIT_MESSAGE)
        put_message(out, r);
    else if (r->kind == CW_WAIT_EVENT)
        put_event(out, r);
    else if (r->kind == CW_WAIT_PARTNER)
        put_partner(out, r->behind);
    else if (r->kind == CW_WAIT_NOTICE)
        put_notice(out, r);
    else
        return false;
    return true;
}

static void put_line(out_t *out, const cw_report_wait_t *waits, int pe)
{
    const cw_report_wait_t *r = &waits[pe];
    char where[CW_WAITS_WHERE], number[24] = "";
    if (cw_pe_number(pe) != pe)
        snprintf(number, sizeof number, "PE %d, ", pe);
    put(out, "causeway: deadlock: %s %d (%snode %d, host %.63s, pid %d) has waited %.0f s in %s: ",
        cw_pe_word(), cw_pe_number(pe), number, cw_world.node_of_pe[pe], r->host, r->pid,
        (double)r->waited_ns / 1e9, cw_waits_where(r, "", where, sizeof where));
    if (r->kind == CW_WAIT_WORD)
        put_word(out, r);
    else if (r->kind == CW_WAIT_LOCK)
        put_lock(out, waits, r);
    else if (r->kind == CW_WAIT_WORLD)
        put_missing(out, waits, r);
    else if (put_own(out, r))
        ;
    else if (r->detail[0])
        put(out, "%s", r->detail);
    else
        put(out, "other %ss", cw_pe_word());
    put(out, "\n");
}

void cw_report_print(const cw_report_wait_t *waits, uint64_t patience_ns, bool may_err, bool end)
{
    CWU_DECIMAL_POINT();
    size_t room = ((size_t)cw_world.npes + 1) * LINE_NBYTES;
    out_t report = {.text = malloc(room), .room = room}, *out = &report;
    if (!report.text)
        return;
    put(out,
        "causeway: deadlock: all %d %ss have waited longer than %" PRIu64
        " s (CAUSEWAY_DEADLOCK); %s%s\n",
        cw_world.npes, cw_pe_word(), patience_ns / 1000000000u,
        end ? "this ends the job (CAUSEWAY_DEADLOCK_ACTION=abort)" : "the job goes on waiting",
        may_err ? ", for other threads of the program may be at work" : "");
    for (int pe = 0; pe < cw_world.npes; pe++)
        put_line(out, waits, pe);
    cwu_write(report.text, report.used);
    free(report.text);
}

void cw_report_print_cycle(const cw_report_wait_t *waits, const int *pes, int npes, bool may_err,
                           bool end)
{
    CWU_DECIMAL_POINT();
    size_t room = ((size_t)npes + 1) * LINE_NBYTES;
    out_t report = {.text = malloc(room), .room = room}, *out = &report;
    if (!report.text)
        return;
    put(out, "causeway: deadlock: %d of %d %ss wait for each other; %s%s\n", npes, cw_world.npes,
        cw_pe_word(),
        end ? "this ends the job (CAUSEWAY_DEADLOCK_ACTION=abort)" : "the job goes on",
        may_err ? ", for other threads of the program may be at work" : "");
    for (int i = 0; i < npes; i++)
        put_line(out, waits, pes[i]);
    cwu_write(report.text, report.used);
    free(report.text);
}

void cw_report_describe(const cw_report_wait_t *r, char *text, size_t nbytes)
{
    out_t out = {.text = text, .room = nbytes};
    *text = '\0';
    if (r->kind == CW_WAIT_WORLD && r->ending)
        put(&out, "the end of all %ss", cw_pe_word());
    else if (r->kind == CW_WAIT_WORLD)
        put(&out, "synchronisation %" PRIu32 " of all %ss", r->number, cw_pe_word());
    else if (r->kind == CW_WAIT_LOCK) {
        put_lock_name(&out, r);
        if (r->behind == cw_world.pe) {
            put(&out, ", which this %s holds itself already (a lock is not recursive)",
                cw_pe_word());
        } else {
            put(&out, ", in the queue behind ");
            put_pe(&out, r->behind);
        }
    } else if (put_own(&out, r))
        ;
    else if (r->kind == CW_WAIT_WORD && is_in_slice(r))
        put_word(&out, r);
    else if (is_in_slice(r)) {
        put_place(&out, r);
        if (r->nbytes)
            put(&out, " is %" PRId64, r->seen);
    } else if (r->certain)
        put(&out, "other %ss", cw_pe_word());
    else
        put(&out, "the network");
}
