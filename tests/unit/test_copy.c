// SPDX-License-Identifier: BSD-3-Clause
//
// Copies past the caches and through them: every alignment, and sizes around a line.
#include <stdint.h>
#include <string.h>

#include "core/mem/copy.h"
#include "frame/check.h"

enum { EDGE = 64, MOST = CW_LONG_COPY + 200 };

static unsigned char source[MOST + 2 * EDGE], dest[MOST + 2 * EDGE], expected[MOST + 2 * EDGE];

static int is_copied(size_t to, size_t from, size_t nbytes, size_t traffic)
{
    memset(dest, 0xa5, sizeof dest);
    memset(expected, 0xa5, sizeof expected);
    memcpy(expected + to, source + from, nbytes);
    cw_copy_part(dest + to, source + from, nbytes, traffic);
    return memcmp(dest, expected, sizeof dest) == 0;
}

int main(void)
{
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (unsigned char)(i * 2654435761u >> 13);
    for (size_t to = 0; to < EDGE; to++)
        for (size_t from = 0; from < 17; from += 3)
            CHECK(is_copied(to, from, CW_LONG_COPY + to * 3 % 130, SIZE_MAX));
    for (size_t more = 0; more <= 130; more++)
        CHECK(is_copied(1, 2, CW_LONG_COPY + more, SIZE_MAX));
    CHECK(is_copied(5, 9, CW_LONG_COPY - 1, SIZE_MAX));
    CHECK(is_copied(5, 9, 0, SIZE_MAX));
    CHECK(is_copied(5, 9, MOST, 2 * MOST));
    return check_result();
}
