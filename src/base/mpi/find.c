// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the MPI of this process and its plugin, or starts one. The calls below have the same
// arguments and results in every MPI with a plugin, so they need no header; all others go through
// a plugin.
#include "base/mpi/find.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/install.h"
#include "base/mpi/facts.h"

enum { VERSION_MAX = 8192 };  // the largest MPI_MAX_LIBRARY_VERSION_STRING there is

typedef struct mpi_lib {
    void *handle;  // for dlsym
    char path[PATH_MAX];
} mpi_lib_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the plugin, loaded once
static struct {
    void *handle;
    char path[PATH_MAX];
} plugin CW_LARGE;

// ---------------------------------------------------------------- the MPI of this process
typedef struct search {
    int nth;
    char *path;
} search_t;

static int take_nth(struct dl_phdr_info *info, size_t size, void *arg)
{
    search_t *s = arg;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    // libmpi.so.N, libmpich.so.N, libmpi_abi.so.N
    if (strncmp(name, "libmpi", 6) != 0 || s->nth-- > 0)
        return 0;
    snprintf(s->path, PATH_MAX, "%s", info->dlpi_name);
    return 1;
}

static int take_opal(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    return strstr(info->dlpi_name, "/libopen-pal.so") && realpath(info->dlpi_name, path);
}

void cwu_mpi_keep_pmix_glue(void)
{
    static const char *const places[] = {"openmpi/mca_pmix_ext*.so",
                                         "openmpi/lib/openmpi*/mca_pmix_ext*.so"};  // 2: Debian
    char path[PATH_MAX], pattern[PATH_MAX + 64];
    if (!dl_iterate_phdr(take_opal, path))
        return;
    *strrchr(path, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%s", path, places[i]);
        if (glob(pattern, GLOB_NOSORT, NULL, &found))
            continue;
        for (size_t k = 0; k < found.gl_pathc; k++)
            (void)dlopen(found.gl_pathv[k], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        globfree(&found);
    }
}

static bool says(void *handle, const char *question)
{
    int flag = 0;
    int (*ask)(int *) = NULL;
    *(void **)&ask = dlsym(handle, question);
    return ask && ask(&flag) == 0 && flag;
}

static bool is_live(void *handle)
{
    return says(handle, "MPI_Initialized") && !says(handle, "MPI_Finalized");
}

/** In programs MPI is in the global scope; interpreters load it for one module alone, where it is
 *  found by its file. */
static bool find_live(mpi_lib_t *lib)
{
    *lib = (mpi_lib_t){RTLD_DEFAULT, ""};
    Dl_info from;
    void *entry = dlsym(RTLD_DEFAULT, "MPI_Initialized");
    if (entry && dladdr(entry, &from) && from.dli_fname)
        snprintf(lib->path, sizeof lib->path, "%s", from.dli_fname);
    if (entry && is_live(RTLD_DEFAULT))
        return true;
    for (int i = 0;; i++) {
        search_t search = {i, lib->path};
        if (!dl_iterate_phdr(take_nth, &search))
            return false;
        lib->handle = dlopen(lib->path, RTLD_LAZY | RTLD_NOLOAD);
        if (lib->handle && is_live(lib->handle))
            return true;  // the reference is kept for the coming calls
        if (lib->handle)
            dlclose(lib->handle);
    }
}

bool cwu_mpi_is_loaded(void)
{
    char path[PATH_MAX];
    search_t search = {0, path};
    return dlsym(RTLD_DEFAULT, "MPI_Initialized") || dl_iterate_phdr(take_nth, &search);
}

bool cwu_mpi_is_live(void)
{
    mpi_lib_t lib;
    return find_live(&lib);
}

int cwu_mpi_thread_level(void)
{
    mpi_lib_t lib;
    int (*ask)(int *) = NULL, level = 0;
    if (!find_live(&lib))
        return 0;
    *(void **)&ask = dlsym(lib.handle, "MPI_Query_thread");
    return ask && ask(&level) == 0 && level > 0 ? level : 0;
}

static _Atomic bool used;

void cwu_mpi_use(bool uses)
{
    atomic_store(&used, uses);
}

void cwu_mpi_end(void)
{
    mpi_lib_t lib;
    int (*finalize)(void) = NULL;
    if (atomic_load(&used) || !find_live(&lib) || !says(lib.handle, "MPI_Is_thread_main"))
        return;
    *(void **)&finalize = dlsym(lib.handle, "MPI_Finalize");
    if (finalize)
        finalize();
}

// ---------------------------------------------------------------- the plugin for it

/** The family, which decides how handles look; libraries with MPICH's binary interface count as
 *  MPICH. NULL: unknown. */
static const char *family_of(const mpi_lib_t *lib, char version[VERSION_MAX])
{
    int (*ask)(char *, int *) = NULL, n = 0;
    *(void **)&ask = dlsym(lib->handle, "MPI_Get_library_version");
    memset(version, 0, VERSION_MAX);
    if (!ask || ask(version, &n) != 0)
        return NULL;
    version[VERSION_MAX - 1] = '\0';
    if (strstr(lib->path, "libmpi_abi."))
        return NULL;  // the binary interface of MPI 5, of any implementation
    static const struct {
        const char *says, *family;
    } known[] = {{"Open MPI", "openmpi"},
                 {"MPICH", "mpich"},
                 {"Intel(R) MPI", "mpich"},
                 {"MVAPICH", "mpich"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(version, known[i].says))
            return known[i].family;
    return NULL;
}

static void *load_file(const char *family, char path[PATH_MAX])
{
    char name[32];
    snprintf(name, sizeof name, "mpi-%s.so", family);
    return cwu_install_find(name, path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/** Lock held. */
static int load(const mpi_lib_t *lib)
{
    char version[VERSION_MAX];
    const char *family = family_of(lib, version);
    cwu_mpi_shorten(version);
    if (!family) {
        cwu_error("this process uses an MPI of a kind without a plugin (%.100s, %.200s); start it "
                  "with oshrun, Hydra, "
                  "srun or orterun, or set CAUSEWAY_BOOTSTRAP=single for a job of one PE",
                  version[0] ? version : "unnamed", lib->path);
        return CW_ENOTSUP;
    }
    // The plugin's names resolve in the global scope.
    if (lib->handle != RTLD_DEFAULT && !dlopen(lib->path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL)) {
        cwu_error("cannot make %s visible to the MPI plugin: %s", lib->path, dlerror());
        return CW_ESYS;
    }
    dlerror();
    plugin.handle = load_file(family, plugin.path);
    if (!plugin.handle) {
        const char *why = dlerror();
        cwu_error("this process uses %.100s, whose plugin %s cannot be loaded (%s): build Causeway "
                  "where mpicc of that "
                  "MPI is found (Debian: libmpich-dev, libopenmpi-dev), or set "
                  "CAUSEWAY_BOOTSTRAP=single for a job of "
                  "one PE",
                  version, plugin.path, why ? why : "it is not installed");
        return CW_ESYS;
    }
    cwu_debug("MPI: %.100s, by %s", version, plugin.path);
    return CW_OK;
}

int cwu_mpi_plugin(const char *symbol, uint32_t version, const void **table_p)
{
    mpi_lib_t lib;
    if (!find_live(&lib))
        return CW_ENOENT;
    pthread_mutex_lock(&lock);
    int rc = plugin.handle ? CW_OK : load(&lib);
    pthread_mutex_unlock(&lock);
    if (rc)
        return rc;
    const cwu_mpi_table_t *table = dlsym(plugin.handle, symbol);
    if (!table || table->version != version) {
        cwu_error("%s is of another version than the library: install both together", plugin.path);
        return CW_EMISMATCH;
    }
    *table_p = table;
    return CW_OK;
}

// ---------------------------------------------------------------- an MPI for a program without one

enum { MULTIPLE = 3 };  // MPI_THREAD_MULTIPLE in every MPI with a plugin

static pid_t started_by;  // cwu_mpi_start or cwu_mpi_start_linked, in this process

/** The library that understands the launcher of this process: what launchers tell their processes
 *  is no setting of this library. NULL: none did. */
static const char *library_of_launcher(void)
{
    if (getenv("OMPI_COMM_WORLD_SIZE") || (getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK")))
        return "libmpi.so.40";  // Open MPI since 3.0
    if (getenv("PMI_FD") || getenv("PMI_PORT"))
        return "libmpich.so.12";  // MPICH since 3.1
    return NULL;
}

/** Where the program has loaded one: that. */
static int load_mpi(mpi_lib_t *lib)
{
    const char *name = cwu_env.mpi_library ? cwu_env.mpi_library : library_of_launcher();
    search_t search = {0, lib->path};
    if (dlsym(RTLD_DEFAULT, "MPI_Init_thread")) {
        lib->handle = RTLD_DEFAULT;
        return CW_OK;
    }
    if (dl_iterate_phdr(take_nth, &search))
        name = lib->path;
    if (!name)
        return CW_ENOENT;
    // visible to the plugin and to what the MPI loads itself
    lib->handle = cwu_load(name, RTLD_LAZY | RTLD_GLOBAL);
    if (lib->handle)
        return CW_OK;
    cwu_error("CAUSEWAY_TRANSPORT=mpi: the program has no MPI, and %s cannot be loaded (%s): set "
              "CAUSEWAY_MPI_LIBRARY to the library of the MPI whose mpiexec has started it",
              name, cwu_load_error());
    return CW_ESYS;
}

bool cwu_mpi_is_own(void)
{
    return started_by == getpid();
}

void cwu_mpi_end_own(void)
{
    if (cwu_mpi_is_own())
        cwu_mpi_end();
    started_by = 0;
}

/** what: asks for it, for messages. */
static int initialise(mpi_lib_t *lib, int level, const char *what)
{
    int (*init)(int *, char ***, int, int *) = NULL, granted = 0;
    *(void **)&init = dlsym(lib->handle, "MPI_Init_thread");
    if (!init) {
        cwu_error("%s: the library has no MPI_Init_thread", what);
        return CW_ENOTSUP;
    }
    // UCX's locks spin by default: of two threads on a core, one spins out its time slice for a
    // lock that the other one holds. What a user says stays.
    if (level == MULTIPLE)
        setenv("UCX_USE_MT_MUTEX", "y", 0);
    if (init(NULL, NULL, level, &granted) != 0) {
        cwu_error("%s: MPI_Init_thread failed", what);
        return CW_ESYS;
    }
    started_by = getpid();
    return CW_OK;
}

int cwu_mpi_start(void)
{
    mpi_lib_t lib = {NULL, ""};
    int rc = load_mpi(&lib);
    if (rc)
        return rc;
    if (says(lib.handle, "MPI_Finalized")) {
        cwu_error("CAUSEWAY_TRANSPORT=mpi: MPI_Finalize has been called; initialise this library "
                  "before it");
        return CW_ENOTSUP;
    }
    return initialise(&lib, MULTIPLE, "CAUSEWAY_TRANSPORT=mpi");
}

int cwu_mpi_start_linked(int level, const char *call)
{
    mpi_lib_t lib = {RTLD_DEFAULT, ""};
    if (!dlsym(RTLD_DEFAULT, "MPI_Init_thread") || says(RTLD_DEFAULT, "MPI_Initialized"))
        return CW_ENOENT;
    return initialise(&lib, level, call);
}
