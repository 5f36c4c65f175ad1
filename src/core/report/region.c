// SPDX-License-Identifier: BSD-3-Clause
//
// The region of this PE, and the figures of other rooms.
#include "core/report/region.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "base/pages.h"
#include "core/mem/heap.h"
#include "core/port/ctx.h"
#include "core/progress/arrivals.h"
#include "core/progress/wait.h"
#include "core/server/server.h"
#include "core/world/job.h"

cw_view_t cw_mine;
static int users;
static uint64_t nbytes;

/** `before` and the path behind it, absolute. */
static void put_path(char text[CW_PATH_NBYTES], const char *before, const char *path)
{
    char folder[CW_PATH_NBYTES / 2] = "";
    bool relative = *path != '/' && getcwd(folder, sizeof folder);
    snprintf(text, CW_PATH_NBYTES, "%s%s%s%s", before, folder, relative ? "/" : "", path);
}

static void describe(cw_record_t *r, uint64_t capacity)
{
    const char *stats = cwu_env.stats ? cwu_env.stats : "";
    r->nbytes = nbytes;
    r->pe = cw_world.pe;
    r->npes = cw_world.npes;
    r->nnodes = cw_world.nnodes;
    r->node = cw_world.node;
    r->slot = cw_world.slot;
    r->pid = (int32_t)getpid();
    r->begin_ns = cw_startup_begin_ns();
    r->capacity = capacity;
    gethostname(r->host, sizeof r->host - 1);
    ssize_t n = readlink("/proc/self/exe", r->program, sizeof r->program - 1);
    r->program[n > 0 ? n : 0] = '\0';
    if (cw_stats_path(stats))
        put_path(r->stats, stats[0] == 'h' ? "html:" : "json:", cw_stats_path(stats));
    else
        snprintf(r->stats, sizeof r->stats, "%s", stats);
    if (cwu_env.trace)
        put_path(r->trace, "", cwu_env.trace);
    r->magic = CW_RECORD_MAGIC;
}

/** oshrun's object has room for all PEs, and none of it has memory yet. An earlier epoch of this PE
 *  may have used its part. */
static void *lent(void)
{
    if (cw_boot.records_fd <= 0 || nbytes > CWB_RECORD_NBYTES)
        return MAP_FAILED;
    void *at = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, cw_boot.records_fd,
                    (off_t)((uint64_t)cw_world.pe * CWB_RECORD_NBYTES));
    if (at != MAP_FAILED)
        cwu_pages_drop(at, nbytes);
    return at;
}

int cw_region_open(void)
{
    if (users++)
        return CW_OK;
    uint64_t capacity = cwu_env.trace ? (uint64_t)cwu_env.trace_events : 0;
    nbytes = cw_record_nbytes(cw_world.npes, capacity);
    void *at = lent();
    if (at == MAP_FAILED)
        at = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        users = 0;
        cwu_error("out of memory for statistics of %d peers and %llu trace events "
                  "(CAUSEWAY_TRACE_EVENTS)",
                  cw_world.npes, (unsigned long long)capacity);
        return CW_ENOMEM;
    }
    cwu_pages_dump(at, nbytes, false);
    describe(at, capacity);
    cw_record_view(at, nbytes, &cw_mine);
    return CW_OK;
}

void cw_region_close(void)
{
    if (!users || --users)
        return;
    munmap(cw_mine.head, nbytes);
    memset(&cw_mine, 0, sizeof cw_mine);
}

// ---------------------------------------------------------------- figures

static void take_memory(cw_figures_t *f)
{
    struct rusage usage;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    f->rss = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    f->peak_rss = getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
    // the kernel brings the maximum up to date now and then
    f->peak_rss = f->peak_rss > f->rss ? f->peak_rss : f->rss;
}

int cw_nodes_touched(void)
{
    int nodes = 0;
    for (int n = 0; cw_port_default.conn && n < cw_world.nnodes; n++)
        nodes += cw_port_default.conn[n] != NULL;
    return nodes;
}

/** The counts as they are: this may be in the middle of a wait, with the port's lock. */
CW_LOCK_UNCHECKED static void take_bundles(cw_figures_t *f)
{
    f->bundles = cw_bundles.collect.stats;
}

void cw_figures_take(void)
{
    cw_figures_t *f = &cw_mine.head->figures;
    cwt_stats_t server = {0};
    atomic_store_explicit(&cw_mine.head->last_ns, cwu_now_ns(), memory_order_relaxed);
    take_memory(f);
    cw_heap_stats(&f->heap);
    cw_port_stats(&f->client);
    take_bundles(f);
    if (cw_server_serves()) {  // before, its thread opens it
        cw_server_stats(&server);
        cw_forwarding_stats(&f->forwarding);
    }
    f->server = server;
    f->woken = cw_wait_counts.woken;
    f->late = cw_wait_counts.late;
    f->nodes_touched = cw_nodes_touched();
    for (cw_phase_t phase = 0; phase < CW_PHASES; phase++)
        f->startup_ns[phase] = cw_startup_ns(phase);
    snprintf(f->exchange, sizeof f->exchange, "%s", cw_startup_exchange_name());
    snprintf(f->fabric, sizeof f->fabric, "%s", cw_startup_fabric_name());
    snprintf(f->launcher, sizeof f->launcher, "%s", cw_boot.ops->name);
    snprintf(f->arrivals, sizeof f->arrivals, "%s", cw_arrivals_name());
}
