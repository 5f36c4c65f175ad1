// SPDX-License-Identifier: BSD-3-Clause
//
// After the node object is gone, what looks at PEs of the node finds none instead of memory that is
// no longer mapped: a notification that comes late, the name of a process for a message.
#include <sys/mman.h>

#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/world/world.h"
#include "frame/check.h"

int main(void)
{
    static int zero;
    cw_segment_t *s = &cw_segment;
    cw_world.npes = cw_world.nslots = 1;
    cw_world.node_of_pe = cw_world.slot_of_pe = &zero;
    s->nbytes = 1 << 20;
    s->base = mmap(NULL, s->nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(s->base != MAP_FAILED);
    s->slots = (void *)s->base;
    s->slots[0].pid = 42;
    CHECK(cw_pid_of(0) == 42);
    cw_segment_fini();
    CHECK(cw_pid_of(0) == 0);
    return check_result();
}
