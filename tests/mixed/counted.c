// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM counts its own calls of init and finalize: another interface's do not make it
// initialised, and a finalize too many does not end the other.
#include <shmem.h>

#include "dart_talk.h"

static bool initialized(void)
{
    int yes = -1;
    shmem_query_initialized(&yes);
    return yes != 0;
}

int main(void)
{
    int npes;
    CHECK(!initialized());
    dart_talk_init(true);
    const int me = dart_talk_number(&npes);
    check_as("process", me, npes);
    CHECK(!initialized(), "by DART");
    shmem_finalize();
    dart_talk(1, me, npes);
    shmem_init();
    shmem_init();
    CHECK(initialized());
    shmem_finalize();
    CHECK(initialized(), "one finalize of two");
    shmem_finalize();
    CHECK(!initialized(), "beside DART");
    shmem_finalize();
    dart_talk(2, me, npes);
    CHECK(dart_exit() == DART_OK);
    return check_result();
}
