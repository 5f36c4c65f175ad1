// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of operations by seed (generate.h), of three PEs on two nodes, which an MPI connects.
#define MOST_THREADS THREADS
#include "../generate.h"

static const char *const env[] = {"SIM_MPI=1", "CAUSEWAY_TRANSPORT=mpi", NULL};
const sim_scene_t sim_scene = {.name = "random_mpi",
                               .npes = 3,
                               .nnodes = 2,
                               .run = run_random,
                               .env = env,
                               .most_steps = 30000000};
