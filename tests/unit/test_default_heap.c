// SPDX-License-Identifier: BSD-3-Clause
//
// The default heap is halved until those of all PEs of the machine take half of its memory; a heap
// that the user asked for is given, or refused.
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "core/mem/segment.h"
#include "core/world/world.h"
#include "frame/check.h"

#define MIB (UINT64_C(1) << 20)

/** MiB of the heap, an even number, in a process of its own; 0: refused. */
static int heap_mib(uint64_t machine_mib, int pes, uint64_t asked_mib, bool by_user)
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        static int zero;
        cw_section_t *const sections[] = {NULL};
        cwb_t boot = {.machine_nbytes = machine_mib * MIB, .node_fd = -1};
        cw_world.npes = cw_world.nslots = cw_world.max_slots = 1;
        cw_world.machine_pes = pes;
        cw_world.node_of_pe = cw_world.slot_of_pe = &zero;
        cwu_env.symmetric_size = asked_mib * MIB;
        cwu_env.symmetric_size_set = by_user;
        int rc = cw_segment_init(&boot, sections);
        uint64_t heap = rc ? 0 : cw_segment.layout.heap_nbytes - CW_COLL_SCRATCH;
        _exit((int)(heap / MIB / 2));
    }
    REQUIRE(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return 2 * WEXITSTATUS(status);
}

int main(void)
{
    CHECK(heap_mib(24 * 1024, 4, 256, false) == 256);
    CHECK(heap_mib(2 * 1024, 4, 256, false) == 256);  // exactly half
    CHECK(heap_mib(2 * 1024, 5, 256, false) == 128);
    CHECK(heap_mib(1024, 64, 256, false) == 8);
    CHECK(heap_mib(1024, 2, 400, true) == 400);  // as asked, above the half
    CHECK(heap_mib(1024, 4, 400, true) == 0);
    return check_result();
}
