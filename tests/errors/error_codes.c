// SPDX-License-Identifier: BSD-3-Clause
//
//     error_codes ROUTINE CODE
//
// The last process ends the job by that routine, or by exit, while the others wait for it.
#include <armci.h>
#include <dash/dart/if/dart.h>
#include <message.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *routine = argc > 2 ? argv[1] : "";
    const int code = argc > 2 ? atoi(argv[2]) : 0;
    ARMCI_Init();
    if (!strcmp(routine, "dart_abort"))
        dart_init(&argc, &argv);
    if (armci_msg_me() == armci_msg_nproc() - 1) {
        if (!strcmp(routine, "ARMCI_Error"))
            ARMCI_Error("a failure", code);
        if (!strcmp(routine, "armci_msg_abort"))
            armci_msg_abort(code);
        if (!strcmp(routine, "dart_abort"))
            dart_abort(code);
        exit(code);
    }
    ARMCI_Barrier();
    return 0;
}
