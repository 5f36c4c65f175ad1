// SPDX-License-Identifier: BSD-3-Clause
//
// Two images of a node, each of which assigns to the other and then looks at its own memory: with a
// SYNC MEMORY between, or an EVENT WAIT for what has been posted before, not both look first.
#include "../image_calls.h"
#include "sim.h"

enum { IMAGES = 2, ROUNDS = 3, KINDS = 2 };

static void run(void)
{
    void *slots_token, *events_token;
    array_t array = integer(NULL), event = integer(NULL);
    _gfortran_caf_init(NULL, NULL);
    const int me = _gfortran_caf_this_image(0), other = 3 - me;
    int64_t *seen = sim_common(IMAGES * NBYTES);
    _gfortran_caf_register(ROUNDS * NBYTES, ALLOCATABLE, &slots_token, &array, NULL, NULL, 0);
    _gfortran_caf_register(1, EVENT, &events_token, &event, NULL, NULL, 0);
    int64_t *slots = array.data;
    for (int i = 0; i < ROUNDS; i++)
        slots[i] = 0;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    for (int round = 0; round < ROUNDS; round++) {
        int64_t one = 1;
        array_t to = integer(NULL), from = integer(&one);
        const bool waits = sim_draw(KINDS) == 1;
        if (waits)
            _gfortran_caf_event_post(events_token, 0, me, NULL, NULL, 0);
        _gfortran_caf_sync_all(NULL, NULL, 0);
        _gfortran_caf_send(slots_token, (size_t)round * NBYTES, other, &to, NULL, &from, NBYTES,
                           NBYTES, false, NULL, NULL);
        if (waits)
            _gfortran_caf_event_wait(events_token, 0, 1, NULL, NULL, 0);
        else
            _gfortran_caf_sync_memory(NULL, NULL, 0);
        seen[me - 1] = __atomic_load_n(&slots[round], __ATOMIC_RELAXED);
        _gfortran_caf_sync_all(NULL, NULL, 0);
        SIM_CHECK(seen[0] || seen[1], "round %d: neither image sees what the other has assigned",
                  round);
        _gfortran_caf_sync_all(NULL, NULL, 0);
    }
    sim_end();
    _gfortran_caf_finalize();
}

const sim_scene_t sim_scene = {.name = "image_fences", .npes = IMAGES, .nnodes = 1, .run = run};
