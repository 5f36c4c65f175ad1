// SPDX-License-Identifier: BSD-3-Clause
//
// Init does local work and starts the bootstrap's fence; first uses of peers wait and connect.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env/names.h"
#include "base/machine.h"
#include "base/output.h"
#include "base/wait.h"
#include "core/am/private.h"
#include "core/bulk/stage.h"
#include "core/coll/describe.h"
#include "core/device/part.h"
#include "core/forward/forwarding.h"
#include "core/life/leave.h"
#include "core/life/life.h"
#include "core/life/lifeline.h"
#include "core/life/mpi.h"
#include "core/life/neighbour.h"
#include "core/life/unfinished.h"
#include "core/mem/foreign.h"
#include "core/mem/gather.h"
#include "core/mem/segment.h"
#include "core/mem/tables.h"
#include "core/observe/check.h"
#include "core/observe/watch.h"
#include "core/path/bundle.h"
#include "core/path/contact.h"
#include "core/port/ctx.h"
#include "core/progress/block_lock.h"
#include "core/progress/hooks.h"
#include "core/progress/wait.h"
#include "core/report/ask.h"
#include "core/report/crash.h"
#include "core/report/early.h"
#include "core/report/region.h"
#include "core/report/report.h"
#include "core/report/stats.h"
#include "core/report/trace.h"
#include "core/rma/rma.h"
#include "core/rma/routed.h"
#include "core/route/setting.h"
#include "core/server/server.h"
#include "core/sync/area.h"
#include "core/sync/group.h"
#include "core/sync/published.h"
#include "core/world/front_end.h"
#include "core/world/job.h"
#include "core/world/place.h"
#include "core/world/startup.h"
#include "transport/table.h"

static int init_count;

/** In the node object, in this order (core/mem/layout.h). */
static cw_section_t *const sections[] = {
    &cw_report_section,       &cw_coll_section,    &cw_steps_section,
    &cw_published_section,    &cw_block_section,   &cw_stage_section,
    &cw_routed_section,       &cw_flusher_section, &cw_am_section,
    &cw_routed_cells_section, &cw_bundle_section,  &cw_state_section,
    &cw_device_section,       &cw_tables_section,  NULL};

/** In the order of opening; the deadlock report depends on checking mode. */
static const cw_observer_t *const observers[] = {&cw_check_observer, &cw_stats_observer,
                                                 &cw_trace_observer, &cw_report_observer, NULL};

static noreturn void abort_job(int status, bool failed)
{
    cw_unfinished_abort(status);
    if (cw_boot.ops)
        cw_boot.ops->abort(&cw_boot, status, failed);
    _exit(status);
}

static void abort_failed(int status)
{
    abort_job(status, true);
}

static int choose_transport(void)
{
    cwt_delay_config_t delay = {
        .spec = cwu_env.delay, .job = cw_boot.job_id, .log = cwu_env.delay_log, .pe = cw_world.pe};
    return cwt_find(cwu_env.transport, delay.spec ? &delay : NULL, &cw_transport);
}

#define TRANSPORT_FILES 18  // of a transport's halves, beside connections

/** A server without a descriptor cannot let the process's own connections rest, so where
 *  descriptors are few those rest in time: they get what a connection of each other PE leaves; with
 *  somewhat less, one. With far less the job works only if few PEs communicate. */
static void limit_connections(void)
{
    long room = cwu_free_files() - TRANSPORT_FILES, out = cw_world.nnodes - 1,
         in = cw_world.hosts_server ? cw_world.npes - cw_world.nslots : 0;
    if (cwu_env.max_connections != 0 || room >= out + in || room < in - in / 3 || room < 2)
        return;
    cwu_env.max_connections = room > in ? room - in : 1;
    cwu_debug("few file descriptors (ulimit -n): %ld connections at a time",
              (long)cwu_env.max_connections);
}

/** A job without a network refuses wrong settings, too. */
static int check_network(void)
{
    uint64_t seed, max_ns;
    return cwu_env.delay ? cwt_delay_read(cwu_env.delay, &seed, &max_ns) : CW_OK;
}

static int open_network(void)
{
    if (cw_world.nnodes == 1)
        return check_network();
    cw_world.hosts_server = cw_world.slot == 0;
    limit_connections();
    int rc = choose_transport();
    if (rc == CW_OK && cw_world.hosts_server)
        cw_job_begin_load();
    cw_am_init();
    if (rc == CW_OK && cw_world.hosts_server)
        rc = cw_forwarding_open();
    if (rc == CW_OK)
        rc = cw_world.hosts_server ? cw_server_start(&cw_boot) : cw_job_fence_start();
    if (rc == CW_OK && cw_world.hosts_server)
        rc = cw_flusher_start();
    return rc;
}

/** When this node's PEs need nothing more of this one: all PEs may have to meet here. */
static int join_network(void)
{
    void *base = cw_world.hosts_server ? cw_segment.base : NULL;
    return cw_world.nnodes == 1
               ? CW_OK
               : cw_transport->join(&cw_segment.layout, base, cw_world.pe, cw_world.npes);
}

/** Where it may not, or shall not, stay under way. After all PEs of the node could start it. */
static int end_exchange_now(void)
{
    if (cw_world.nnodes == 1 || (!cw_boot.shared_wire && strcmp(cwu_env.exchange, "blocking") != 0))
        return CW_OK;
    cw_startup_exchange(CW_EXCHANGE_BLOCKING);
    int rc = cw_job_need_exchange();
    return rc || !cw_boot.shared_wire ? rc : cw_job_keep_records();
}

static int join(void)
{
    cwu_open_standard_files();
    cwu_env_load();
    cw_job_begin();
    int rc = cwb_open(&cw_boot);
    if (rc)
        return rc;
    cw_job_number();
    cw_world.pe = cw_boot.pe;
    cw_world.npes = cw_boot.npes;
    cwu_error_identity(cw_world.pe, cw_world.npes);
    cwu_error_abort_hook(abort_failed);
    if (cw_world.pe == 0)
        cwu_env_warn_unknown();
    cw_startup_launched(cw_boot.started_ns);
    if ((rc = cw_place()) ||
        (rc = cw_route_choose((uint32_t)cw_world.nnodes, (uint32_t)cw_world.npes)))
        return rc;
    uint64_t at = cw_startup_add(CW_PHASE_BOOTSTRAP, cw_startup_begin_ns());
    cw_world.nic_atomics = cw_world.nnodes > 1 && strcmp(cwu_env.atomics, "nic") == 0;
    if ((rc = cw_segment_init(&cw_boot, sections)) || (rc = cw_tables_open()) ||
        (rc = cw_watch_open(observers)) || (rc = cw_ctx_open()) || (rc = cw_routed_open()))
        return rc;
    cw_segment_mapped();
    cw_unfinished_open();
    cw_crash_open();
    cw_ask_open();
    cw_wait_init();
    cw_coll_choices_load();
    cw_groups_init();
    cw_gather_arrive(cw_words_gathered);
    cw_startup_add(CW_PHASE_NODE_OBJECT, at);
    // The slice is ready, which is all that the fence promises. Nothing is loaded and no thread
    // started earlier: that could write to static data while it moves.
    if ((rc = open_network()))
        return rc;
    if ((rc = cw_share_hand_out(&cw_boot)) || (rc = join_network()))
        return rc;
    if ((rc = end_exchange_now()) == CW_OK && strcmp(cwu_env.connect, "static") == 0)
        cw_ctx_connect_all();
    return rc;
}

bool cw_may_join(const char *call, int thread_level, const cw_area_request_t *area,
                 const char *name)
{
    size_t nbytes;
    if (cw_world.initialized && !cw_area(area, &nbytes)) {
        cwu_error("%s: the job was joined by %s without room for %s's memory, because nothing in "
                  "the program called %s when it started; call %s first",
                  call, cw_world.init_call, name, name, call);
        return false;
    }
    if (cw_world.initialized && cw_world.thread_level < thread_level) {
        cwu_error("%s: the job was joined with thread level %d, and %d is asked for", call,
                  cw_world.thread_level, thread_level);
        return false;
    }
    return true;
}

/** For the launcher's message about an end without leaving. */
static void count_front_end(const char *call, int change)
{
    cw_front_end_count(call, change);
    if (cw_boot.ops->tell)
        cw_boot.ops->tell(&cw_boot, cw_front_end_of(call)->init, cw_missing_finalize());
}

void cw_finalize_renamed(const char *call)
{
    count_front_end(call, 0);
}

int cw_init(int thread_level, const char *call)
{
    if (cw_world.initialized) {
        init_count++;
        count_front_end(call, 1);
        return CW_OK;
    }
    cw_world.thread_level = thread_level;
    cw_world.init_call = call;
    cw_world.thread_multiple = thread_level >= CW_THREAD_MULTIPLE;
    cw_startup_begin();
    int rc = join();
    if (rc)
        cwu_fatal_reported("initialisation", rc);
    init_count = 1;
    count_front_end(call, 1);
    cw_world.initialized = true;
    cw_world.finalized = false;
    atomic_store_explicit(&cw_world.leaving, false, memory_order_relaxed);
    cw_world.plain = !cw_world.observed;
    cw_startup_add(CW_PHASE_INIT, cw_startup_begin_ns());
    cw_watch_started(call);
    cwu_debug("joined by \"%s\": node %d of %d, place %d of %d in it; symmetric heap %llu bytes, "
              "static data %llu bytes",
              cw_boot.ops->name, cw_world.node, cw_world.nnodes, cw_world.slot, cw_world.nslots,
              (unsigned long long)cw_agreement.heap_nbytes,
              (unsigned long long)cw_agreement.data_nbytes);
    return CW_OK;
}

/** Serves PEs that have not come to the fence: only this one moves its server. */
static void serve_until_fence(const char *call)
{
    cw_wait_t w = CW_WAIT_DEAF(call);
    while (!cw_boot.ops->fence_test(&cw_boot))
        cw_wait_round(&w);
    cw_wait_done(&w);
}

/** Returns when no PE waits for a reply on this one's connections. */
static void leave_network(const char *call)
{
    atomic_store_explicit(&cw_world.leaving, true, memory_order_relaxed);
    cw_quiet_cold(&cw_ctx_default);
    cw_flusher_stop();  // its connections are to nodes that are there until the last fence
    cw_routed_stop();
    int rc = cw_job_end_exchange();
    if (rc == CW_OK)
        rc = cw_boot.ops->fence_nb(&cw_boot);
    if (rc == CW_ENOENT) {
        cw_leave_without_launcher(call);
        return;
    }
    if (rc == CW_OK && cw_progress_alone_serves())
        serve_until_fence(call);
    if (rc == CW_OK)
        rc = cw_boot.ops->fence_wait(&cw_boot);
    if (rc)
        cwu_fatal("the last fence of the job failed (%s)", cwu_error_name(rc));
}

static bool disbanded, has_met;  // cw_finalize need not meet, or not again

void cw_disband(void)
{
    disbanded = true;
}

void cw_finalize_meets(const char *call)
{
    has_met = true;
    CW_WATCH(cw_watch_call(call));
    cw_early_ending = true;
    if (init_count == 1)
        cw_early_finalizes(call);
    cw_farewell(init_count == 1);
    cw_early_has_met();
    cw_early_ending = false;
}

void cw_finalize(const char *call)
{
    if (!cw_world.initialized)
        cw_check_failed(call, "called %s %s", cw_world.finalized ? "after" : "before",
                        cw_world.finalized ? cw_front_end_of(call)->finalize
                                           : cw_front_end_of(call)->init);
    if (!disbanded && !has_met)
        cw_finalize_meets(call);
    has_met = false;
    if (--init_count > 0) {
        count_front_end(call, -1);
        return;
    }
    cw_early_ending = true;
    if (cw_foreign)
        cw_foreign->leave();
    if (!disbanded)
        cw_watch_finish();
    cw_am_fini();
    cw_ctx_destroy_all();
    cwu_debug("leaving the job; connections to %d nodes", cw_nodes_touched());
    if (cw_world.nnodes > 1)
        leave_network(call);
    cw_unfinished_close();
    cw_lifeline_stop();
    cw_neighbour_stop();
    cw_world.initialized = cw_world.plain = false;
    cw_world.finalized = true;
    cw_front_end_count(call, -1);
    cw_watch_close();
    cw_ctx_shut();
    cw_server_stop();
    if (cw_foreign)
        cw_foreign->close();
    if (cw_world.nnodes > 1 && !disbanded)
        cw_transport->leave();
    cw_routed_close();
    cw_groups_fini();
    cw_crash_close();
    cw_ask_close();
    cw_segment_fini();
    cw_boot.ops->close(&cw_boot);
}

/** At the last fence, without connections. */
static void meet_last(void)
{
    int rc = cw_job_end_exchange();
    if (rc == CW_OK)
        rc = cw_boot.ops->fence_nb(&cw_boot);
    while (rc == CW_OK && cw_progress_alone_serves() && !cw_boot.ops->fence_test(&cw_boot)) {
        cw_server_poll();
        cwu_sleep_ns(CWU_WAIT_NS(SOON));
    }
    if (rc == CW_OK)
        cw_boot.ops->fence_wait(&cw_boot);
}

static _Thread_local bool drops_out;

/** What threads find that are still in calls follows from the end. */
static void stay(int status)
{
    if (drops_out)
        abort_failed(status);
    for (;;)
        pause();
}

/** Out of the job, with all that it has in place. */
static void drop_out(void)
{
    drops_out = true;
    cwu_error_abort_hook(stay);
    atomic_store_explicit(&cw_world.leaving, true, memory_order_relaxed);
    if (cw_world.nnodes > 1)
        meet_last();
    cw_unfinished_close();
    cw_lifeline_stop();
    cw_neighbour_stop();
    cw_boot.ops->close(&cw_boot);
}

noreturn void cw_drop_out(int status)
{
    cwu_error_hush();
    drop_out();
    if (cw_mpi_is_road())  // ends the job by MPI_Abort, in the process that ends this one
        cwu_sleep_ns(CWU_WAIT_NS(GIVE_UP));
    cw_exit(status);
}

bool cw_has_threads(void)
{
    return cw_world.thread_multiple && !cw_mpi_is_road() && cw_early_has_threads();
}

void cw_leave_threads(const char *call)
{
    while (init_count > 1)
        cw_finalize(call);
    if (!disbanded && !has_met)
        cw_finalize_meets(call);
    has_met = false;
    cw_early_ending = true;
    if (!disbanded)
        cw_watch_finish();
    cwu_error_hush_others();
    drop_out();
    cw_world.initialized = cw_world.plain = false;
    cw_world.finalized = true;
    init_count = 0;
    cw_front_end_count(call, -1);
}

bool cw_may_end_early(int joins)
{
    return cw_world.initialized && init_count == joins && !cw_wait_asleep &&
           (!cw_mpi_is_road() || cw_mpi_is_live());
}

noreturn void cw_exit(int status)
{
    cw_unfinished_close();
    if (cw_boot.ops)
        cw_boot.ops->goodbye();
    _exit(cw_exit_status(status));
}

noreturn void cw_global_exit(int status)
{
    abort_job(cw_exit_status(status), false);
}
