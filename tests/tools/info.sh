# SPDX-License-Identifier: BSD-3-Clause
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
output_has '^Causeway [0-9]+\.[0-9]+\.[0-9]+$' causeway-info --version
output_has 'build type' causeway-info
output_has '^  launchers .*oshrun, PMIx .*PMI-1 .*PMI-2 .*MPI' causeway-info
output_has '^Usage: causeway-info' causeway-info --help
refuses 1 'causeway-info: cannot write: No space' sh -c 'causeway-info --waits >/dev/full'
output_has 'SHMEM_SYMMETRIC_SIZE \(old name: SMA_SYMMETRIC_SIZE\)' causeway-info --env
output_has 'now: CAUSEWAY_SPIN=7' env CAUSEWAY_SPIN=7 causeway-info -e
output_has 'now: SMA_SYMMETRIC_SIZE=1M' env SMA_SYMMETRIC_SIZE=1M causeway-info -e
output_has '^  CAUSEWAY_SPIN$' causeway-info --env spin
output_has '^  CAUSEWAY_DEADLOCK_ACTION$' causeway-info -e deadlock ACTION
refuses 1 'no variable has frobnicate' causeway-info --env frobnicate
check "words filter" test "$(causeway-info --env heap | wc -l)" -lt 100
check "lines fit" test -z "$(causeway-info --env | grep -v ' default: ' | awk 'length > 100')"
# A line as it was printed, by several PEs; a part of one; a code; all that a job has printed.
printed='[0, 2] causeway: error: PEs 0, 2 of 4 (host h): the symmetric heaps do not fit: 4 PEs of'
printed="$printed this machine x 1024.00 GiB (SHMEM_SYMMETRIC_SIZE) = 4096.00 GiB, but it has 23.54"
printed="$printed GiB; ask for at most 5.89 GiB per PE or start fewer PEs"
output_has '^  heap-does-not-fit$' causeway-info --explain "$printed"
output_has 'Remedy: Lower .SHMEM_SYMMETRIC_SIZE' causeway-info --explain "$printed"
output_has '^  setting-value$' causeway-info --explain 'CAUSEWAY_SPIN="x" is not a whole number'
output_has '^  heap-does-not-fit$' causeway-info --explain symmetric heaps do not fit
output_has '^  beyond-block$' causeway-info --explain 'causeway: error: PEs 0, 1 of 2 (host vm):' \
    'shmem_int_put: 400000 bytes at 0x5555558 of symmetric memory reach 395904 bytes beyond the' \
    'end of static grid, which has 4096; called from main+0x33 (grid.c:3)'
output_has '^  CW_ETIMEOUT$' causeway-info --explain cw_etimeout
output_has '^      - not all PEs reached' causeway-info --explain pe-absent
output_has '^  null-buffer$' causeway-info --explain \
    'causeway: error: PE 1 of 2 (pid 7, host h): shmem_put: source is next to NULL for 16 bytes'
refuses 1 'no message is like "frobnicate"' causeway-info --explain frobnicate
printf '%s\n' hello "$printed" "$printed" \
    'oshrun: PE 0 of 4 (pid 7, host h) was killed by signal 9 (Killed)' >lines
check "each row once, in order" test "$(causeway-info --explain - <lines | grep -oE '^  [a-z]\S+$' |
    tr -d '\n')" = '  heap-does-not-fit  oshrun-pe-failed'
output_has '^  word +20 +2000 +0 +40 +0\.20 +10\.0$' causeway-info --waits
output_has '^  word +7 +0 +7 +0 ' env CAUSEWAY_WAIT=asleep CAUSEWAY_SPIN=7 causeway-info -w
refuses 1 'CAUSEWAY_WAIT.*auto' env CAUSEWAY_WAIT=busy causeway-info --waits
output_has '^broadcast \(bytes: of the message\)$' causeway-info --collectives
output_has '^  binomial +several nodes' causeway-info -c
output_has '^  ring +\[CAUSEWAY_COLL\] several nodes' env CAUSEWAY_COLL=reduce=ring causeway-info \
    --collectives
refuses 1 'reduce has no algorithm "rong": give one of .*ring' env CAUSEWAY_COLL=reduce=rong \
    causeway-info --collectives
refuses 2 'unrecognized option' causeway-info --nonsense
refuses 2 "unexpected argument 'x'" causeway-info x
refuses 2 'topology takes NODES' env CAUSEWAY_LIBFABRIC=none causeway-info -f -t 0
refuses 2 '^causeway-info: --plot and --startup stand first' causeway-info -v --plot x.json
refuses 2 '^causeway-startup: error: .* required' causeway-startup
refuses 1 '^causeway-startup: cannot read /none: ' causeway-info --startup /none
# 12,288 PEs: the ratios of the degrees, and what a drawing shows of a grid that is not full.
output_has '^fcg +1024 +523776 +1023 +1 +1\.00 +767\.2500 +1\.0$' causeway-info --topology 1024,12
output_has '^mfcg +32x32 +31744 +62 +2 +1\.94 +46\.5000 +16\.5$' causeway-info --topology 1024,12
output_has '^cfcg +11x10x10 +13872 +28 +3 +2\.71 +21\.0000 +36\.5$' causeway-info -t 1024,12
output_has '^hypercube +2\^10 +5120 +10 +10 +5\.00 +7\.5000 +102\.3$' causeway-info -t 1024,12
output_has '^direct ' causeway-info --topology 1
output_has '48758784 bytes' causeway-info --topology 1024,12:mfcg
output_has '^  longest route   2 hops: 2 -> 0 -> 1$' causeway-info --topology 3:2x2
output_has '^   3\*  4   5 $' causeway-info --topology 7:mfcg
output_has '^   6\*$' causeway-info --topology 7:mfcg
output_has ' \.\.\. 63$' causeway-info --topology 64:fcg
refuses 2 'room for 6 nodes; there are 7' causeway-info --topology 7:3x2
refuses 2 '--topology ring: no topology has that name; give fcg, ' causeway-info --topology 7:ring
refuses 2 '1 to 16777216 nodes' causeway-info --topology 0
refuses 2 'not "7;mfcg"' causeway-info --topology '7;mfcg'
refuses 2 'not "7,0"' causeway-info --topology 7,0
output_has '^libfabric [0-9]+\.[0-9]+ from /' causeway-info --libfabric
output_has '^  rdm endpoints .*tcp' causeway-info --libfabric
output_has '^  a job would use   (tcp|net)' env CAUSEWAY_PROVIDER=tcp causeway-info --libfabric
refuses 1 'no usable libfabric provider' env CAUSEWAY_PROVIDER=pigeon causeway-info -f
# MSG endpoints that connect nowhere: RDM over sockets is no substitute unless it is asked for.
mock=$CAUSEWAY_TEST_BUILD/tests/mock/libfabric-mock.so
refuses 1 'rdm over sockets only on request' env CAUSEWAY_LIBFABRIC="$mock" MOCK_FABRIC=cm32 \
    causeway-info -f
output_has '^  a job would use .*rdm endpoints' env CAUSEWAY_LIBFABRIC="$mock" MOCK_FABRIC=cm32 \
    CAUSEWAY_ENDPOINT=rdm causeway-info -f
output_has '^  a job would use .*rdm endpoints' env CAUSEWAY_LIBFABRIC="$mock" MOCK_FABRIC=cm32 \
    CAUSEWAY_PROVIDER=net causeway-info -f
refuses 1 'cannot load libfabric.*nowhere' env CAUSEWAY_LIBFABRIC=/nowhere/lib.so causeway-info \
    --libfabric
refuses 1 'is not a libfabric' env CAUSEWAY_LIBFABRIC=libm.so.6 causeway-info -f

# The table has every variable of the rooms.
checks=$((checks + 1))
causeway-info --env-table >table
rows=$(find "$CAUSEWAY_TEST_SOURCE/src" -name env.def -exec grep -h "^CW_ENV(" {} + | wc -l)
[ "$rows" = "$(wc -l <table)" ] ||
    bad "rows differ from env.def"
finish
