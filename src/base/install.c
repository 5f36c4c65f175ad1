// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the files of the installation, and loads libraries of others (install.h).
#include "base/install.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "causeway_paths.h"

/** The file that contains this code. The loader knows the program by the name that it was called
 *  by, which may be that of no file here. */
static const char *own_file(void)
{
    static const char here;
    Dl_info self, program;
    if (!dladdr(&here, &self))
        return "/proc/self/exe";  // linked statically
    bool is_program =
        dladdr((const void *)getauxval(AT_PHDR), &program) && program.dli_fbase == self.dli_fbase;
    return is_program ? "/proc/self/exe" : self.dli_fname;
}

static void own_folder(char folder[PATH_MAX])
{
    if (!realpath(own_file(), folder))
        folder[0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    else
        strcpy(folder, ".");
}

bool cwu_install_find(const char *name, char path[PATH_MAX])
{
    static const char *const places[] = {"%.3800s/causeway/%s",
                                         "%.3800s/" CAUSEWAY_LIB_FROM_BIN "/causeway/%s"};
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

/** Does the program, which is the first of all objects, name no loader? */
static int names_no_loader(struct dl_phdr_info *program, size_t nbytes, void *unused)
{
    (void)nbytes;
    (void)unused;
    for (int i = 0; i < program->dlpi_phnum; i++)
        if (program->dlpi_phdr[i].p_type == PT_INTERP)
            return -1;
    return 1;
}

static bool is_static(void)
{
    return dl_iterate_phdr(names_no_loader, NULL) == 1;
}

void *cwu_load(const char *file, int mode)
{
    return is_static() ? NULL : dlopen(file, mode);
}

const char *cwu_load_error(void)
{
    const char *why = dlerror();  // of a static program it is of another call
    if (is_static())
        return "the program is linked with -static: use -static-causeway";
    return why ? why : "unknown error";
}
