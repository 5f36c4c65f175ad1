// SPDX-License-Identifier: BSD-3-Clause
// The fake's copies: any of host and device memory to any, in a stream's order, device addresses
// through the shadows of memory that the stream's device may reach.
#include "fake.h"

#include <stdlib.h>
#include <string.h>

struct rows {
    CUdeviceptr to, from;
    size_t to_pitch, from_pitch, width, height;
};

static CUresult copy_row(int device, CUdeviceptr to, CUdeviceptr from, size_t size)
{
    while (size > 0) {
        size_t now = size;
        void *dest = fake_reach(device, to, &now, true);
        const void *source = dest != NULL ? fake_reach(device, from, &now, false) : NULL;
        if (source == NULL)
            return CUDA_ERROR_ILLEGAL_ADDRESS;
        memmove(dest, source, now);
        to += now;
        from += now;
        size -= now;
    }
    return CUDA_SUCCESS;
}

static CUresult copy_rows(CUcontext context, void *what)
{
    struct rows *r = what;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < r->height && result == CUDA_SUCCESS; i++)
        result = copy_row(fake_device_of(context), r->to + i * r->to_pitch,
                          r->from + i * r->from_pitch, r->width);
    return result;
}

static CUresult queue_rows(struct rows rows, CUstream stream)
{
    struct rows *what = malloc(sizeof *what);
    if (what == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *what = rows;
    return fake_queue(stream, copy_rows, what);
}

API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER_WITH_CONTEXT();
    return queue_rows((struct rows){to, from, 0, 0, size, 1}, stream);
}

API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
    ENTER_WITH_CONTEXT();
    if (!fake_is_device(to))
        return CUDA_ERROR_INVALID_VALUE;
    return queue_rows((struct rows){to, (uintptr_t)from, 0, 0, size, 1}, stream);
}

API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER_WITH_CONTEXT();
    if (!fake_is_device(from))
        return CUDA_ERROR_INVALID_VALUE;
    return queue_rows((struct rows){(uintptr_t)to, from, 0, 0, size, 1}, stream);
}

API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    ENTER_WITH_CONTEXT();
    if (!fake_is_device(to) || !fake_is_device(from))
        return CUDA_ERROR_INVALID_VALUE;
    return queue_rows((struct rows){to, from, 0, 0, size, 1}, stream);
}

// The first byte of one side of a copy of rows; false: that side is not described.
static bool corner(int type, const void *host, CUdeviceptr device, size_t x, size_t y, size_t pitch,
                   size_t width, size_t height, CUdeviceptr *at)
{
    if (type != MEMORYTYPE_HOST && type != MEMORYTYPE_DEVICE && type != MEMORYTYPE_UNIFIED)
        return false;
    if (height > 1 && pitch < width)
        return false;
    *at = (type == MEMORYTYPE_HOST ? (CUdeviceptr)(uintptr_t)host : device) + y * pitch + x;
    return true;
}

API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream)
{
    ENTER_WITH_CONTEXT();
    struct rows rows = {0, 0, c->dstPitch, c->srcPitch, c->WidthInBytes, c->Height};
    if (!corner(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, c->srcPitch,
                c->WidthInBytes, c->Height, &rows.from) ||
        !corner(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, c->dstPitch,
                c->WidthInBytes, c->Height, &rows.to))
        return CUDA_ERROR_INVALID_VALUE;
    return queue_rows(rows, stream);
}

struct fill {
    CUdeviceptr to;
    size_t size;
    unsigned char byte;
};

static CUresult fill_bytes(CUcontext context, void *what)
{
    struct fill *f = what;
    while (f->size > 0) {
        size_t now = f->size;
        void *dest = fake_reach(fake_device_of(context), f->to, &now, true);
        if (dest == NULL)
            return CUDA_ERROR_ILLEGAL_ADDRESS;
        memset(dest, f->byte, now);
        f->to += now;
        f->size -= now;
    }
    return CUDA_SUCCESS;
}

API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t size, CUstream stream)
{
    ENTER_WITH_CONTEXT();
    struct fill *what = malloc(sizeof *what);
    if (what == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *what = (struct fill){to, size, byte};
    return fake_queue(stream, fill_bytes, what);
}
