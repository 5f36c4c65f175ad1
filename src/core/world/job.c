// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange, and the secret.
#include "core/world/job.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/wait.h"
#include "core/world/one_address.h"

cwb_t cw_boot;

static struct {
    pthread_mutex_t lock;    // guards the next two
    _Atomic uint32_t known;  // the secret; also read without the lock; futex
    uint8_t secret[CWT_SECRET_BYTES];
    pthread_t opener;
    _Atomic uint32_t published;  // by this process's node server; futex
    cw_node_record_t *kept;      // of all nodes
} job = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool secret_known(void)
{
    size_t n = CWT_SECRET_BYTES;
    return cw_boot.ops->get(&cw_boot, 0, "secret", job.secret, &n) == CW_OK &&
           n == CWT_SECRET_BYTES;
}

void cw_job_begin(void)
{
    cw_world.epoch++;
    atomic_store(&job.known, 0);
    atomic_store(&job.published, 0);
    job.opener = pthread_self();
}

/** PEs of a part may have joined other jobs, not equally many; its store is new. */
void cw_job_number(void)
{
    static unsigned launched;
    cw_world.turn = cw_boot.is_part ? 0 : ++launched;
}

void cw_job_node_key(int node, char key[CWB_KEY_MAX + 1])
{
    snprintf(key, CWB_KEY_MAX + 1, "n%d.%u", node, cw_world.turn);
}

int cw_job_offer_secret(void)
{
    if (cw_world.pe != 0 || secret_known())
        return CW_OK;
    uint8_t fresh[CWT_SECRET_BYTES];
    if (getrandom(fresh, sizeof fresh, 0) != sizeof fresh) {
        cwu_error("the system gives no random numbers for the job's secret");
        return CW_ESYS;
    }
    return cw_boot.ops->put(&cw_boot, "secret", fresh, sizeof fresh);
}

int cw_job_fence_start(void)
{
    uint64_t start = cwu_now_ns();
    int rc = cw_boot.ops->fence_nb(&cw_boot);
    cw_startup_add(CW_PHASE_EXCHANGE_POST, start);
    return rc;
}

void cw_job_published(void)
{
    // pairs with cw_job_await_published
    atomic_store_explicit(&job.published, 1, memory_order_release);
    cwu_futex_wake((uint32_t *)&job.published, INT_MAX);
}

static bool has_published(void)
{
    return !cw_world.hosts_server || atomic_load_explicit(&job.published, memory_order_acquire);
}

void cw_job_await_published(void)
{
    while (!has_published())
        cwu_futex_wait((uint32_t *)&job.published, 0, CWU_WAIT_NS(SAFEGUARD));
}

/** The fence in init brings it; its failure ends the process. */
static void await_opener(void)
{
    while (!atomic_load_explicit(&job.known, memory_order_acquire))
        cwu_futex_wait((uint32_t *)&job.known, 0, CWU_WAIT_NS(SAFEGUARD));
}

/** Never waits, not for the lock either, which a thread that waits for the end holds. */
static bool exchange_is_over(void)
{
    if (atomic_load_explicit(&job.known, memory_order_acquire))
        return true;
    if (!has_published() || pthread_mutex_trylock(&job.lock))
        return false;
    bool over = cw_boot.ops->fence_test(&cw_boot);
    pthread_mutex_unlock(&job.lock);
    return over;
}

int cw_job_need_exchange(void)
{
    bool ready = exchange_is_over();
    cw_startup_exchange(ready ? CW_EXCHANGE_READY : CW_EXCHANGE_WAITED);
    uint64_t start = cwu_now_ns();
    int rc = cw_job_end_exchange();
    if (!ready)
        cw_startup_add(CW_PHASE_EXCHANGE_WAIT, start);
    return rc;
}

int cw_job_end_exchange(void)
{
    if (atomic_load_explicit(&job.known, memory_order_acquire))
        return CW_OK;
    cw_job_await_published();
    if (cw_boot.one_thread && !pthread_equal(job.opener, pthread_self()))
        await_opener();
    int rc = CW_OK;
    pthread_mutex_lock(&job.lock);
    if (!job.known) {
        rc = cw_boot.ops->fence_wait(&cw_boot);
        if (rc == CW_OK && !secret_known()) {
            cwu_error("the job's secret is missing from the launcher's key-value store");
            rc = CW_ENOENT;
        }
        // pairs with loads outside the lock: a thread that reads true reads the secret
        atomic_store_explicit(&job.known, rc == CW_OK, memory_order_release);
        if (cw_boot.one_thread)
            cwu_futex_wake((uint32_t *)&job.known, INT_MAX);
    }
    pthread_mutex_unlock(&job.lock);
    return rc;
}

const uint8_t *cw_job_secret(void)
{
    return job.secret;
}

void cw_job_begin_load(void)
{
    uint64_t start = cwu_now_ns();
    cw_transport->begin_load();
    cw_startup_add(CW_PHASE_FABRIC_LOAD, start);
}

int cw_job_load_transport(cw_fabric_t who)
{
    uint64_t start = cwu_now_ns();
    int rc = cw_transport->load(cw_boot.one_machine);
    if (cw_startup_fabric(who))  // later calls find it loaded
        cw_startup_add(CW_PHASE_FABRIC_LOAD, start);
    return rc;
}

static int read_record(int node, cw_node_record_t *record_p)
{
    if (job.kept) {
        *record_p = job.kept[node];
        return CW_OK;
    }
    char key[CWB_KEY_MAX + 1];
    size_t n = sizeof *record_p;
    cw_job_node_key(node, key);
    int rc = cw_boot.ops->get(&cw_boot, cw_world.leader_of_node[node], key, record_p, &n);
    return rc == CW_OK && n != sizeof *record_p ? CW_EPROTO : rc;
}

static int no_record(int node, int rc)
{
    cwu_error("node %d (of PE %d) has not published its address; did it fail at start?", node,
              cw_world.leader_of_node[node]);
    return rc ? rc : CW_EPROTO;
}

int cw_job_keep_records(void)
{
    free(job.kept);
    job.kept = NULL;
    cw_node_record_t *all = malloc((size_t)cw_world.nnodes * sizeof *all);
    if (!all)
        return CW_ENOMEM;
    for (int node = 0; node < cw_world.nnodes; node++) {
        int rc = read_record(node, &all[node]);
        if (rc) {
            free(all);
            return no_record(node, rc);
        }
    }
    job.kept = all;
    return CW_OK;
}

int cw_job_node_record(int node, cw_node_record_t *record_p)
{
    int rc = read_record(node, record_p);
    if (rc || record_p->address_nbytes > sizeof record_p->address)
        return no_record(node, rc);
    record_p->host[sizeof record_p->host - 1] = '\0';
    char whose[96];
    snprintf(whose, sizeof whose, "PE %d (host %s)", cw_world.leader_of_node[node], record_p->host);
    cw_one_address_compare(record_p->origin_page, whose);
    return cw_agreement_check(&record_p->agreement, whose);
}

const char *cw_job_node_name(int node)
{
    static _Thread_local char text[96];
    cw_node_record_t record;
    if (job.known && read_record(node, &record) == CW_OK)
        snprintf(text, sizeof text, "node %d (host %.47s)", node, record.host);
    else
        snprintf(text, sizeof text, "node %d", node);
    return text;
}
