// SPDX-License-Identifier: BSD-3-Clause
// The fake's memory: handles are memory files, mappings of them lie where the program reserved
// addresses and answer to no load or store of the host; the fake itself works on shadows.
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0x66616b65637564ull  // behind the bytes of a file: only such ones are imported

struct trailer {
    uint64_t magic, size;
    int device;
    int opened;  // by cuIpcOpenMemHandle of other processes
};

struct memory {  // one physical allocation; lives while handles or mappings name it
    struct memory *next;
    int fd, device, handles, mappings;
    bool exportable, imported;
    size_t size;
};

struct mapping {
    struct mapping *next;
    char *at, *shadow;
    struct memory *memory;
    int access[MAX_DEVICES];
    bool alone;  // of cuMemAlloc: freed by its first address
    bool ipc;    // of cuIpcOpenMemHandle: closed by its first address
};

struct span {  // addresses reserved, or host memory registered
    struct span *next;
    char *at;
    size_t size;
};

static struct memory *memories;
static struct mapping *mappings;
static struct span *ranges, *registered;
static int exposed;

static bool inside(const void *at, size_t size, const void *of, size_t of_size)
{
    return (const char *)at >= (const char *)of && size <= of_size &&
           (size_t)((const char *)at - (const char *)of) <= of_size - size;
}

static bool overlaps(const void *at, size_t size, const void *of, size_t of_size)
{
    return (const char *)at < (const char *)of + of_size &&
           (const char *)of < (const char *)at + size;
}

static struct span *span_of(struct span *list, const void *at, size_t size)
{
    while (list != NULL && !inside(at, size, list->at, list->size))
        list = list->next;
    return list;
}

static struct mapping *mapping_of(const void *at)
{
    struct mapping *m = mappings;
    while (m != NULL && !inside(at, 1, m->at, m->memory->size))
        m = m->next;
    return m;
}

static CUresult add_span(struct span **list, void *at, size_t size)
{
    struct span *s = malloc(sizeof *s);
    if (s == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *s = (struct span){*list, at, size};
    *list = s;
    return CUDA_SUCCESS;
}

static bool remove_span(struct span **list, const void *at, size_t size)
{
    for (struct span **s = list; *s != NULL; s = &(*s)->next)
        if ((*s)->at == at && (size == 0 || (*s)->size == size)) {
            struct span *gone = *s;
            *s = gone->next;
            free(gone);
            return true;
        }
    return false;
}

void fake_memory_left(long *n_mappings, long *handles, long *registrations, long *n_ranges)
{
    *n_mappings = *handles = *registrations = *n_ranges = 0;
    pthread_mutex_lock(&fake_lock);
    for (struct mapping *m = mappings; m != NULL; m = m->next)
        ++*n_mappings;
    for (struct memory *m = memories; m != NULL; m = m->next)
        *handles += m->handles;
    for (struct span *s = registered; s != NULL; s = s->next)
        ++*registrations;
    for (struct span *s = ranges; s != NULL; s = s->next)
        ++*n_ranges;
    pthread_mutex_unlock(&fake_lock);
}

bool fake_is_device(CUdeviceptr address)
{
    pthread_mutex_lock(&fake_lock);
    bool is = span_of(ranges, (void *)(uintptr_t)address, 1) != NULL;
    pthread_mutex_unlock(&fake_lock);
    return is;
}

bool fake_is_registered(const void *at, size_t size)
{
    pthread_mutex_lock(&fake_lock);
    bool is = span_of(registered, at, size) != NULL;
    pthread_mutex_unlock(&fake_lock);
    return is;
}

void *fake_reach(int device, CUdeviceptr address, size_t *size, bool writes)
{
    void *at = (void *)(uintptr_t)address, *touched = at;
    pthread_mutex_lock(&fake_lock);
    if (span_of(ranges, at, 1) != NULL) {
        struct mapping *m = mapping_of(at);
        int needs = writes ? ACCESS_READWRITE : ACCESS_READ;
        if (m != NULL && (m->access[device] & needs) == needs) {
            size_t offset = (size_t)((char *)at - m->at), left = m->memory->size - offset;
            touched = m->shadow + offset;
            *size = *size < left ? *size : left;
        } else
            touched = NULL;
    }
    pthread_mutex_unlock(&fake_lock);
    return touched;
}

void fake_expose(bool on)
{
    pthread_mutex_lock(&fake_lock);
    int before = exposed;
    exposed += on ? 1 : -1;
    if ((before == 0) != (exposed == 0))
        for (struct mapping *m = mappings; m != NULL; m = m->next)
            mprotect(m->at, m->memory->size, exposed ? PROT_READ | PROT_WRITE : PROT_NONE);
    pthread_mutex_unlock(&fake_lock);
}

API CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                           int option)
{
    ENTER();
    if (prop->type != ALLOCATION_TYPE_PINNED || option < 0 || option > 1)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULE;
    return CUDA_SUCCESS;
}

/** FAKE_CUDA_MOVE=1: where a range is instead of at the address asked for, in each process another
 *  place. */
static void *elsewhere(void)
{
    const uintptr_t begin = (uintptr_t)0x7d << 40, step = (uintptr_t)16 << 30;
    return (void *)(begin + (uintptr_t)getpid() % 64 * step);
}

API CUresult cuMemAddressReserve(CUdeviceptr *at, size_t size, size_t alignment, CUdeviceptr wish,
                                 unsigned long long flags)
{
    ENTER();
    if (size == 0 || size % GRANULE != 0 || flags != 0 || (alignment & (alignment - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (alignment < GRANULE)
        alignment = GRANULE;
    const bool moves = fake_number("FAKE_CUDA_MOVE", 0) != 0;
    if (moves)
        wish = 0;
    char *got = MAP_FAILED;
    if (wish != 0 && wish % GRANULE == 0)
        got = mmap((void *)(uintptr_t)wish, size, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) {
        char *whole = mmap(moves ? elsewhere() : NULL, size + alignment, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (whole == MAP_FAILED)
            return CUDA_ERROR_OUT_OF_MEMORY;
        got = (char *)(((uintptr_t)whole + alignment - 1) & ~(uintptr_t)(alignment - 1));
        if (got > whole)
            munmap(whole, (size_t)(got - whole));
        if (whole + alignment > got)
            munmap(got + size, (size_t)(whole + alignment - got));
    }
    pthread_mutex_lock(&fake_lock);
    CUresult result = add_span(&ranges, got, size);
    pthread_mutex_unlock(&fake_lock);
    if (result != CUDA_SUCCESS)
        munmap(got, size);
    *at = (CUdeviceptr)(uintptr_t)got;
    return result;
}

API CUresult cuMemAddressFree(CUdeviceptr at, size_t size)
{
    ENTER();
    void *start = (void *)(uintptr_t)at;
    pthread_mutex_lock(&fake_lock);
    bool used = false;
    for (struct mapping *m = mappings; m != NULL; m = m->next)
        used |= overlaps(m->at, m->memory->size, start, size);
    bool had = !used && size != 0 && remove_span(&ranges, start, size);
    if (had)
        munmap(start, size);
    pthread_mutex_unlock(&fake_lock);
    return had ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static bool enough(int device, size_t size)
{
    size_t used = 0, all = (size_t)fake_number("FAKE_CUDA_MEMORY", 1L << 32);
    for (struct memory *m = memories; m != NULL; m = m->next)
        used += m->device == device && !m->imported ? m->size : 0;
    return size <= all && used <= all - size;
}

static struct memory *new_memory(int fd, int device, size_t size, bool imported)
{
    struct memory *m = malloc(sizeof *m);
    if (m == NULL)
        return NULL;
    *m = (struct memory){memories, fd, device, 1, 0, false, imported, size};
    memories = m;
    return m;
}

static void drop(struct memory *gone)
{
    if (gone->handles != 0 || gone->mappings != 0)
        return;
    struct memory **m = &memories;
    while (*m != gone)
        m = &(*m)->next;
    *m = gone->next;
    close(gone->fd);
    free(gone);
}

static struct memory *memory_of(CUmemGenericAllocationHandle handle)
{
    struct memory *m = memories;
    while (m != NULL && ((uintptr_t)m != handle || m->handles == 0))
        m = m->next;
    return m;
}

static CUresult create(struct memory **made, size_t size, int device)
{
    if (!enough(device, size))
        return CUDA_ERROR_OUT_OF_MEMORY;
    int fd = memfd_create("fake device memory", MFD_CLOEXEC);
    struct trailer trailer = {MAGIC, size, device, 0};
    if (fd < 0 || pwrite(fd, &trailer, sizeof trailer, (off_t)size) != sizeof trailer ||
        (*made = new_memory(fd, device, size, false)) == NULL) {
        if (fd >= 0)
            close(fd);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

API CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                         const CUmemAllocationProp *prop, unsigned long long flags)
{
    ENTER();
    if (size == 0 || size % GRANULE != 0 || flags != 0 || prop->type != ALLOCATION_TYPE_PINNED ||
        prop->location.type != LOCATION_TYPE_DEVICE || prop->requestedHandleTypes > 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (prop->location.id < 0 || prop->location.id >= fake_devices())
        return CUDA_ERROR_INVALID_DEVICE;
    if (fake_number("FAKE_CUDA_VMM", 1) == 0 ||
        (prop->requestedHandleTypes != 0 && fake_number("FAKE_CUDA_EXPORT", 1) == 0))
        return CUDA_ERROR_NOT_SUPPORTED;
    struct memory *made = NULL;
    pthread_mutex_lock(&fake_lock);
    CUresult result = create(&made, size, prop->location.id);
    if (made != NULL)
        made->exportable = prop->requestedHandleTypes != 0;
    pthread_mutex_unlock(&fake_lock);
    *handle = (uintptr_t)made;
    return result;
}

API CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    ENTER();
    pthread_mutex_lock(&fake_lock);
    struct memory *m = memory_of(handle);
    if (m != NULL) {
        m->handles--;
        drop(m);
    }
    pthread_mutex_unlock(&fake_lock);
    return m != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Under the lock, in reserved addresses.
static CUresult map(char *at, struct memory *memory, struct mapping **made)
{
    struct mapping *m = calloc(1, sizeof *m);
    if (m == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    m->shadow = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
    m->at = mmap(at, memory->size, exposed ? PROT_READ | PROT_WRITE : PROT_NONE,
                 MAP_SHARED | MAP_FIXED, memory->fd, 0);
    m->memory = memory;
    m->next = mappings;
    if (m->shadow == MAP_FAILED || m->at == MAP_FAILED) {
        if (m->shadow != MAP_FAILED)
            munmap(m->shadow, memory->size);
        free(m);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory->mappings++;
    *made = mappings = m;
    return CUDA_SUCCESS;
}

API CUresult cuMemMap(CUdeviceptr at, size_t size, size_t offset,
                      CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    ENTER();
    char *start = (char *)(uintptr_t)at;
    struct mapping *made;
    pthread_mutex_lock(&fake_lock);
    struct memory *memory = memory_of(handle);
    CUresult result = CUDA_SUCCESS;
    if (memory == NULL || offset != 0 || flags != 0 || size != memory->size || at % GRANULE != 0 ||
        span_of(ranges, start, size) == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    for (struct mapping *m = mappings; m != NULL; m = m->next)
        if (overlaps(m->at, m->memory->size, start, size))
            result = CUDA_ERROR_ALREADY_MAPPED;
    if (result == CUDA_SUCCESS)
        result = map(start, memory, &made);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

// Under the lock: the addresses stay reserved.
static void unmap(struct mapping **link)
{
    struct mapping *gone = *link;
    *link = gone->next;
    munmap(gone->shadow, gone->memory->size);
    mmap(gone->at, gone->memory->size, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    gone->memory->mappings--;
    drop(gone->memory);
    free(gone);
}

API CUresult cuMemUnmap(CUdeviceptr at, size_t size)
{
    ENTER();
    char *start = (char *)(uintptr_t)at;
    size_t found = 0;
    pthread_mutex_lock(&fake_lock);
    for (struct mapping *m = mappings; m != NULL; m = m->next)
        found += inside(m->at, m->memory->size, start, size) ? m->memory->size : 0;
    for (struct mapping **m = &mappings; found == size && *m != NULL;)
        if (inside((*m)->at, (*m)->memory->size, start, size))
            unmap(m);
        else
            m = &(*m)->next;
    pthread_mutex_unlock(&fake_lock);
    return found == size && size != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemSetAccess(CUdeviceptr at, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    ENTER();
    char *start = (char *)(uintptr_t)at;
    size_t found = 0;
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&fake_lock);
    for (struct mapping *m = mappings; m != NULL; m = m->next)
        if (inside(m->at, m->memory->size, start, size)) {
            found += m->memory->size;
            for (size_t i = 0; i < count; i++)
                if (desc[i].location.type != LOCATION_TYPE_DEVICE || desc[i].location.id < 0 ||
                    desc[i].location.id >= fake_devices())
                    result = CUDA_ERROR_INVALID_DEVICE;
                else if (!fake_peers(m->memory->device, desc[i].location.id))
                    result = CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
                else
                    m->access[desc[i].location.id] = desc[i].flags;
        }
    pthread_mutex_unlock(&fake_lock);
    return found != size || size == 0 ? CUDA_ERROR_INVALID_VALUE : result;
}

API CUresult cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle, int type,
                                          unsigned long long flags)
{
    ENTER();
    if (type != HANDLE_TYPE_POSIX_FD || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&fake_lock);
    struct memory *m = memory_of(handle);
    int fd = m != NULL && m->exportable ? dup(m->fd) : -1;
    pthread_mutex_unlock(&fake_lock);
    if (fd < 0)
        return m == NULL || !m->exportable ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_UNKNOWN;
    *(int *)out = fd;
    return CUDA_SUCCESS;
}

API CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *os_handle,
                                            int type)
{
    ENTER();
    struct stat file;
    struct trailer trailer;
    int given = (int)(intptr_t)os_handle;
    if (type != HANDLE_TYPE_POSIX_FD || fstat(given, &file) != 0 ||
        file.st_size < (off_t)sizeof trailer ||
        pread(given, &trailer, sizeof trailer, file.st_size - (off_t)sizeof trailer) !=
            sizeof trailer ||
        trailer.magic != MAGIC || trailer.device >= fake_devices())
        return CUDA_ERROR_INVALID_VALUE;
    int fd = dup(given);
    pthread_mutex_lock(&fake_lock);
    struct memory *m = fd < 0 ? NULL : new_memory(fd, trailer.device, trailer.size, true);
    pthread_mutex_unlock(&fake_lock);
    if (m == NULL && fd >= 0)
        close(fd);
    *handle = (uintptr_t)m;
    return m != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

API CUresult cuMemAlloc_v2(CUdeviceptr *at, size_t bytes)
{
    ENTER_WITH_CONTEXT();
    if (bytes == 0 || bytes > SIZE_MAX - GRANULE)
        return CUDA_ERROR_INVALID_VALUE;
    size_t size = (bytes + GRANULE - 1) & ~(GRANULE - 1);
    int device = fake_device_of(fake_current());
    CUdeviceptr got;
    CUresult result = cuMemAddressReserve(&got, size, 0, 0, 0);
    if (result != CUDA_SUCCESS)
        return result;
    struct memory *memory = NULL;
    struct mapping *made = NULL;
    pthread_mutex_lock(&fake_lock);
    result = create(&memory, size, device);
    if (result == CUDA_SUCCESS) {
        result = map((char *)(uintptr_t)got, memory, &made);
        memory->handles--;
        if (made == NULL)
            drop(memory);
    }
    if (made != NULL) {
        made->alone = true;
        for (int i = 0; i < MAX_DEVICES; i++)
            made->access[i] = fake_peers(device, i) ? ACCESS_READWRITE : ACCESS_NONE;
    }
    pthread_mutex_unlock(&fake_lock);
    if (result != CUDA_SUCCESS)
        cuMemAddressFree(got, size);
    *at = got;
    return result;
}

// How many processes have it by cuIpcOpenMemHandle, after a change of that number.
static int open_elsewhere(const struct memory *m, int change)
{
    int n = 0;
    struct trailer *t =
        mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, (off_t)m->size);
    if (t != MAP_FAILED) {
        n = __atomic_add_fetch(&t->opened, change, __ATOMIC_SEQ_CST);
        munmap(t, sizeof *t);
    }
    return n;
}

API CUresult cuMemFree_v2(CUdeviceptr at)
{
    ENTER_WITH_CONTEXT();
    size_t size = 0;
    pthread_mutex_lock(&fake_lock);
    for (struct mapping **m = &mappings; *m != NULL; m = &(*m)->next)
        if ((*m)->alone && (uintptr_t)(*m)->at == at) {
            size = (*m)->memory->size;
            if (open_elsewhere((*m)->memory, 0) != 0)
                fprintf(stderr, "FAIL: cuMemFree of memory that another process has mapped\n");
            unmap(m);
            break;
        }
    pthread_mutex_unlock(&fake_lock);
    return size != 0 ? cuMemAddressFree(at, size) : CUDA_ERROR_INVALID_VALUE;
}

struct ipc {  // what a handle says
    uint64_t magic, inode;
    int pid, fd;
};
_Static_assert(sizeof(struct ipc) <= sizeof(CUipcMemHandle), "it fits");

// FAKE_CUDA_IPC=0: no memory has a handle; 2: none can be opened.
API CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr at)
{
    ENTER_WITH_CONTEXT();
    struct stat file;
    struct ipc ipc = {MAGIC, 0, getpid(), -1};
    if (fake_number("FAKE_CUDA_IPC", 1) == 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&fake_lock);
    struct mapping *m = mapping_of((void *)(uintptr_t)at);
    if (m != NULL && m->alone && fstat(m->memory->fd, &file) == 0) {
        ipc.fd = m->memory->fd;
        ipc.inode = file.st_ino;
    }
    pthread_mutex_unlock(&fake_lock);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ipc, sizeof ipc);
    return ipc.fd >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult open_ipc(const struct ipc *ipc, int *fd, struct trailer *trailer)
{
    char path[64];
    struct stat file;
    if (ipc->magic != MAGIC)
        return CUDA_ERROR_INVALID_HANDLE;
    if (ipc->pid == getpid())
        return CUDA_ERROR_INVALID_CONTEXT;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", ipc->pid, ipc->fd);
    if ((*fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
        return CUDA_ERROR_INVALID_HANDLE;
    if (fstat(*fd, &file) == 0 && (uint64_t)file.st_ino == ipc->inode &&
        pread(*fd, trailer, sizeof *trailer, file.st_size - (off_t)sizeof *trailer) ==
            sizeof *trailer &&
        trailer->magic == MAGIC)
        return CUDA_SUCCESS;
    close(*fd);
    return CUDA_ERROR_INVALID_HANDLE;
}

// Under the lock.
static CUresult map_ipc(CUdeviceptr got, int fd, const struct trailer *trailer, uint64_t inode)
{
    struct stat file;
    struct mapping *made = NULL;
    struct memory *memory;
    for (struct mapping *m = mappings; m != NULL; m = m->next)  // drivers before 11.5
        if (m->ipc && fstat(m->memory->fd, &file) == 0 && (uint64_t)file.st_ino == inode)
            return CUDA_ERROR_ALREADY_MAPPED;
    if (trailer->device >= fake_devices() || fake_device_of(fake_current()) != trailer->device)
        return CUDA_ERROR_INVALID_CONTEXT;
    if ((memory = new_memory(fd, trailer->device, trailer->size, true)) == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = map((char *)(uintptr_t)got, memory, &made);
    if (made != NULL) {
        made->ipc = true;
        for (int i = 0; i < MAX_DEVICES; i++)
            made->access[i] = fake_peers(trailer->device, i) ? ACCESS_READWRITE : ACCESS_NONE;
        open_elsewhere(memory, 1);
    }
    memory->handles--;
    drop(memory);
    return result;
}

API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *at, CUipcMemHandle handle, unsigned flags)
{
    ENTER_WITH_CONTEXT();
    int fd = -1;
    struct ipc ipc;
    struct trailer trailer;
    CUdeviceptr got = 0;
    memcpy(&ipc, &handle, sizeof ipc);
    if (flags != 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (fake_number("FAKE_CUDA_IPC", 1) == 2)
        return CUDA_ERROR_NOT_SUPPORTED;
    CUresult result = open_ipc(&ipc, &fd, &trailer);
    if (result != CUDA_SUCCESS)
        return result;
    if ((result = cuMemAddressReserve(&got, trailer.size, 0, 0, 0)) != CUDA_SUCCESS) {
        close(fd);
        return result;
    }
    pthread_mutex_lock(&fake_lock);
    result = map_ipc(got, fd, &trailer, ipc.inode);
    pthread_mutex_unlock(&fake_lock);
    if (result != CUDA_SUCCESS)
        cuMemAddressFree(got, trailer.size);
    *at = got;
    return result;
}

API CUresult cuIpcCloseMemHandle(CUdeviceptr at)
{
    ENTER_WITH_CONTEXT();
    size_t size = 0;
    pthread_mutex_lock(&fake_lock);
    for (struct mapping **m = &mappings; *m != NULL; m = &(*m)->next)
        if ((*m)->ipc && (uintptr_t)(*m)->at == at) {
            size = (*m)->memory->size;
            open_elsewhere((*m)->memory, -1);
            unmap(m);
            break;
        }
    pthread_mutex_unlock(&fake_lock);
    return size != 0 ? cuMemAddressFree(at, size) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemHostRegister_v2(void *at, size_t size, unsigned flags)
{
    ENTER_WITH_CONTEXT();
    if (size == 0 || flags > 15 || fake_is_device((uintptr_t)at))
        return CUDA_ERROR_INVALID_VALUE;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *first = (char *)((uintptr_t)at & ~(page - 1));
    unsigned char resident[1024];
    char *end = (char *)(((uintptr_t)at + size + page - 1) & ~(page - 1));
    for (char *p = first; p < end;) {  // each page is there
        size_t now =
            (size_t)(end - p) < sizeof resident * page ? (size_t)(end - p) : sizeof resident * page;
        if (mincore(p, now, resident) != 0 && errno == ENOMEM)
            return CUDA_ERROR_INVALID_VALUE;
        p += now;
    }
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&fake_lock);
    for (struct span *s = registered; s != NULL; s = s->next)
        if (overlaps(s->at, s->size, at, size))
            result = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (result == CUDA_SUCCESS)
        result = add_span(&registered, at, size);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

API CUresult cuMemHostUnregister(void *at)
{
    ENTER_WITH_CONTEXT();
    pthread_mutex_lock(&fake_lock);
    bool had = remove_span(&registered, at, 0);
    pthread_mutex_unlock(&fake_lock);
    return had ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *at, unsigned flags)
{
    ENTER_WITH_CONTEXT();
    pthread_mutex_lock(&fake_lock);
    bool known = flags == 0 && span_of(registered, at, 1) != NULL;
    pthread_mutex_unlock(&fake_lock);
    *out = known ? (uintptr_t)at : 0;
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuPointerGetAttribute(void *out, int attribute, CUdeviceptr pointer)
{
    ENTER();
    void *at = (void *)(uintptr_t)pointer;
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&fake_lock);
    struct mapping *m = mapping_of(at);
    struct span *host = span_of(registered, at, 1);
    if (m == NULL && host == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    else
        switch (attribute) {
        case POINTER_MEMORY_TYPE:
            *(unsigned *)out = m != NULL ? MEMORYTYPE_DEVICE : MEMORYTYPE_HOST;
            break;
        case POINTER_DEVICE_POINTER:
            *(CUdeviceptr *)out = pointer;
            break;
        case POINTER_HOST_POINTER:
            *(void **)out = m != NULL ? NULL : at;
            result = m != NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
            break;
        case POINTER_IS_MANAGED:
            *(unsigned *)out = 0;
            break;
        case POINTER_DEVICE_ORDINAL:
            *(int *)out = m != NULL ? m->memory->device : 0;
            break;
        case POINTER_RANGE_START_ADDR:
            *(CUdeviceptr *)out = (uintptr_t)(m != NULL ? m->at : host->at);
            break;
        case POINTER_RANGE_SIZE:
            *(size_t *)out = m != NULL ? m->memory->size : host->size;
            break;
        case POINTER_MAPPED:
            *(unsigned *)out = 1;
            break;
        default:
            result = CUDA_ERROR_NOT_SUPPORTED;
        }
    pthread_mutex_unlock(&fake_lock);
    return result;
}

// As the driver's: an unknown pointer is no error here, and its attributes are zero.
API CUresult cuPointerGetAttributes(unsigned count, int *attributes, void **out,
                                    CUdeviceptr pointer)
{
    ENTER();
    static const struct {
        int attribute;
        size_t size;
    } sizes[] = {{POINTER_MEMORY_TYPE, 4},    {POINTER_DEVICE_POINTER, 8},
                 {POINTER_HOST_POINTER, 8},   {POINTER_IS_MANAGED, 4},
                 {POINTER_DEVICE_ORDINAL, 4}, {POINTER_RANGE_START_ADDR, 8},
                 {POINTER_RANGE_SIZE, 8},     {POINTER_MAPPED, 4}};
    for (unsigned i = 0; i < count; i++)
        if (cuPointerGetAttribute(out[i], attributes[i], pointer) != CUDA_SUCCESS)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                if (sizes[k].attribute == attributes[i])
                    memset(out[i], 0, sizes[k].size);
    return CUDA_SUCCESS;
}
