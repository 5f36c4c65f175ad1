// SPDX-License-Identifier: BSD-3-Clause
//
// A job that ends early writes no statistics and no trace itself. Its PEs kept them in an object of
// oshrun, which is what they were when each process ended, killed or not.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bootstrap/bootstrap.h"
#include "core/report/record.h"
#include "oshrun.h"

typedef struct records {
    cw_view_t *views;
    int n;
} records_t;

/** A PE's part of the object, or its first bytes; NULL: it cannot be mapped. */
static void *map_part(const run_t *run, int pe, uint64_t nbytes)
{
    void *at = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, run->records_fd,
                    (off_t)((uint64_t)pe * CWB_RECORD_NBYTES));
    return at == MAP_FAILED ? NULL : at;
}

static bool find_one(const run_t *run, int pe, cw_view_t *view_p)
{
    const cw_record_t *head = map_part(run, pe, sizeof *head);
    uint64_t nbytes = head && head->magic == CW_RECORD_MAGIC ? head->nbytes : 0;
    if (head)
        munmap((void *)(uintptr_t)head, sizeof *head);
    void *at = nbytes && nbytes <= CWB_RECORD_NBYTES ? map_part(run, pe, nbytes) : NULL;
    if (!at || !cw_record_view(at, nbytes, view_p))
        return false;
    cw_record_t *r = view_p->head;
    r->stats[sizeof r->stats - 1] = r->trace[sizeof r->trace - 1] = '\0';
    r->host[sizeof r->host - 1] = '\0';
    return r->pe == pe && r->npes == run->opt.npes && !r->is_packed;
}

/** The records that PEs have begun, in their order. One machine, one clock: the first one's start
 *  is zero. */
static void find(const run_t *run, records_t *all)
{
    all->n = 0;
    all->views = calloc((size_t)run->opt.npes, sizeof *all->views);
    for (int pe = 0; all->views && pe < run->opt.npes; pe++)
        all->n += find_one(run, pe, &all->views[all->n]);
    for (int i = 0; i < all->n; i++)
        all->views[i].head->offset_ns = -(int64_t)all->views[0].head->begin_ns;
}

/** Says how it went. */
static void close_file(FILE *out, const char *path, const char *what)
{
    bool failed = !out || ferror(out);
    if ((out && fclose(out)) || failed)
        say("cannot write the %s of the PEs to %s: %s", what, path, strerror(errno));
    else
        say("the job has ended early: the %s until then %s in %s", what,
            strcmp(what, "trace") ? "are" : "is", path);
}

static void write_statistics(const records_t *all, const char *setting)
{
    const char *path = cw_stats_path(setting);
    FILE *out = cw_report_file(path);
    if (out)
        cw_stats_file_begin(out, setting, &all->views[0], true);
    for (int i = 0; out && i < all->n; i++)
        cw_stats_json_pe(out, &all->views[i], i == 0);
    if (out)
        cw_stats_file_end(out, setting);
    close_file(out, path, "statistics");
}

static void print_text(const records_t *all, bool page_wanted)
{
    cw_page_t *page = page_wanted ? cw_page_new() : NULL;
    for (int i = 0; i < all->n; i++) {
        if (page)
            cw_page_add(page, &all->views[i]);
        else if (all->views[i].head->stats_state == CW_RECORD_OPEN)
            cw_stats_text(stderr, &all->views[i]);
    }
    if (page)
        cw_page_print(stderr, page, true);
    cw_page_free(page);
}

static void write_trace(const records_t *all, const char *path)
{
    static char piece[16384];
    FILE *out = cw_report_file(path);
    if (out)
        cw_trace_begin(out);
    for (int i = 0; out && i < all->n; i++) {
        cw_trace_text_t text;
        cw_trace_text_open(&text, &all->views[i], all->views[i].head->offset_ns, i == 0);
        for (size_t n; (n = cw_trace_text_next(&text, piece, sizeof piece)) != 0;)
            fwrite(piece, 1, n, out);
    }
    if (out)
        cw_trace_end(out);
    close_file(out, path, "trace");
}

void recover_records(const run_t *run)
{
    records_t all;
    if (!run->records_fd)
        return;
    find(run, &all);
    const cw_record_t *r = all.n ? all.views[0].head : NULL;
    if (r && r->stats_state == CW_RECORD_OPEN) {
        if (cw_stats_path(r->stats))
            write_statistics(&all, r->stats);
        else
            print_text(&all, strcmp(r->stats, "pes") != 0);
    }
    if (r && r->trace_state == CW_RECORD_OPEN)
        write_trace(&all, r->trace);
    free(all.views);
}
