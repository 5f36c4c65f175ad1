// SPDX-License-Identifier: BSD-3-Clause
//
// A word that comes from another node is stored once. Providers on sockets store a put's bytes by
// memcpy, and that of the C library stores 2, 4 and 8 bytes twice (base/copy/rows.h): a program
// whose owner of a flag clears it would now and then see one message as two (measured: once in some
// 100,000 puts of a loaded machine), and nothing would say why. So libfabric's calls of memcpy lead
// here.
#include "base/copy/rows.h"
#include "divert.h"
#include "lib.h"

static void *copy(void *restrict dest, const void *restrict src, size_t nbytes)
{
    cwu_copy(dest, src, nbytes);
    return dest;
}

void ofi_store_words_once(void)
{
    static ofi_diverted_t copies;  // for good: this library is not unloaded
    if (!ofi_divert(&copies, ofi_lib.handle, "memcpy", (ofi_fn_t *)copy))
        cwu_debug("libfabric calls memcpy where it cannot be changed: a flag that a put has raised "
                  "and its owner cleared may rise again");
}
