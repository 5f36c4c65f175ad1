// SPDX-License-Identifier: BSD-3-Clause
//
// C++ of the time of mpp/shmem.h: the header inside extern "C", classes around arrays, names with
// the type in them.
extern "C" {
#include <mpp/shmem.h>
}
#include <cstdio>

class SharedArray {
public:
    explicit SharedArray(int n)
        : data(static_cast<double *>(shmalloc(n * sizeof(double)))), size(n)
    {
    }
    ~SharedArray() { shfree(data); }
    void send(const double *from, int pe) { shmem_double_put(data, from, size, pe); }
    double operator[](int i) const { return data[i]; }

private:
    SharedArray(const SharedArray &);
    double *data;
    int size;
};

static long pSync[_SHMEM_REDUCE_SYNC_SIZE];
static int pWrk[_SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1], one, total;

int main()
{
    start_pes(0);
    int me = _my_pe(), npes = _num_pes(), wrong = 0;
    {
        SharedArray box(10);
        double mine[10];
        for (int i = 0; i < 10; i++)
            mine[i] = me + i * .5;
        for (int i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; i++)
            pSync[i] = _SHMEM_SYNC_VALUE;
        one = me + 1;
        shmem_barrier_all();
        box.send(mine, (me + 1) % npes);
        shmem_int_sum_to_all(&total, &one, 1, 0, 0, npes, pWrk, pSync);
        shmem_barrier_all();
        wrong += box[9] != (me + npes - 1) % npes + 4.5;
        wrong += total != npes * (npes + 1) / 2;
    }
    if (wrong)
        std::printf("FAIL PE %d: %d wrong\n", me, wrong);
    return wrong;
}
