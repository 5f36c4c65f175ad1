// SPDX-License-Identifier: BSD-3-Clause
//
// A flood of small puts to one node in the middle of which another node is reached first, where the
// room for direct puts is used up by that very put.
#define EVERY_MAIN
#include "every.h"

enum { LEAST = 11 };  // puts before, up to a few more than two rooms are

int main(int argc, char **argv)
{
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_attach(NULL, 0, SEGMENT);
    barrier();
    for (unsigned i = 2; i < nodes; i++) {
        unsigned late = (me + i) % nodes;
        char *there = (char *)segments[late].addr + 8 * (size_t)me;
        uint64_t value = 100 * i + me, got = 0;
        gasnet_wait_syncnbi_all();
        for (unsigned k = 0; k < LEAST + i; k++)
            gasnet_put_nbi(next, theirs + 8 * (size_t)me, &value, 8);
        gasnet_put_nbi(late, there, &value, 8);
        gasnet_wait_syncnbi_all();
        gasnet_get(&got, late, there, 8);
        CHECK(got == value, "node %u: %llu instead of %llu", late, (unsigned long long)got,
              (unsigned long long)value);
    }
    barrier();
    every_end("late_contact");
}
