// SPDX-License-Identifier: BSD-3-Clause
//
// Layout and key-value store of the job object (job.h). Used by the library and by oshrun; prints
// nothing.
#include "bootstrap/job.h"

#include <string.h>

#include "base/error.h"
#include "bootstrap/bootstrap.h"

#define UNIT 16u

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint32_t buckets_for(uint32_t npes)
{
    uint32_t n = 1024;
    while (n < npes * 4 && n < (1u << 24))
        n *= 2;
    return n;
}

static uint64_t states_start(uint32_t npes)
{
    return round_up(sizeof(cwb_job_t) + (uint64_t)npes * sizeof(cwb_job_pe_t),
                    _Alignof(cwb_state_t));
}

static uint64_t log_start(uint32_t npes)
{
    return round_up(states_start(npes) + (uint64_t)npes * sizeof(cwb_state_t) +
                        buckets_for(npes) * sizeof(uint32_t),
                    UNIT);
}

size_t cwb_job_nbytes(uint32_t npes)
{
    // Room for 64 KiB of records a PE; the kernel allocates the pages when they are written.
    return round_up(log_start(npes) + (1u << 20) + (uint64_t)npes * 65536, 4096);
}

void cwb_job_format(cwb_job_t *job, uint32_t npes, uint32_t nnodes)
{
    job->npes = npes;
    job->nnodes = nnodes;
    job->nbytes = cwb_job_nbytes(npes);
    job->pes_off = sizeof(cwb_job_t);
    job->states_off = states_start(npes);
    job->bkt_off = job->states_off + npes * sizeof(cwb_state_t);
    job->nbuckets = buckets_for(npes);
    job->log_off = log_start(npes);
    atomic_init(&job->log_next, job->log_off);
    job->magic = CWB_JOB_MAGIC;
}

static uint32_t hash_of(const char *key, size_t nbytes)
{
    uint32_t h = 2166136261u;  // FNV-1a
    for (size_t i = 0; i < nbytes; i++)
        h = (h ^ (unsigned char)key[i]) * 16777619u;
    return h;
}

static _Atomic uint32_t *bucket_of(cwb_job_t *job, uint32_t hash)
{
    return (_Atomic uint32_t *)((char *)job + job->bkt_off) + (hash & (job->nbuckets - 1));
}

int cwb_job_put(cwb_job_t *job, const char *key, const void *value, size_t nbytes)
{
    size_t key_nbytes = strlen(key);
    if (key_nbytes == 0 || key_nbytes > CWB_KEY_MAX || nbytes > CWB_VALUE_MAX)
        return CW_EINVAL;
    uint64_t need = round_up(sizeof(cwb_job_rec_t) + key_nbytes + nbytes, UNIT);
    // This reserves the space only; the CAS below publishes what is written into it.
    uint64_t at = atomic_fetch_add_explicit(&job->log_next, need, memory_order_relaxed);
    if (at + need > job->nbytes)
        return CW_ENOMEM;
    cwb_job_rec_t *rec = (cwb_job_rec_t *)((char *)job + at);
    rec->value_nbytes = (uint32_t)nbytes;
    rec->key_nbytes = (uint32_t)key_nbytes;
    rec->hash = hash_of(key, key_nbytes);
    memcpy(rec + 1, key, key_nbytes);
    memcpy((char *)(rec + 1) + key_nbytes, value, nbytes);
    _Atomic uint32_t *head = bucket_of(job, rec->hash);
    rec->next = atomic_load_explicit(head, memory_order_relaxed);
    // Release: a reader that finds the record through the chain (acquire in cwb_job_get) sees its
    // bytes.
    while (!atomic_compare_exchange_weak_explicit(head, &rec->next, (uint32_t)(at / UNIT),
                                                  memory_order_acq_rel, memory_order_relaxed))
        ;
    return 0;
}

int cwb_job_get(cwb_job_t *job, const char *key, void *value, size_t *nbytes_p)
{
    size_t key_nbytes = strlen(key), capacity = *nbytes_p;
    uint32_t hash = hash_of(key, key_nbytes);
    uint32_t at = atomic_load_explicit(bucket_of(job, hash), memory_order_acquire);
    while (at) {
        cwb_job_rec_t *rec = (cwb_job_rec_t *)((char *)job + (uint64_t)at * UNIT);
        if (rec->hash == hash && rec->key_nbytes == key_nbytes &&
            !memcmp(rec + 1, key, key_nbytes)) {
            *nbytes_p = rec->value_nbytes;
            if (rec->value_nbytes > capacity)
                return CW_EINVAL;
            memcpy(value, (char *)(rec + 1) + key_nbytes, rec->value_nbytes);
            return 0;
        }
        at = rec->next;
    }
    return CW_ENOENT;
}
