# SPDX-License-Identifier: BSD-3-Clause
#
# gasnetrun_ofi: its options, what it passes to oshrun, binding, and mistakes. The programs are no
# clients of GASNet: the tests are about how they are started.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
unset GASNET_SPAWNER GASNET_OFI_SPAWNER GASNET_SMP_SPAWNER GASNET_UDP_SPAWNER GASNET_VERBOSEENV \
    GASNET_SSH_SERVERS GASNET_SSH_NODEFILE GASNET_NODEFILE GASNET_SSH_KEEPDUP SLURM_JOB_ID \
    GASNET_SSH_CMD GASNET_SSH_OPTIONS GASNET_SSH_REMOTE_PATH GASNET_SUPERNODE_MAXSIZE
run=$stage/bin/gasnetrun_ofi
ln -s "$run" linked

output_has '^3 of 4$' "$run" -n 4 sh -c 'echo $OSHRUN_PE of $OSHRUN_NPES'
output_has '^1 of 2$' ./linked -np 2 -- sh -c 'echo $OSHRUN_PE of $OSHRUN_NPES'
output_has '^a b|c$' "$run" -n1 printf '%s|%s\n' 'a b' c
output_has '^3 on 1$' "$run" -n 4 -N 2 sh -c 'echo $OSHRUN_PE on $OSHRUN_NODE'
output_has '^0 on 0$' "$run" -n 1 -N 1 sh -c 'echo $OSHRUN_PE on $OSHRUN_NODE'
output_has 'gasnetrun_ofi: .*/oshrun -n 2 -v --' "$run" -v -n 2 true
output_has '^1$' "$run" -v -v -k -n 1 sh -c 'echo $GASNET_VERBOSEENV'
output_has '^0$' env GASNET_VERBOSEENV=0 "$run" -v -n 1 sh -c 'echo $GASNET_VERBOSEENV'
output_has '^value' env TESTVAR=value "$run" -n 1 -E TESTVAR sh -c 'echo $TESTVAR'
refuses 3 '' "$run" -n 2 sh -c 'exit 3'

# What launchers of several hosts are passed; nothing runs.
passed() {
    local pattern=$1
    shift
    output_has "oshrun .*$pattern" env "$@"
}
passed '-n 4 -v .*--ppn 2 --launcher hydra --hosts a,b -- prog x y' \
    GASNET_SSH_SERVERS='a, b' "$run" -t -n 4 -N 2 -spawner=ssh prog x y
echo a >nodes
passed '--hostfile nodes' GASNET_SSH_NODEFILE=nodes GASNET_SSH_SERVERS=b "$run" -t -n 4 prog
passed '--hosts b -- prog' GASNET_NODEFILE=nodes GASNET_SSH_SERVERS=b "$run" -t -n 4 prog
passed '--hostfile nodes' GASNET_NODEFILE=nodes "$run" -t -np4 prog
passed '--hosts a,b -- prog' GASNET_SSH_SERVERS='a b a' "$run" -t -n 4 prog
passed '--hosts a,b,a -- prog' GASNET_SSH_KEEPDUP=1 GASNET_SSH_SERVERS='a b a' "$run" -t -n 4 prog
passed '--launcher slurm' "$run" -t -n 4 -spawner slurm prog
passed '--launcher hydra' GASNET_SPAWNER=pmi "$run" -t -n 4 prog
passed '--launcher slurm' GASNET_OFI_SPAWNER=Slurm GASNET_SPAWNER=pmi "$run" -t -n 4 prog
passed '--launcher oshrun -- prog' GASNET_SMP_SPAWNER=fork GASNET_OFI_SPAWNER=pmi "${run%ofi}smp" \
    -t -n 4 prog
passed '--launcher hydra' GASNET_UDP_SPAWNER=pmi "${run%ofi}udp" -t -n 4 prog
passed '--launcher oshrun -- prog' GASNET_SSH_SERVERS=a "$run" -t -n 4 -spawner=oshrun prog
passed '--launcher (orte|hydra)' "$run" -t -n 4 -spawner=mpi prog
passed '-x B -x A' "$run" -t -n 4 -conduit=ofi -E A,B prog

# The command that reaches hosts, its options, the directory there; the host is this one.
cat >reach <<'END'
#!/bin/sh
echo "options: $*" >&2
while [ $# -gt 0 ] && [ "$1" != elsewhere ]; do shift; done
shift
exec sh -c "$*"
END
chmod +x reach
reached() { # spawner
    env GASNET_SSH_CMD="$PWD/reach" GASNET_SSH_OPTIONS='-o BatchMode=yes' GASNET_SSH_REMOTE_PATH=/ \
        GASNET_SSH_SERVERS=elsewhere OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        "$run" -n 1 -spawner="$1" pwd
}
command -v mpiexec.hydra >/dev/null && output_has 'options: .*-o BatchMode=yes' reached ssh &&
    output_has '^/$' reached ssh
refuses 2 'GASNET_SSH_CMD: /no/shell is not' env GASNET_SSH_CMD=/no/shell "$run" -t -n 1 prog

# Processes that do not share memory.
output_has '^4 on 2$' env GASNET_SUPERNODE_MAXSIZE=2 "$run" -n 5 sh -c \
    'echo $OSHRUN_PE on $OSHRUN_NODE'
output_has '^2 on 2$' env GASNET_SUPERNODE_MAXSIZE=2 "$run" -n 3 -N 3 sh -c \
    'echo $OSHRUN_PE on $OSHRUN_NODE'
passed '-n 4 -v -- prog' GASNET_SUPERNODE_MAXSIZE=0 "$run" -t -n 4 prog

# Each process gets its own CPU while there are enough, and no more than there are.
if command -v taskset >/dev/null; then
    count=$(nproc)
    [ "$count" -lt 2 ] ||
        output_has '^2$' sh -c \
            "'$run' -n 2 -c 1 sh -c 'taskset -cp \$\$' | sed 's/.*: //' | sort -u | wc -l"
    output_has '^1 1$' sh -c "'$run' -n 1 -c 1 sh -c 'echo \$(nproc) 1'"
    output_has "^$count\$" "$run" -n 1 -c 1000 nproc
fi

refuses 2 'no program' "$run" -n 2
refuses 2 '-n is missing' "$run" true
refuses 2 '-n "two": expected a number' "$run" -n two true
refuses 2 '-N 3: a node needs' "$run" -n 2 -N 3 true
refuses 2 '-c "0": expected' "$run" -n 2 -c 0 true
refuses 2 'unknown option -q' "$run" -n 2 -q true
refuses 2 '-N needs a value' "$run" -n 2 -N
refuses 2 'spawner "x": expected' "$run" -n 2 -spawner=x true
refuses 2 'GASNET_SSH_SERVERS or' "$run" -n 2 -spawner=ssh true
refuses 2 'hosts absent cannot' env GASNET_NODEFILE=absent "$run" -n 2 true
refuses 2 '-restart: jobs are not' "$run" -restart directory
refuses 2 'gasnetrun_smp: -n is missing' "${run%ofi}smp" true
refuses 2 'conduit "ibv"' "$run" -n 2 -conduit=ibv true
refuses 0 'Usage' "$run" -h
finish
