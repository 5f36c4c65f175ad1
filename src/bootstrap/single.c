// SPDX-License-Identifier: BSD-3-Clause
//
// Back end of a program without a launcher: one PE, which reads only its own keys.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "bootstrap/bootstrap.h"
#include "bootstrap/secret.h"

typedef struct pair {
    struct pair *next;
    char key[CWB_KEY_MAX + 1];
    size_t nbytes;
    unsigned char value[CWB_VALUE_MAX];
} pair_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the list at cwb_t.priv

/** Each task of a step that has no service is a job of its own: one of them says so, unless the
 *  user has asked for it. */
static void warn_of_tasks(void)
{
    static bool warned;  // by an earlier initialisation
    // set by the launcher, not settings of this library
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS"), *rank = getenv("SLURM_PROCID");
    if (warned || !tasks || atoi(tasks) < 2 || !rank || strcmp(rank, "0") != 0 ||
        strcmp(cwu_env.bootstrap, "auto") != 0)
        return;
    warned = true;
    cwu_warn("each of the %d tasks of this Slurm step is a job of one PE, since srun gives them no "
             "service to find each other by: add --mpi=pmix or --mpi=pmi2 (srun --mpi=list names "
             "what is there); CAUSEWAY_BOOTSTRAP=single, if that is what you want",
             atoi(tasks));
}

static int single_open(cwb_t *b)
{
    warn_of_tasks();
    b->pe = 0;
    b->npes = 1;
    b->node_fd = -1;
    b->one_machine = true;
    snprintf(b->job_id, sizeof b->job_id, "single-%ld-%llx", (long)getpid(),
             (unsigned long long)cwu_now_ns());
    b->priv = NULL;
    return cwb_publish_secret(b);
}

static int single_nodes(cwb_t *b, int *node_of_pe)
{
    (void)b;
    node_of_pe[0] = 0;
    return 0;
}

static int single_put(cwb_t *b, const char *key, const void *value, size_t nbytes)
{
    if (strlen(key) > CWB_KEY_MAX || nbytes > CWB_VALUE_MAX) {
        cwu_error("key \"%s\" with a value of %zu bytes: keys have at most %d characters, values "
                  "%d bytes",
                  key, nbytes, CWB_KEY_MAX, CWB_VALUE_MAX);
        return CW_EINVAL;
    }
    pair_t *p = malloc(sizeof *p);
    if (!p) {
        cwu_error("no memory for key \"%s\"", key);
        return CW_ENOMEM;
    }
    strcpy(p->key, key);
    p->nbytes = nbytes;
    memcpy(p->value, value, nbytes);
    pthread_mutex_lock(&lock);
    p->next = b->priv;  // newest first: a later put hides an earlier one
    b->priv = p;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int single_get(cwb_t *b, int owner, const char *key, void *value, size_t *nbytes_p)
{
    (void)owner;  // the store does not need it
    pthread_mutex_lock(&lock);
    const pair_t *p = b->priv;  // records are never changed or freed before close
    pthread_mutex_unlock(&lock);
    for (; p; p = p->next) {
        if (strcmp(p->key, key))
            continue;
        size_t capacity = *nbytes_p;
        *nbytes_p = p->nbytes;
        if (p->nbytes > capacity)
            return CW_EINVAL;
        memcpy(value, p->value, p->nbytes);
        return 0;
    }
    return CW_ENOENT;
}

static int single_fence(cwb_t *b)
{
    (void)b;
    return 0;
}

static bool single_fence_test(cwb_t *b)
{
    (void)b;
    return true;
}

static void single_abort(cwb_t *b, int status, bool failed)
{
    (void)failed;
    (void)b;
    _exit(status);
}

static void single_close(cwb_t *b)
{
    while (b->priv) {
        pair_t *p = b->priv;
        b->priv = p->next;
        free(p);
    }
}

static void single_goodbye(void)
{
    // there is no launcher to report to
}

const cwb_ops_t cwb_single = {
    .name = "single",
    .open = single_open,
    .nodes = single_nodes,
    .put = single_put,
    .fence_nb = single_fence,
    .fence_wait = single_fence,
    .fence_test = single_fence_test,
    .get = single_get,
    .abort = single_abort,
    .close = single_close,
    .lost = cwb_never_lost,
    .goodbye = single_goodbye,
};
