// SPDX-License-Identifier: BSD-3-Clause
//
// Back end for launchers that are reached through their PMI-2 library only (libpmi2.so.0, loaded at
// run time). Where there is a descriptor, PMI_FD, the PMI-1 back end is preferred (pmi1.c): it
// needs no library, and its fence does not block. The fence of this library blocks, so a thread
// waits in it.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/env.h"
#include "base/error.h"
#include "base/install.h"
#include "base/mpi/find.h"
#include "bootstrap/bootstrap.h"
#include "bootstrap/placement.h"
#include "bootstrap/secret.h"
#include "bootstrap/text.h"

#define LIBRARY "libpmi2.so.0"
#define KEY_PREFIX "cw."

enum { JOBID_MAX = 256, VALUE_MAX = 1024, KEY_MAX = 64 };  // as the interface has them

static struct {
    int (*init)(int *spawned, int *size, int *rank, int *appnum);
    int (*finalize)(void);
    int (*abort)(int flag, const char *msg);
    int (*job_id)(char *jobid, int jobid_size);
    int (*put)(const char *key, const char *value);
    int (*get)(const char *jobid, int src_pmi_id, const char *key, char *value, int maxvalue,
               int *vallen);
    int (*fence)(void);
    int (*attribute)(const char *name, char *value, int valuelen, int *found);
    char job[JOBID_MAX + 1], mapping[VALUE_MAX + 1];
    cwb_t self;            // as opened first
    pid_t pid;             // the process that initialised PMI-2, as opposed to a child of it
    bool joined;           // between open and close
    bool exiting;          // in the process's exit handlers
    pthread_mutex_t lock;  // guards all below
    pthread_cond_t ended;
    bool fence_under_way;
    int fence_status;
} p2 CW_LARGE = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

// ---------------------------------------------------------------- joining
static bool forced(void)
{
    return strcmp(cwu_env.bootstrap, "pmi2") == 0;
}

/** Variables of launchers that pass no descriptor. A wrong guess costs loading a library, which
 *  then reports one process. */
static bool has_sign(void)
{
    return forced() || getenv("PALS_RANKID") || getenv("ALPS_APP_PE") || getenv("SLURM_PROCID");
}

static int load_library(void)
{
    static const struct {
        void *pointer;
        const char *name;
    } names[] = {{&p2.init, "PMI2_Init"},       {&p2.finalize, "PMI2_Finalize"},
                 {&p2.abort, "PMI2_Abort"},     {&p2.job_id, "PMI2_Job_GetId"},
                 {&p2.put, "PMI2_KVS_Put"},     {&p2.get, "PMI2_KVS_Get"},
                 {&p2.fence, "PMI2_KVS_Fence"}, {&p2.attribute, "PMI2_Info_GetJobAttr"}};
    void *handle = cwu_load(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle && !forced())
        return CW_ENOENT;
    if (!handle) {
        cwu_error(
            "CAUSEWAY_BOOTSTRAP=pmi2, but %s cannot be loaded (%s): install it (Debian: libpmi2-0)",
            LIBRARY, cwu_load_error());
        return CW_ESYS;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((*(void **)names[i].pointer = dlsym(handle, names[i].name)))
            continue;
        cwu_error("%s has no %s", LIBRARY, names[i].name);
        return CW_ENOTSUP;
    }
    return 0;
}

static int failed(const char *what, int code)
{
    cwu_error("the launcher's PMI-2 service: %s failed with code %d", what, code);
    return CW_EPROTO;
}

/** Without the service the library reports one process, and fails then or later. */
static int not_offered(int code)
{
    cwu_error("CAUSEWAY_BOOTSTRAP=pmi2, but no launcher offers that service to this process "
              "(code %d): start it by srun --mpi=pmi2",
              code);
    return CW_EPROTO;
}

/** Runs at the end of the process: the library cannot be initialised a second time. */
static void say_goodbye(void)
{
    if (p2.pid != getpid())
        return;
    p2.exiting = true;
    if (!p2.joined)
        p2.finalize();
}

static int read_mapping(cwb_t *b)
{
    int found = 0, nnodes = 0;
    cwb_runs_t runs;
    if (p2.attribute("PMI_process_mapping", p2.mapping, VALUE_MAX, &found) != 0 || !found)
        p2.mapping[0] = '\0';
    if (cwb_placement_runs(p2.mapping, b->npes, &runs)) {
        b->one_machine = cwb_runs_nnodes(&runs, b->npes) == 1;
        return 0;
    }
    int *node_of_pe = malloc((size_t)b->npes * sizeof *node_of_pe);
    if (!node_of_pe) {
        cwu_error("no memory for the placement of %d PEs", b->npes);
        return CW_ENOMEM;
    }
    if (cwb_placement_parse(p2.mapping, b->npes, node_of_pe, &nnodes) != 0)
        p2.mapping[0] = '\0';
    free(node_of_pe);
    b->one_machine = nnodes == 1;
    return 0;
}

static void set_job_id(cwb_t *b)
{
    snprintf(b->job_id, sizeof b->job_id, "pmi2-%.59s", p2.job);
    for (char *c = b->job_id; *c; c++)
        if (*c == '/' || *c == ' ')
            *c = '_';
}

static int pmi2_open(cwb_t *b)
{
    int spawned = 0, appnum = 0;
    if (p2.pid == getpid()) {  // again, after a finalize
        *b = p2.self;
        p2.joined = true;
        return 0;
    }
    if (!has_sign())
        return CW_ENOENT;
    int rc = load_library();
    if (rc)
        return rc;
    rc = p2.init(&spawned, &b->npes, &b->pe, &appnum);
    if (rc || b->npes < 1 || b->pe < 0 || b->pe >= b->npes || (b->npes == 1 && !forced()))
        return rc && forced() ? not_offered(rc) : CW_ENOENT;
    if ((rc = p2.job_id(p2.job, JOBID_MAX)))
        return b->npes == 1 ? not_offered(rc) : failed("asking for the job's name", rc);
    b->node_fd = -1;
    b->priv = &p2;
    b->shared_wire = cwu_mpi_is_loaded();
    set_job_id(b);
    if ((rc = read_mapping(b)) || (rc = cwb_publish_secret(b)))
        return rc;
    p2.self = *b;
    p2.pid = getpid();
    p2.joined = true;
    return atexit(say_goodbye) == 0 ? 0 : CW_ENOMEM;
}

static int pmi2_nodes(cwb_t *b, int *node_of_pe)
{
    int nnodes;
    if (cwu_env.node || !p2.mapping[0])
        return cwb_placement_exchange(b, node_of_pe);
    return cwb_placement_parse(p2.mapping, b->npes, node_of_pe, &nnodes);
}

static bool pmi2_runs(cwb_t *b, cwb_runs_t *runs_p)
{
    return !cwu_env.node && p2.mapping[0] && cwb_placement_runs(p2.mapping, b->npes, runs_p);
}

// ---------------------------------------------------------------- keys
static int pmi2_put(cwb_t *b, const char *key, const void *value, size_t nbytes)
{
    char full[KEY_MAX], text[CWB_TEXT_MAX + 1];
    (void)b;
    if (strlen(key) > CWB_KEY_MAX || nbytes > CWB_VALUE_MAX) {
        cwu_error("key \"%s\" with a value of %zu bytes: keys have at most %d characters, values "
                  "%d bytes",
                  key, nbytes, CWB_KEY_MAX, CWB_VALUE_MAX);
        return CW_EINVAL;
    }
    snprintf(full, sizeof full, KEY_PREFIX "%s", key);
    cwb_text_encode(value, nbytes, text);
    int rc = p2.put(full, text);
    return rc ? failed("publishing a key", rc) : 0;
}

static int pmi2_get(cwb_t *b, int owner, const char *key, void *value, size_t *nbytes_p)
{
    char full[KEY_MAX], text[VALUE_MAX + 1] = "";
    unsigned char size[2];
    int len = 0;
    (void)b, (void)owner;  // the store does not need it
    snprintf(full, sizeof full, KEY_PREFIX "%s", key);
    if (p2.get(p2.job, -1, full, text, VALUE_MAX, &len) != 0 || !text[0])
        return CW_ENOENT;
    size_t capacity = *nbytes_p, n = strlen(text);
    if (n >= 4 && cwb_text_digits(text, size, 2) == 0 &&
        n == 4 + 2 * ((size_t)size[0] << 8 | size[1])) {
        *nbytes_p = (size_t)size[0] << 8 | size[1];
        if (*nbytes_p > capacity)
            return CW_EINVAL;
        if (cwb_text_digits(text + 4, value, *nbytes_p) == 0)
            return 0;
    }
    cwu_error("the value of key \"%s\" came back garbled from the launcher", key);
    return CW_EPROTO;
}

// ---------------------------------------------------------------- fence and end
static void *wait_in_fence(void *arg)
{
    (void)arg;
    int status = p2.fence();
    pthread_mutex_lock(&p2.lock);
    p2.fence_status = status;
    p2.fence_under_way = false;
    pthread_cond_broadcast(&p2.ended);
    pthread_mutex_unlock(&p2.lock);
    return NULL;
}

static int pmi2_fence_nb(cwb_t *b)
{
    pthread_t thread;
    (void)b;
    p2.fence_under_way = true;  // no other thread reads it before this one is done
    if (pthread_create(&thread, NULL, wait_in_fence, NULL) != 0) {
        p2.fence_under_way = false;
        cwu_error("no thread for the launcher's fence");
        return CW_ENOMEM;
    }
    pthread_detach(thread);
    return 0;
}

static bool pmi2_fence_test(cwb_t *b)
{
    (void)b;
    pthread_mutex_lock(&p2.lock);
    bool over = !p2.fence_under_way;
    pthread_mutex_unlock(&p2.lock);
    return over;
}

static int pmi2_fence_wait(cwb_t *b)
{
    struct timespec deadline;
    int rc = 0;
    (void)b;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += cwu_env.timeout;
    pthread_mutex_lock(&p2.lock);
    while (p2.fence_under_way && rc == 0)
        rc = pthread_cond_clockwait(&p2.ended, &p2.lock, CLOCK_MONOTONIC, &deadline);
    bool late = p2.fence_under_way;
    int status = p2.fence_status;
    pthread_mutex_unlock(&p2.lock);
    if (late) {
        cwu_error("not all PEs reached the start-up fence in %ld s (CAUSEWAY_TIMEOUT)",
                  cwu_env.timeout);
        return CW_ETIMEOUT;
    }
    return status ? failed("the fence", status) : 0;
}

static void pmi2_abort(cwb_t *b, int status, bool failed)
{
    (void)failed;
    (void)b;
    // The library ends the process by exit(), with a status of its own; not in a child process.
    if (p2.pid == getpid() && pmi2_fence_test(NULL))
        p2.abort(1, "ended by a PE");
    _exit(status);
}

static void pmi2_close(cwb_t *b)
{
    (void)b;
    p2.joined = false;
    if (p2.exiting && p2.pid == getpid())  // by an exit handler that runs after this library's
        p2.finalize();
}

const cwb_ops_t cwb_pmi2 = {
    .name = "pmi2",
    .open = pmi2_open,
    .nodes = pmi2_nodes,
    .runs = pmi2_runs,
    .put = pmi2_put,
    .fence_nb = pmi2_fence_nb,
    .fence_wait = pmi2_fence_wait,
    .fence_test = pmi2_fence_test,
    .get = pmi2_get,
    .abort = pmi2_abort,
    .close = pmi2_close,
    .lost = cwb_never_lost,
    .goodbye = say_goodbye,
};
