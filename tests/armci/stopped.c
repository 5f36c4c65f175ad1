// SPDX-License-Identifier: BSD-3-Clause
//
// A thread's fence waits for what that thread has put, though another thread's fence for all
// processes, which has begun before it, is still under way: process 1 is stopped meanwhile, so
// neither can be over before it goes on.
#include <armci.h>
#include <message.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "frame/check.h"

enum { TAG = 17, ROUNDS = 3 };

static pid_t other;
static int began, goes_on;

/** The state of a process in /proc, or 0. */
static char state_of(pid_t pid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    const char *behind = strrchr(text, ')');
    return behind ? behind[2] : 0;
}

static void stop_it(void)
{
    REQUIRE(kill(other, SIGSTOP) == 0);
    for (int i = 0; state_of(other) != 'T'; i++) {
        REQUIRE(i < 5000, "process %d does not stop", (int)other);
        usleep(1000);
    }
}

static void *fence_all(void *arg)
{
    __atomic_store_n(&began, 1, __ATOMIC_RELEASE);
    ARMCI_AllFence();
    return arg;
}

static void *let_it_go_on(void *arg)
{
    usleep(300000);
    __atomic_store_n(&goes_on, 1, __ATOMIC_RELEASE);
    REQUIRE(kill(other, SIGCONT) == 0);
    return arg;
}

static void round_of_fences(long *there, long value)
{
    pthread_t threads[2];
    began = goes_on = 0;
    stop_it();
    ARMCI_Put(&value, there, sizeof value, 1);
    REQUIRE(pthread_create(&threads[0], NULL, fence_all, NULL) == 0);
    while (!__atomic_load_n(&began, __ATOMIC_ACQUIRE))
        usleep(1000);
    REQUIRE(pthread_create(&threads[1], NULL, let_it_go_on, NULL) == 0);
    usleep(50000);  // the other fence is under way by then, or this one has more to do
    ARMCI_Fence(1);
    CHECK(__atomic_load_n(&goes_on, __ATOMIC_ACQUIRE), "the fence has not waited for the put");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK(ARMCI_GetValueLong(there, 1) == value);
}

int main(void)
{
    void *blocks[2];
    int pid = (int)getpid(), nbytes;
    REQUIRE(ARMCI_Init_thread(3) == 0);
    int me = armci_msg_me();
    check_as("process", me, armci_msg_nproc());
    REQUIRE(armci_msg_nproc() == 2 && ARMCI_Malloc(blocks, sizeof(long)) == 0);
    if (me == 1) {
        armci_msg_snd(TAG, &pid, sizeof pid, 0);
    } else {
        armci_msg_rcv(TAG, &pid, sizeof pid, &nbytes, 1);
        other = pid;
        ARMCI_PutValueLong(0, blocks[1], 1);  // connects
        ARMCI_Fence(1);
        for (long round = 1; round <= ROUNDS; round++)
            round_of_fences(blocks[1], round);
    }
    ARMCI_Barrier();
    ARMCI_Free(blocks[me]);
    ARMCI_Finalize();
    return me == 0 ? check_result() : 0;
}
