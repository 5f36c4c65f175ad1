// SPDX-License-Identifier: BSD-3-Clause
//
// The program of each scene. The rest is in the library, since the main program's data are
// symmetric memory in a run.
#include "sim.h"

int main(int argc, char **argv)
{
    return sim_main(argc, argv);
}
