// SPDX-License-Identifier: BSD-3-Clause
//
// The words of the deadlock report. Addresses are offsets in a slice, the same on every PE, so PE 0
// names variables of all.
#include "core/report/report_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/output.h"
#include "base/symbol.h"
#include "core/mem/layout.h"
#include "core/mem/segment.h"

static void put_place(FILE *out, const cw_report_wait_t *r)
{
    const cwt_layout_t *l = &cw_segment.layout;
    char name[128];
    size_t distance;
    uint64_t in_heap = r->at - l->heap_offset;
    if (r->at < l->data_nbytes) {
        if (!cwu_symbol_data((const void *)(cw_segment.origin + r->at), name, sizeof name,
                             &distance))
            fprintf(out, "static data +%#" PRIx64, r->at);
        else if (distance)
            fprintf(out, "%s+%#zx", name, distance);
        else
            fputs(name, out);
    } else if (in_heap < CW_COLL_SCRATCH) {
        fputs("a word of the library", out);
    } else if (in_heap < l->heap_nbytes) {
        fprintf(out, "heap +%#" PRIx64, in_heap - CW_COLL_SCRATCH);
    } else {
        fprintf(out, "private memory");
    }
}

static void put_number(FILE *out, const cw_report_wait_t *r, int64_t value)
{
    if (r->is_unsigned)
        fprintf(out, "%" PRIu64, (uint64_t)value);
    else
        fprintf(out, "%" PRId64, value);
}

static void put_word(FILE *out, const cw_report_wait_t *r)
{
    static const char *const comparisons[8] = {"", "==", ">", ">=", "<", "<=", "!=", ""};
    put_place(out, r);
    fputs(" is ", out);
    put_number(out, r, r->seen);
    fprintf(out, ", wanted %s ", comparisons[r->cmp & 7]);
    put_number(out, r, r->want);
    if (r->nelems > 1)
        fprintf(out, " (word %" PRIu64 " of %" PRIu64 ")", r->index, r->nelems);
}

static bool waits_for_lock(const cw_report_wait_t *r, uint64_t at)
{
    return r->kind == CW_WAIT_LOCK && r->at == at;
}

/** Follows the queue from a waiter to the one before it: the PE that does not wait for the lock
 *  holds it. */
static void put_lock(FILE *out, const cw_report_wait_t *waits, const cw_report_wait_t *r)
{
    int pe = r->behind, steps = 0;
    while (pe >= 0 && pe < cw_world.npes && waits_for_lock(&waits[pe], r->at) &&
           steps++ < cw_world.npes)
        pe = waits[pe].behind;
    fputs("lock ", out);
    put_place(out, r);
    fprintf(out, ", held by PE %d", pe);
    if (pe != r->behind)
        fprintf(out, " (in the queue behind PE %d)", r->behind);
}

/** Has the PE of r come to the synchronisation of all PEs that `mine` waits in? PEs that end
 *  synchronise apart. */
static bool has_come(const cw_report_wait_t *r, const cw_report_wait_t *mine)
{
    if (mine->ending)
        return r->ending;
    return r->kind == CW_WAIT_WORLD && !r->ending && (int32_t)(r->number - mine->number) >= 0;
}

/** PEs as ranges: "2, 5-7". */
static void put_missing(FILE *out, const cw_report_wait_t *waits, const cw_report_wait_t *mine)
{
    const char *comma = "";
    if (mine->ending)
        fputs("the end of all PEs; not there: ", out);
    else
        fprintf(out, "synchronisation %" PRIu32 " of all PEs; not there: ", mine->number);
    for (int pe = 0, last; pe < cw_world.npes; pe = last + 1) {
        for (last = pe; last < cw_world.npes && !has_come(&waits[last], mine); last++)
            ;
        if (last == pe)
            continue;
        fprintf(out, last - pe > 1 ? "%sPE %d-%d" : "%sPE %d", comma, pe, last - 1);
        comma = ", ";
    }
    if (!*comma)
        fputs("no PE known", out);
}

static void put_line(FILE *out, const cw_report_wait_t *waits, int pe)
{
    const cw_report_wait_t *r = &waits[pe];
    fprintf(out,
            "causeway: deadlock: PE %d (node %d, host %.63s, pid %d) has waited %.0f s in %.63s: ",
            pe, cw_world.node_of_pe[pe], r->host, r->pid, (double)r->waited_ns / 1e9, r->call);
    if (r->kind == CW_WAIT_WORD)
        put_word(out, r);
    else if (r->kind == CW_WAIT_LOCK)
        put_lock(out, waits, r);
    else if (r->kind == CW_WAIT_WORLD)
        put_missing(out, waits, r);
    else
        fputs(r->detail[0] ? r->detail : "other PEs", out);
    fputc('\n', out);
}

void cw_report_print(const cw_report_wait_t *waits, uint64_t patience_ns, bool may_err, bool end)
{
    CWU_DECIMAL_POINT();
    char *text = NULL;
    size_t nbytes = 0;
    FILE *out = open_memstream(&text, &nbytes);
    if (!out)
        return;
    fprintf(out,
            "causeway: deadlock: all %d PEs have waited longer than %" PRIu64
            " s (CAUSEWAY_DEADLOCK); %s%s\n",
            cw_world.npes, patience_ns / 1000000000u,
            end ? "this ends the job (CAUSEWAY_DEADLOCK_ACTION=abort)" : "the job goes on waiting",
            may_err ? ", for other threads of the program may be at work" : "");
    for (int pe = 0; pe < cw_world.npes; pe++)
        put_line(out, waits, pe);
    fclose(out);
    if (text)
        cwu_write(text, nbytes);
    free(text);
}
