// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the files of the installation (install.h).
#include "base/install.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "causeway_paths.h"

/** The folder of the file that contains this code. */
static void own_folder(char folder[PATH_MAX])
{
    static const char here;
    Dl_info self;
    if (!dladdr(&here, &self) || !self.dli_fname || !realpath(self.dli_fname, folder))
        folder[0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    else
        strcpy(folder, ".");
}

bool cwu_install_find(const char *name, char path[PATH_MAX])
{
    static const char *const places[] = {"%.3800s/causeway/%s", "%.3800s/../lib/causeway/%s"};
    char folder[PATH_MAX];
    own_folder(folder);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, PATH_MAX, places[i], folder, name);
        if (access(path, R_OK) == 0)
            return true;
    }
    snprintf(path, PATH_MAX, CAUSEWAY_LIBDIR "/causeway/%s", name);
    return access(path, R_OK) == 0;
}
