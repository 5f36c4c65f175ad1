// SPDX-License-Identifier: BSD-3-Clause
//
// The default heap: where all PEs see one machine its share of three quarters of the memory;
// elsewhere 256 MiB, halved until those of all PEs take half of it. A limit on addresses bounds
// both. A heap that the user asked for is given, or refused.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "core/mem/sizes.h"
#include "core/world/world.h"
#include "frame/check.h"

#define MIB (UINT64_C(1) << 20)
#define DATA (3 * MIB)

typedef struct job {
    uint64_t machine_mib;
    int pes;
    bool one_machine;
    uint64_t asked_mib;    // 0: no setting
    uint64_t address_mib;  // 0: no limit
} job_t;

/** In a process of its own, because of the limit. MiB of the heap; 0: refused. */
static uint64_t heap_mib(job_t job)
{
    int status = 0, ends[2];
    uint64_t heap = 0;
    REQUIRE(pipe(ends) == 0);
    fflush(stdout);
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        static int zero;
        cwb_t boot = {.machine_nbytes = job.machine_mib * MIB, .one_machine = job.one_machine};
        cw_sizes_t sizes;
        cw_world.npes = cw_world.nslots = cw_world.max_slots = job.one_machine ? job.pes : 1;
        cw_world.nnodes = job.one_machine ? 1 : 2;
        cw_world.machine_pes = job.pes;
        cw_world.node_of_pe = cw_world.slot_of_pe = &zero;
        cwu_env.symmetric_size = (job.asked_mib ? job.asked_mib : 256) * MIB;
        cwu_env.symmetric_size_set = job.asked_mib != 0;
        struct rlimit limit = {job.address_mib * MIB, job.address_mib * MIB};
        if (job.address_mib)
            REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
        int rc = cw_sizes_choose(&boot, DATA, &sizes);
        heap = rc ? 0 : sizes.heap;
        _exit(write(ends[1], &heap, sizeof heap) != sizeof heap);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
    REQUIRE(read(ends[0], &heap, sizeof heap) == sizeof heap);
    close(ends[0]);
    close(ends[1]);
    return heap / MIB;
}

int main(void)
{
    CHECK(heap_mib((job_t){24 * 1024, 4, false, 0, 0}) == 256);
    CHECK(heap_mib((job_t){2 * 1024, 4, false, 0, 0}) == 256);  // exactly half
    CHECK(heap_mib((job_t){2 * 1024, 5, false, 0, 0}) == 128);
    CHECK(heap_mib((job_t){1024, 64, false, 0, 0}) == 8);
    CHECK(heap_mib((job_t){24 * 1024, 4, true, 0, 0}) == 24 * 1024 * 3 / 4 / 4);
    CHECK(heap_mib((job_t){1024, 3, true, 0, 0}) == 256);
    CHECK(heap_mib((job_t){8, 16, true, 0, 0}) == 1);
    CHECK(heap_mib((job_t){1024, 2, true, 400, 0}) == 400);  // as asked, above its share
    CHECK(heap_mib((job_t){1024, 2, false, 400, 0}) == 400);
    CHECK(heap_mib((job_t){1024, 4, true, 400, 0}) == 0);
    // Of 1000 MiB of addresses 750 for four PEs and one of them again: 150, less static data; half
    // of that.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need more addresses
    CHECK(heap_mib((job_t){24 * 1024, 4, true, 0, 1000}) == 73);
    CHECK(heap_mib((job_t){24 * 1024, 1, true, 0, 1 << 20}) == 18 * 1024);
#endif
    return check_result();
}
