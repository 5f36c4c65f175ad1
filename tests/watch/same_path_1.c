// SPDX-License-Identifier: BSD-3-Clause
//
// Each kind of GASNet-1 put and get to the next node (same_path.h).
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame/check.h"
#include "same_path.h"

static void use(gasnet_node_t next, char *there, char *here)
{
    uint64_t word = 0;
    TIMES(gasnet_put(next, there, &word, 8));
    TIMES(gasnet_put_bulk(next, there, here, BIG));
    TIMES(gasnet_put_val(next, there, (uint64_t)i, 8));
    TIMES(gasnet_wait_syncnb(gasnet_put_nb(next, there, &word, 8)));
    TIMES(gasnet_wait_syncnb(gasnet_put_nb_bulk(next, there, here, BIG)));
    TIMES(gasnet_wait_syncnb(gasnet_put_nb_val(next, there, (uint64_t)i, 4)));
    TIMES(gasnet_put_nbi(next, there, &word, 8); gasnet_wait_syncnbi_puts());
    TIMES(gasnet_put_nbi(next, there, here, 24); gasnet_wait_syncnbi_puts());
    TIMES(gasnet_put_nbi_bulk(next, there, &word, 8); gasnet_wait_syncnbi_puts());
    TIMES(gasnet_put_nbi_bulk(next, there, here, BIG); gasnet_wait_syncnbi_puts());
    TIMES(gasnet_put_nbi_val(next, there, (uint64_t)i, 2); gasnet_wait_syncnbi_puts());
    TIMES(gasnet_get(&word, next, there, 8));
    TIMES(gasnet_get_bulk(here, next, there, BIG));
    TIMES((void)gasnet_get_val(next, there, 8));
    TIMES(gasnet_wait_syncnb(gasnet_get_nb(&word, next, there, 8)));
    TIMES(gasnet_get_nbi(&word, next, there, 8); gasnet_wait_syncnbi_gets());
}

int main(int argc, char **argv)
{
    static gasnet_seginfo_t info[64];
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(NULL, 0, 1 << 20, 0));
    gasnet_node_t me = gasnet_mynode(), n = gasnet_nodes();
    GASNET_Safe(gasnet_getSegmentInfo(info, 64));
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    GASNET_Safe(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
    if (me == 0)  // the others compute nothing and send nothing
        use(1 % n, info[1 % n].addr, (char *)info[me].addr + BIG);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    GASNET_Safe(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
    CHECK(number > FIRST || me != 0);
    return check_result();
}
