# SPDX-License-Identifier: BSD-3-Clause
#
# OpenSHMEM in a handler of an active message: queries are allowed; in checking mode all other calls
# are refused by a line that names the call.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
"$stage/bin/oshcc" -DGASNET_SEQ -O1 -g -o handler "$CAUSEWAY_TEST_SOURCE/tests/mixed/handler.c"
output_has '^handler over, word 5$' oshrun -n 2 ./handler ask
export CAUSEWAY_CHECK=1
output_has '^handler over, word 5$' oshrun -n 2 ./handler ask
check 'the end in a handler' sh -c 'oshrun -n 2 ./handler global_exit; [ $? = 7 ]'
inside='called inside a handler of an active message'
for try in p:shmem_long_p put:shmem_putmem get:shmem_long_g atomic:shmem_long_atomic_inc \
    quiet:shmem_quiet barrier:shmem_barrier_all wait:shmem_long_wait_until \
    malloc:shmem_malloc gasnet_put:gasnet_put_val; do
    refuses 1 "PE 0 of 2 .*${try#*:}: $inside" oshrun -n 2 ./handler "${try%%:*}"
done
refuses 1 "shmem_long_atomic_inc: $inside" oshrun -n 2 --emulate-nodes 2 ./handler atomic
finish
