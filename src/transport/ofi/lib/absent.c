// SPDX-License-Identifier: BSD-3-Clause
//
// The list of the kernel's names is hidden by giving libfabric another fopen for the moment
// (slot.h). Its calls for other files do what they did.
#include "absent.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/install.h"
#include "lib.h"
#include "slot.h"

bool ofi_absent_rdma(void)
{
    if (strcmp(cwu_env.probe, "all") == 0 || access("/sys/class/net", F_OK) != 0)
        return false;  // the second: no sysfs here, so who knows
    DIR *dir = opendir("/sys/class/infiniband");
    if (!dir)
        return errno == ENOENT;
    int entries = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        entries += entry->d_name[0] != '.';
    closedir(dir);
    return entries == 0;
}

// ---------------------------------------------------------------- libraries

static const char *const stand_ins[OFI_STAND_INS] = {"absent-psm.so", "absent-psm2.so"};

void ofi_stand_ins_load(void *handles[OFI_STAND_INS])
{
    char path[PATH_MAX];
    // An MPI in this process may load the true libraries for itself: it shall find them.
    bool alone = !dlsym(RTLD_DEFAULT, "MPI_Initialized");
    for (int i = 0; i < OFI_STAND_INS; i++)
        handles[i] = alone && cwu_install_find(stand_ins[i], path)
                         ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                         : NULL;
}

void ofi_stand_ins_drop(void *handles[OFI_STAND_INS])
{
    for (int i = 0; i < OFI_STAND_INS; i++)
        if (handles[i])
            dlclose(handles[i]);
}

// ---------------------------------------------------------------- the list of names

typedef FILE *fopen_fn(const char *, const char *);

static ofi_slot_t slot;

static FILE *open_other(const char *path, const char *mode)
{
    if (strcmp(path, "/proc/kallsyms") == 0) {
        errno = ENOENT;
        return NULL;
    }
    return ((fopen_fn *)slot.old)(path, mode);
}

void ofi_names_hide(void *libfabric)
{
    if (!ofi_slot_divert(&slot, libfabric, "fopen", (ofi_fn_t *)open_other))
        ofi_slot_divert(&slot, libfabric, "fopen64", (ofi_fn_t *)open_other);
}

void ofi_names_show(void)
{
    ofi_slot_restore(&slot);
}
