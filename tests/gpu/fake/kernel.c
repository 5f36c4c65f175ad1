// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the fake: a module is PTX as the driver takes it, of which it reads the names and
// parameters of its entries; a launch calls the program's C function NAME once a thread of the grid
// while device memory answers to loads and stores. Kernels of Causeway's own have their C functions
// here.
#include "kernel.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define MAX_PARAMETERS 16
#define MAX_BYTES 256  // of one parameter

struct function {
    struct function *next;
    struct module *module;
    char name[128];
    fake_kernel_t *code;
    int count;
    size_t size[MAX_PARAMETERS];
};

struct module {
    char *text;
    struct function *functions;
};

API CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    ENTER_WITH_CONTEXT();
    struct module *m = calloc(1, sizeof *m);
    char *text = m != NULL ? strdup(image) : NULL;
    if (text == NULL || strstr(text, ".version") == NULL || strstr(text, ".target") == NULL) {
        free(text);
        free(m);
        return text == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
    }
    m->text = text;
    *module = m;
    return CUDA_SUCCESS;
}

API CUresult cuModuleUnload(CUmodule module)
{
    ENTER_WITH_CONTEXT();
    while (module->functions != NULL) {
        struct function *f = module->functions;
        module->functions = f->next;
        free(f);
    }
    free(module->text);
    free(module);
    return CUDA_SUCCESS;
}

#define CASES(bits)                                                                          \
    {                                                                                        \
        uint##bits##_t *p = (uint##bits##_t *)(uintptr_t)at;                                 \
        uint##bits##_t v = (uint##bits##_t)operand, from = (uint##bits##_t)compare;          \
        switch (kind / 2) {                                                                  \
        case 2:                                                                              \
            return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                               \
        case 3:                                                                              \
            return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                               \
        case 4:                                                                              \
            return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                \
        case 5:                                                                              \
            return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                               \
        case 1:                                                                              \
        case 6:                                                                              \
            return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                              \
        case 7:                                                                              \
            __atomic_compare_exchange_n(p, &from, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
            return from;                                                                     \
        default:                                                                             \
            return 0;                                                                        \
        }                                                                                    \
    }

static uint64_t change(uint64_t at, uint32_t kind, uint64_t operand, uint64_t compare)
{
    if (kind % 2 == 0)
        CASES(32)
    CASES(64)
}

// src/core/device/cuda_kernel.h
static void causeway_atomic(const struct fake_thread *thread, void **parameters)
{
    (void)thread;
    uint64_t *cell = *(uint64_t **)parameters[1];
    uint64_t old = change(*(uint64_t *)parameters[0], *(uint32_t *)parameters[2],
                          *(uint64_t *)parameters[3], *(uint64_t *)parameters[4]);
    if (fake_is_registered(cell, sizeof *cell))
        __atomic_store_n(cell, old, __ATOMIC_RELEASE);
}

// Where the parameters of .entry NAME begin in the module's text, or NULL.
static const char *entry_of(const char *text, const char *name)
{
    size_t length = strlen(name);
    while ((text = strstr(text, ".entry")) != NULL) {
        text += strlen(".entry");
        while (isspace((unsigned char)*text))
            text++;
        if (strncmp(text, name, length) == 0 && !isalnum((unsigned char)text[length]) &&
            text[length] != '_' && text[length] != '$')
            return text + length;
    }
    return NULL;
}

// One ".param [.align N] .bSIZE name[N]": its bytes, or 0.
static size_t parameter_size(const char *at, const char *end)
{
    size_t bits = 0, count = 1;
    for (; at < end && *at != ','; at++) {
        if (*at == '.' && strchr("busf", at[1]) != NULL && isdigit((unsigned char)at[2]))
            bits = strtoul(at + 2, NULL, 10);
        if (*at == '[')
            count = strtoul(at + 1, NULL, 10);
    }
    return bits / 8 * count;
}

API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    ENTER_WITH_CONTEXT();
    const char *at = entry_of(module->text, name), *end;
    if (at == NULL)
        return CUDA_ERROR_NOT_FOUND;
    struct function *f = calloc(1, sizeof *f);
    if (f == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    strncpy(f->name, name, sizeof f->name - 1);
    f->module = module;
    void *code = dlsym(RTLD_DEFAULT, name);
    memcpy(&f->code, &code, sizeof code);
    if (f->code == NULL && strcmp(name, "causeway_atomic") == 0)
        f->code = causeway_atomic;
    end = strchr(at, ')');
    while (end != NULL && (at = strstr(at, ".param")) != NULL && at < end &&
           f->count < MAX_PARAMETERS) {
        at += strlen(".param");
        f->size[f->count++] = parameter_size(at, end);
    }
    if (f->code == NULL) {  // the test has no such C function
        free(f);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    f->next = module->functions;
    module->functions = f;
    *function = f;
    return CUDA_SUCCESS;
}

struct launch {
    fake_kernel_t *code;
    unsigned grid[3], block[3];
    void *parameters[MAX_PARAMETERS];
    unsigned char bytes[];  // of the parameters, copied at the launch as the driver does
};

static void sync_block(const struct fake_thread *thread)
{
    pthread_barrier_wait(thread->barrier);
}

struct running {
    struct fake_thread place;
    struct launch *launch;
    pthread_t thread;
};

static void *run_thread(void *running)
{
    struct running *r = running;
    r->launch->code(&r->place, r->launch->parameters);
    return NULL;
}

// One block: its threads at the same time.
static void run_block(struct launch *l, struct fake_thread block, unsigned threads)
{
    pthread_barrier_t barrier;
    struct running *r = calloc(threads, sizeof *r);
    unsigned started = 1;
    if (r == NULL || pthread_barrier_init(&barrier, NULL, threads) != 0)
        abort();
    for (unsigned i = 0; i < threads; i++) {
        r[i] = (struct running){block, l, pthread_self()};
        r[i].place.barrier = &barrier;
        r[i].place.index[0] = i % l->block[0];
        r[i].place.index[1] = i / l->block[0] % l->block[1];
        r[i].place.index[2] = i / l->block[0] / l->block[1];
    }
    for (; started < threads; started++)
        if (pthread_create(&r[started].thread, NULL, run_thread, &r[started]) != 0)
            abort();  // the others would wait for it
    run_thread(&r[0]);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(r[i].thread, NULL);
    pthread_barrier_destroy(&barrier);
    free(r);
}

static CUresult launch(CUcontext context, void *what)
{
    struct launch *l = what;
    struct fake_thread t = {.device = fake_device_of(context), .sync = sync_block};
    memcpy(t.grid, l->grid, sizeof t.grid);
    memcpy(t.block, l->block, sizeof t.block);
    unsigned blocks = l->grid[0] * l->grid[1] * l->grid[2];
    unsigned threads = l->block[0] * l->block[1] * l->block[2];
    fake_expose(true);
    for (unsigned b = 0; b < blocks; b++) {
        t.block_index[0] = b % l->grid[0];
        t.block_index[1] = b / l->grid[0] % l->grid[1];
        t.block_index[2] = b / l->grid[0] / l->grid[1];
        run_block(l, t, threads);
    }
    fake_expose(false);
    return CUDA_SUCCESS;
}

API CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, CUstream stream, void **parameters, void **extra)
{
    ENTER_WITH_CONTEXT();
    if (grid_x * grid_y * grid_z == 0 || block_x * block_y * block_z == 0 ||
        block_x * block_y * block_z > 1024 || shared_bytes > 48 * 1024 || extra != NULL ||
        (f->count > 0 && parameters == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    struct launch *l = malloc(sizeof *l + MAX_PARAMETERS * MAX_BYTES);
    if (l == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *l = (struct launch){f->code, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {NULL}};
    for (int i = 0; i < f->count; i++) {
        if (f->size[i] == 0 || f->size[i] > MAX_BYTES) {
            free(l);
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        l->parameters[i] = l->bytes + i * MAX_BYTES;
        memcpy(l->parameters[i], parameters[i], f->size[i]);
    }
    return fake_queue(stream, launch, l);
}
