// SPDX-License-Identifier: BSD-3-Clause
//
// Back end for launchers that speak PMIx (Open MPI's orterun, PRRTE's prterun, Slurm with
// --mpi=pmix). The library is loaded at run time; the build uses only the types of its header. The
// header's macros call the library, which is not linked, so structures are filled in and freed here
// by hand.
#include <dlfcn.h>
#include <pmix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/install.h"
#include "base/mpi/find.h"
#include "bootstrap/bootstrap.h"
#include "bootstrap/nodemap.h"
#include "bootstrap/placement.h"
#include "bootstrap/secret.h"

#define LIBRARY "libpmix.so.2"
#define KEY_PREFIX "causeway."  // an MPI of the same process has keys of its own

// clang-format off
#define CALLS(X)                                                                            \
    X(PMIx_Init) X(PMIx_Finalize) X(PMIx_Abort) X(PMIx_Put) X(PMIx_Commit) X(PMIx_Fence_nb) \
    X(PMIx_Get) X(PMIx_Resolve_nodes) X(PMIx_Resolve_peers) X(PMIx_Error_string)            \
    X(PMIx_Register_event_handler)
// clang-format on

typedef struct pmix_lib {
#define POINTER(name) __typeof__(&name) name;
    CALLS(POINTER)
#undef POINTER
} pmix_lib_t;

static struct {
    pmix_lib_t lib;
    pmix_proc_t me;
    pthread_mutex_t lock;  // guards all below
    pthread_cond_t ended;
    bool fence_under_way;
    pmix_status_t fence_status;
    cwb_t self;           // as opened first
    pid_t pid;            // the process that initialised PMIx, as opposed to a child of it
    _Atomic bool joined;  // between open and close
    bool exiting;         // in the process's exit handlers
} px = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static int failed(const char *what, pmix_status_t status)
{
    cwu_error("the launcher's PMIx service: %s failed: %s", what, px.lib.PMIx_Error_string(status));
    return CW_EPROTO;
}

// ---------------------------------------------------------------- joining
static int load_library(void)
{
    void *handle = cwu_load(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle && cwu_mpi_is_live())
        return CW_ENOENT;  // loaded already
    if (!handle) {
        cwu_error("this process was started through PMIx, but %s cannot be loaded (%s): install it "
                  "(Debian: libpmix2) or "
                  "start the program with oshrun or mpiexec.hydra",
                  LIBRARY, cwu_load_error());
        return CW_ESYS;
    }
#define FIND(name)                                                  \
    if (!(px.lib.name = (__typeof__(&name))dlsym(handle, #name))) { \
        cwu_error("%s has no %s: it is too old", LIBRARY, #name);   \
        return CW_ENOTSUP;                                          \
    }
    CALLS(FIND)
#undef FIND
    return 0;
}

static pmix_proc_t proc_of(pmix_rank_t rank)
{
    pmix_proc_t proc = px.me;
    proc.rank = rank;
    return proc;
}

/** Reads a number that the launcher publishes for the whole job. 0 or a PMIx status. */
static pmix_status_t job_number(const char *key, uint32_t *n_p)
{
    pmix_proc_t all_processes = proc_of(PMIX_RANK_WILDCARD);
    pmix_value_t *value = NULL;
    pmix_status_t status = px.lib.PMIx_Get(&all_processes, key, NULL, 0, &value);
    if (status == PMIX_SUCCESS && value->type == PMIX_UINT32)
        *n_p = value->data.uint32;
    else if (status == PMIX_SUCCESS)
        status = PMIX_ERR_TYPE_MISMATCH;
    free(value);
    return status;
}

/** The connection to the launcher is lost: no process can end the other PEs, or report that they
 *  ended. */
static void launcher_lost(size_t id, pmix_status_t status, const pmix_proc_t *source,
                          pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                          pmix_event_notification_cbfunc_fn_t done, void *arg)
{
    (void)id, (void)status, (void)source, (void)info, (void)ninfo, (void)results, (void)nresults;
    if (px.joined) {
        cwu_error("the launcher is gone");
        _exit(EXIT_FAILURE);
    }
    if (done)
        done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, arg);
}

/** Runs at the end of the process: PMIx cannot be initialised a second time. */
static void say_goodbye(void)
{
    if (px.pid != getpid())
        return;
    px.exiting = true;
    if (!px.joined)
        px.lib.PMIx_Finalize(NULL, 0);
}

/** The PMIx of Open MPI 5.0 does not give a second caller its rank: MPI_Init then fails without a
 *  cause in its message. */
static void warn_of_second_init(void)
{
    pmix_proc_t again = {.rank = PMIX_RANK_UNDEF};
    if (px.lib.PMIx_Init(&again, NULL, 0) != PMIX_SUCCESS)
        return;
    if (again.rank != px.me.rank || strcmp(again.nspace, px.me.nspace) != 0)
        cwu_warn("MPI_Init after shmem_init is going to fail with this PMIx library; initialise "
                 "MPI first");
    px.lib.PMIx_Finalize(NULL, 0);  // undoes the second initialisation only
}

static int pmix_open(cwb_t *b)
{
    static pmix_status_t lost[] = {PMIX_ERR_LOST_CONNECTION};
    uint32_t npes = 0, nnodes = 0;
    if (px.pid == getpid()) {  // again, after a finalize
        *b = px.self;
        px.joined = true;
        return 0;
    }
    // set by the launcher, not a setting of this library
    if (!getenv("PMIX_NAMESPACE") || !getenv("PMIX_RANK"))
        return CW_ENOENT;
    int rc = load_library();
    if (rc)
        return rc;
    pmix_status_t status = px.lib.PMIx_Init(&px.me, NULL, 0);
    if (status != PMIX_SUCCESS) {
        // A program that a PE started inherits the variables, and the launcher does not expect it.
        cwu_debug("PMIx_Init: %s: a program on its own", px.lib.PMIx_Error_string(status));
        return CW_ENOENT;
    }
    if ((status = job_number(PMIX_JOB_SIZE, &npes)) != PMIX_SUCCESS)
        return failed("asking for the number of processes", status);
    if (npes == 0 || npes > 1u << 24 || px.me.rank >= npes) {
        cwu_error("the launcher says this is process %u of %u", px.me.rank, npes);
        return CW_EPROTO;
    }
    b->pe = (int)px.me.rank;
    b->npes = (int)npes;
    b->node_fd = -1;
    b->one_machine = job_number(PMIX_NUM_NODES, &nnodes) == PMIX_SUCCESS && nnodes == 1;
    b->priv = &px;
    // PMIx takes two concurrent fences over the same processes for one.
    b->shared_wire = cwu_mpi_is_loaded();
    if (b->shared_wire && !cwu_mpi_is_live())
        warn_of_second_init();
    if (b->shared_wire)
        cwu_mpi_keep_pmix_glue();
    px.lib.PMIx_Register_event_handler(lost, 1, NULL, 0, launcher_lost, NULL, NULL);
    snprintf(b->job_id, sizeof b->job_id, "pmix-%.60s", px.me.nspace);
    for (char *c = b->job_id; *c; c++)
        if (*c == '/' || *c == ' ')
            *c = '_';
    if ((rc = cwb_publish_secret(b)))
        return rc;
    px.self = *b;
    px.pid = getpid();
    px.joined = true;
    return atexit(say_goodbye) == 0 ? 0 : CW_ENOMEM;
}

// ---------------------------------------------------------------- nodes
static int peers_of(const char *host, cwb_nodemap_t *map, int npes, int *node_of_pe, int *placed_p)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    if (px.lib.PMIx_Resolve_peers(host, px.me.nspace, &procs, &n) != PMIX_SUCCESS)
        return CW_ENOENT;
    int node = n > 0 ? cwb_nodemap_add(map, host) : 0, rc = 0;  // each node has a PE: renumber()
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (procs[i].rank >= (pmix_rank_t)npes || node_of_pe[procs[i].rank] >= 0)
            rc = CW_EPROTO;
        else
            node_of_pe[procs[i].rank] = node;
    }
    *placed_p += (int)n;
    free(procs);
    return rc;
}

/** Renumbers the nodes: dense, in order of the lowest PE. */
static int renumber(int npes, int *node_of_pe)
{
    int *number = malloc((size_t)npes * sizeof *number), next = 0;
    if (!number)
        return CW_ENOMEM;
    for (int i = 0; i < npes; i++)
        number[i] = -1;
    for (int pe = 0; pe < npes; pe++) {
        int *n = &number[node_of_pe[pe]];
        if (*n < 0)
            *n = next++;
        node_of_pe[pe] = *n;
    }
    free(number);
    return 0;
}

/** The nodes as the launcher has them; CW_ENOENT or CW_EPROTO (not reported) when it has none. One
 *  call a node. */
static int ask_launcher(int npes, int *node_of_pe)
{
    char *hosts = NULL, *next = NULL;
    cwb_nodemap_t map;
    if (px.lib.PMIx_Resolve_nodes(px.me.nspace, &hosts) != PMIX_SUCCESS || !hosts)
        return CW_ENOENT;
    int placed = 0, rc = cwb_nodemap_init(&map, npes);
    if (rc) {
        free(hosts);
        return rc;
    }
    for (int pe = 0; pe < npes; pe++)
        node_of_pe[pe] = -1;
    for (char *host = strtok_r(hosts, ",", &next); host && rc == 0;
         host = strtok_r(NULL, ",", &next))
        rc = peers_of(host, &map, npes, node_of_pe, &placed);
    if (rc == 0 && placed != npes)
        rc = CW_EPROTO;
    cwb_nodemap_finish(&map);
    free(hosts);
    return rc ? rc : renumber(npes, node_of_pe);
}

static int pmix_nodes(cwb_t *b, int *node_of_pe)
{
    // All PEs get the same reply from the launcher, so all take the same branch.
    if (cwu_env.node || ask_launcher(b->npes, node_of_pe) != 0)
        return cwb_placement_exchange(b, node_of_pe);
    return 0;
}

// ---------------------------------------------------------------- keys
static int pmix_put(cwb_t *b, const char *key, const void *value, size_t nbytes)
{
    char full[PMIX_MAX_KEYLEN + 1];
    (void)b;
    if (strlen(key) > CWB_KEY_MAX || nbytes > CWB_VALUE_MAX) {
        cwu_error("key \"%s\" with a value of %zu bytes: keys have at most %d characters, values "
                  "%d bytes",
                  key, nbytes, CWB_KEY_MAX, CWB_VALUE_MAX);
        return CW_EINVAL;
    }
    pmix_value_t v = {.type = PMIX_BYTE_OBJECT,
                      // copied by the call
                      .data.bo = {.bytes = (char *)(uintptr_t)value, .size = nbytes}};
    snprintf(full, sizeof full, KEY_PREFIX "%s", key);
    pmix_status_t status = px.lib.PMIx_Put(PMIX_GLOBAL, full, &v);
    return status == PMIX_SUCCESS ? 0 : failed("publishing a key", status);
}

static int pmix_get(cwb_t *b, int owner, const char *key, void *value, size_t *nbytes_p)
{
    char full[PMIX_MAX_KEYLEN + 1];
    pmix_proc_t proc = proc_of((pmix_rank_t)owner);
    pmix_value_t *v = NULL;
    size_t capacity = *nbytes_p;
    (void)b;
    snprintf(full, sizeof full, KEY_PREFIX "%s", key);
    pmix_status_t status = px.lib.PMIx_Get(&proc, full, NULL, 0, &v);
    if (status != PMIX_SUCCESS || !v)
        return CW_ENOENT;
    int rc = v->type == PMIX_BYTE_OBJECT ? 0 : CW_EPROTO;
    if (rc == 0) {
        *nbytes_p = v->data.bo.size;
        if (v->data.bo.size > capacity)
            rc = CW_EINVAL;
        else
            memcpy(value, v->data.bo.bytes, v->data.bo.size);
        free(v->data.bo.bytes);
    }
    free(v);
    return rc;
}

// ---------------------------------------------------------------- fence and end
static void fence_ended(pmix_status_t status, void *arg)
{
    (void)arg;
    pthread_mutex_lock(&px.lock);
    px.fence_status = status;
    px.fence_under_way = false;
    pthread_cond_broadcast(&px.ended);
    pthread_mutex_unlock(&px.lock);
}

static int pmix_fence_nb(cwb_t *b)
{
    static pmix_info_t collect = {.key = PMIX_COLLECT_DATA,
                                  .value = {.type = PMIX_BOOL, .data.flag = true}};
    (void)b;
    pmix_status_t status = px.lib.PMIx_Commit();
    if (status != PMIX_SUCCESS)
        return failed("publishing keys", status);
    pthread_mutex_lock(&px.lock);
    px.fence_under_way = true;
    pthread_mutex_unlock(&px.lock);
    status = px.lib.PMIx_Fence_nb(NULL, 0, &collect, 1, fence_ended, NULL);
    if (status == PMIX_OPERATION_SUCCEEDED)  // complete already: no callback follows
        fence_ended(PMIX_SUCCESS, NULL);
    else if (status != PMIX_SUCCESS)
        return failed("starting the fence", status);
    return 0;
}

static int pmix_fence_wait(cwb_t *b)
{
    struct timespec deadline;
    int rc = 0;
    (void)b;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += cwu_env.timeout;
    pthread_mutex_lock(&px.lock);
    while (px.fence_under_way && rc == 0)
        rc = pthread_cond_clockwait(&px.ended, &px.lock, CLOCK_MONOTONIC, &deadline);
    bool late = px.fence_under_way;
    pmix_status_t status = px.fence_status;
    pthread_mutex_unlock(&px.lock);
    if (late) {
        cwu_error("not all PEs reached the start-up fence in %ld s (CAUSEWAY_TIMEOUT); did one "
                  "end, or never call "
                  "shmem_init?",
                  cwu_env.timeout);
        return CW_ETIMEOUT;
    }
    return status == PMIX_SUCCESS ? 0 : failed("the fence", status);
}

static bool pmix_fence_test(cwb_t *b)
{
    (void)b;
    pthread_mutex_lock(&px.lock);
    bool over = !px.fence_under_way;
    pthread_mutex_unlock(&px.lock);
    return over;
}

static void pmix_abort(cwb_t *b, int status, bool failed)
{
    (void)failed;
    if (b->priv)
        px.lib.PMIx_Abort(status, "ended by a PE", NULL, 0);
    _exit(status);
}

static void pmix_close(cwb_t *b)
{
    if (!b->priv)
        return;
    px.joined = false;
    if (px.exiting)  // by an exit handler that runs after this library's
        px.lib.PMIx_Finalize(NULL, 0);
}

const cwb_ops_t cwb_pmix = {
    .name = "pmix",
    .open = pmix_open,
    .nodes = pmix_nodes,
    .put = pmix_put,
    .fence_nb = pmix_fence_nb,
    .fence_wait = pmix_fence_wait,
    .fence_test = pmix_fence_test,
    .get = pmix_get,
    .abort = pmix_abort,
    .close = pmix_close,
    .lost = cwb_never_lost,
    .goodbye = say_goodbye,
};
