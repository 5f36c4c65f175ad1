// SPDX-License-Identifier: BSD-3-Clause
//
// The objects that all PEs inherit: the job object, one memory object per node, and the bell. They
// live in memfds and eventfds, so nothing is left when the last process is gone.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"
#include "bootstrap/bootstrap.h"
#include "oshrun.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

// Linux 6.3 expects the flag that the object is never executed; older kernels do not know the flag.
static int make_memfd(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        die(1, "cannot create the memory object %s: %s", name, strerror(errno));
    return fd;
}

static void draw(void *bytes, size_t nbytes)
{
    if (getrandom(bytes, nbytes, 0) != (ssize_t)nbytes)
        die(1, "cannot draw the job's secret: %s", strerror(errno));
}

static void map_job(run_t *run)
{
    size_t nbytes = cwb_job_nbytes((uint32_t)run->opt.npes);
    if (nbytes > cwu_file_limit())
        die(1,
            "the job object has %zu bytes, and the limit on the size of files (ulimit -f), "
            "which holds for it, too, is less: raise it",
            nbytes);
    run->job_fd = make_memfd("causeway-job");
    if (ftruncate(run->job_fd, (off_t)nbytes) != 0)
        die(1, "cannot size the job object (%zu bytes): %s", nbytes, strerror(errno));
    // No PE can shrink the object while others use it.
    fcntl(run->job_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    run->job = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, run->job_fd, 0);
    if (run->job == MAP_FAILED)
        die(1, "cannot map the job object (%zu bytes): %s", nbytes, strerror(errno));
    struct stat st;
    if (fstat(run->job_fd, &st) != 0)
        die(1, "cannot inspect the job object: %s", strerror(errno));
    run->job_ino = st.st_ino;
}

static void fill_job(run_t *run)
{
    unsigned char secret[16];
    uint64_t tag;
    cwb_job_t *job = run->job;
    draw(secret, sizeof secret);
    draw(&tag, sizeof tag);
    cwb_job_format(job, (uint32_t)run->opt.npes, (uint32_t)run->opt.nnodes);
    job->launcher_pid = getpid();
    job->pid_namespace = cwu_pid_namespace();
    job->started_ns = run->started_ns;
    job->machine_nbytes = cwu_machine_memory();
    run->memory_kills = cwu_memory_kills();
    for (int i = 0; i < run->opt.nparts; i++)
        if (options_getenv(&run->opt.parts[i], "CAUSEWAY_NODE"))
            job->flags |= CWB_JOB_NODE_NAMES;
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        job->ncpus = (uint32_t)CPU_COUNT(&cpus);
    snprintf(job->job_id, sizeof job->job_id, "oshrun-%ld-%016llx", (long)getpid(),
             (unsigned long long)tag);
    for (int pe = 0; pe < run->opt.npes; pe++)
        cwb_job_pe(job, (uint32_t)pe)->node = (uint32_t)options_node_of(&run->opt, pe);
    job->runs = options_runs(&run->opt);
    if (cwb_job_put(job, "secret", secret, sizeof secret) != 0)
        die(1, "cannot publish the job's secret");
}

/** Sparse, so it takes the memory that PEs write. A limit on the size of files would kill who makes
 *  it: then a job that fails has no records. */
static void make_records(run_t *run)
{
    static const char *const wanted[] = {"CAUSEWAY_STATS", "CAUSEWAY_TRACE"};
    bool any = false;
    for (int i = 0; i < run->opt.nparts; i++)
        for (int k = 0; k < 2; k++) {
            const char *value = options_getenv(&run->opt.parts[i], wanted[k]);
            any = any || (value && *value && strcmp(value, "0") != 0);
        }
    uint64_t nbytes = (uint64_t)run->opt.npes * CWB_RECORD_NBYTES;
    if (!any || cwu_file_limit() < nbytes)
        return;
    run->records_fd = make_memfd("causeway-records");
    if (ftruncate(run->records_fd, (off_t)nbytes) != 0) {
        close(run->records_fd);
        run->records_fd = 0;
    }
}

void job_create(run_t *run)
{
    make_records(run);
    map_job(run);
    fill_job(run);
    run->node_fds = calloc((size_t)run->opt.nnodes, sizeof *run->node_fds);
    if (!run->node_fds)
        die(1, "out of memory");
    for (int node = 0; node < run->opt.nnodes; node++)
        run->node_fds[node] = make_memfd("causeway-node");
    run->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (run->bell_fd < 0)
        die(1, "cannot create an eventfd: %s", strerror(errno));
}
