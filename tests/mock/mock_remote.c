// SPDX-License-Identifier: BSD-3-Clause
//
// Memory regions of other processes. A key names its process: (pid, random) mixed to appear random.
// The region is recorded in that process's registry, a memfd that others open through /proc/PID/fd,
// so that nothing is left after a crash. Atomics need the memory itself; it is mapped through
// /proc/PID/map_files or, without the privilege for that, through the descriptor of the same file
// in the target process.
#include "mock.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define REGISTRY_NAME "mock-fabric-regions"
enum { ENTRIES = 4096, PID_BITS = 24, RANDOM_BITS = 64 - PID_BITS };

// Written by its owner, read by all processes. `key` is stored last (release) and read first
// (acquire): a process that sees the key sees base and nbytes. A withdrawn entry keeps them; its
// key becomes 0.
struct entry {
    _Atomic uint64_t key;
    uint64_t base, nbytes;
};

struct registry {
    struct registry *next;
    int pid;
    struct entry *entries;
};

struct window {  // a mapping of another process, mapped here
    struct window *next;
    int pid;
    uint64_t start, end;  // in that process
    char *here;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the lists
static struct registry *registries;
static struct window *windows;

// x -> x ^ x>>32 is its own inverse; the odd factor has one modulo 2^64 (Newton's iteration).
static const uint64_t factor = 0xd6e8feb86659fd93u;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= factor;
    return x ^ x >> 32;
}

static uint64_t unmix(uint64_t x)
{
    uint64_t inverse = factor;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - factor * inverse;
    x ^= x >> 32;
    x *= inverse;
    return x ^ x >> 32;
}

uint64_t mock_key_new(void)
{
    uint64_t random = ((uint64_t)mock_random() << 32 | mock_random()) >> PID_BITS;
    return mix((uint64_t)getpid() << RANDOM_BITS | random);
}

static struct entry *map_registry(int fd)
{
    void *map =
        mmap(NULL, ENTRIES * sizeof(struct entry), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return map == MAP_FAILED ? NULL : map;
}

static struct entry *open_own(void)
{
    int fd = memfd_create(REGISTRY_NAME, MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, ENTRIES * sizeof(struct entry)) != 0)
        mock_violation("no memory for the registry of regions");
    return map_registry(fd);  // fd stays open: other processes reach the registry by it
}

static struct entry *open_other(int pid)
{
    char path[320], link[128];
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *dir = opendir(path);
    struct entry *entries = NULL;
    struct dirent *d;
    while (dir && !entries && (d = readdir(dir))) {
        snprintf(path, sizeof path, "/proc/%d/fd/%s", pid, d->d_name);
        ssize_t n = readlink(path, link, sizeof link - 1);
        if (n < 0)
            continue;
        link[n] = '\0';
        if (!strstr(link, REGISTRY_NAME))
            continue;
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd >= 0) {
            entries = map_registry(fd);
            close(fd);
        }
    }
    if (dir)
        closedir(dir);
    return entries;
}

// Called with `lock` held. NULL: no such process, or one without regions.
static struct entry *registry_of(int pid)
{
    for (struct registry *r = registries; r; r = r->next)
        if (r->pid == pid)
            return r->entries;
    struct entry *entries = pid == getpid() ? open_own() : open_other(pid);
    if (!entries)
        return NULL;
    struct registry *r = mock_new(sizeof *r);
    *r = (struct registry){registries, pid, entries};
    registries = r;
    return entries;
}

static struct entry *find(struct entry *entries, uint64_t key)
{
    for (int i = 0; entries && i < ENTRIES; i++)
        if (atomic_load_explicit(&entries[i].key, memory_order_acquire) == key)
            return &entries[i];
    return NULL;
}

void mock_key_publish(uint64_t key, uint64_t base, uint64_t nbytes)
{
    pthread_mutex_lock(&lock);
    struct entry *e = find(registry_of(getpid()), 0);
    if (!e)
        mock_violation("more than %d regions open to others", ENTRIES);
    e->base = base;
    e->nbytes = nbytes;
    atomic_store_explicit(&e->key, key, memory_order_release);
    pthread_mutex_unlock(&lock);
}

void mock_key_withdraw(uint64_t key)
{
    pthread_mutex_lock(&lock);
    struct entry *e = find(registry_of(getpid()), key);
    if (e)
        atomic_store_explicit(&e->key, 0, memory_order_release);
    pthread_mutex_unlock(&lock);
}

uint64_t mock_key_resolve(uint64_t key, uint64_t addr, uint64_t nbytes, int *pid_p)
{
    int pid = (int)(unmix(key) >> RANDOM_BITS);
    pthread_mutex_lock(&lock);
    struct entry *e = key ? find(registry_of(pid), key) : NULL;
    pthread_mutex_unlock(&lock);
    if (!e)
        mock_violation("key %#" PRIx64 " belongs to no region", key);
    uint64_t offset = mock_want.virt_addr ? addr - e->base : addr;
    if (offset > e->nbytes || nbytes > e->nbytes - offset)
        mock_violation("address %#" PRIx64 " + %" PRIu64 " is outside the region of key %#" PRIx64
                       " in pid %d (base %#" PRIx64 ", %" PRIu64 " bytes, addressed by %s)",
                       addr, nbytes, key, pid, e->base, e->nbytes,
                       mock_want.virt_addr ? "virtual address" : "offset");
    *pid_p = pid;
    return e->base + offset;
}

struct vma {
    uint64_t start, end, offset, inode;
    unsigned major, minor;
    char perms[5];
};

static bool find_vma(int pid, uint64_t addr, struct vma *vma)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps))
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64, &vma->start,
                       &vma->end, vma->perms, &vma->offset, &vma->major, &vma->minor,
                       &vma->inode) == 7 &&
                addr >= vma->start && addr < vma->end;
    if (maps)
        fclose(maps);
    return found;
}

static int open_by_fd(int pid, const struct vma *vma)
{
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *dir = opendir(path);
    struct dirent *d;
    struct stat st;
    int fd = -1;
    while (dir && fd < 0 && (d = readdir(dir))) {
        snprintf(path, sizeof path, "/proc/%d/fd/%s", pid, d->d_name);
        if (stat(path, &st) == 0 && st.st_ino == vma->inode && major(st.st_dev) == vma->major &&
            minor(st.st_dev) == vma->minor)
            fd = open(path, O_RDWR | O_CLOEXEC);
    }
    if (dir)
        closedir(dir);
    return fd;
}

// NULL: it is not shared memory.
static struct window *open_window(int pid, uint64_t addr)
{
    struct vma vma;
    if (!find_vma(pid, addr, &vma) || vma.perms[3] != 's')
        return NULL;
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, vma.start, vma.end);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        fd = open_by_fd(pid, &vma);
    void *here = fd < 0 ? MAP_FAILED
                        : mmap(NULL, vma.end - vma.start, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                               (off_t)vma.offset);
    if (here == MAP_FAILED)
        mock_violation("the memory at %#" PRIx64 " of pid %d cannot be mapped", addr, pid);
    close(fd);
    struct window *w = mock_new(sizeof *w);
    *w = (struct window){windows, pid, vma.start, vma.end, here};
    windows = w;
    return w;
}

void *mock_remote_shared(int pid, uint64_t addr, uint64_t nbytes)
{
    if (pid == getpid())
        return (void *)(uintptr_t)addr;
    pthread_mutex_lock(&lock);
    struct window *w = windows;
    while (w && !(w->pid == pid && addr >= w->start && addr + nbytes <= w->end))
        w = w->next;
    if (!w)
        w = open_window(pid, addr);
    pthread_mutex_unlock(&lock);
    return w ? w->here + (addr - w->start) : NULL;
}

void *mock_remote_map(int pid, uint64_t addr, uint64_t nbytes)
{
    void *here = mock_remote_shared(pid, addr, nbytes);
    if (!here)
        mock_violation("an atomic on %#" PRIx64 " of pid %d, which is not shared memory", addr,
                       pid);
    return here;
}
