// SPDX-License-Identifier: BSD-3-Clause
//
// Segments of different sizes, one of them empty, up to the largest; a large one costs nothing
// before it is touched.
#define EVERY_MAIN
#include "every.h"

int main(int argc, char **argv)
{
    GASNET_Safe(gasnet_init(&argc, &argv));
    every_numbers();
    uintptr_t most = gasnet_getMaxGlobalSegmentSize();
    CHECK(most <= gasnet_getMaxLocalSegmentSize() && most % GASNET_PAGESIZE == 0 && most >= 1 << 20,
          "most is %zu", (size_t)most);
    uintptr_t sizes[4] = {most, 0, GASNET_PAGESIZE, 7 * GASNET_PAGESIZE};
    GASNET_Safe(gasnet_attach(NULL, 0, sizes[me % 4], 1 << 20));
    sizes[1] = GASNET_PAGESIZE;  // there are no segments of 0 bytes
    gasnet_seginfo_t s[64];
    GASNET_Safe(gasnet_getSegmentInfo(s, 64));
    for (unsigned i = 0; i < nodes; i++) {
        CHECK(s[i].size == sizes[i % 4], "node %u has %zu bytes", i, (size_t)s[i].size);
        CHECK(s[i].addr != NULL, "node %u has its segment at %p", i, s[i].addr);
    }
    // Every node writes its word at the end of every node's segment.
    for (unsigned i = 0; i < nodes; i++)
        if (s[i].size)
            gasnet_put_val(i, (char *)s[i].addr + s[i].size - 8 * (me + 1), me + 77, 8);
    barrier();
    for (unsigned i = 0; i < nodes && s[me].size; i++) {
        uint64_t got = *(uint64_t *)(void *)((char *)s[me].addr + s[me].size - 8 * (i + 1));
        CHECK(got == i + 77, "word of node %u is %llu", i, (unsigned long long)got);
    }
    barrier();
    every_end("sizes");
}
