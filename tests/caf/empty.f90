! SPDX-License-Identifier: BSD-3-Clause
! Sections without elements, which may begin beyond the coarray, and vectors of subscripts of any
! length and kind in several dimensions.
program empty
  use checks
  implicit none
  integer :: x(4)[*], cube(6,5,4)[*]
  real(8), allocatable :: none(:)[:], flat(:,:)[:]
  integer :: me, n, next, before, last, i, got(6,4), wide(4)
  integer, allocatable :: no(:), rows(:), planes(:)
  integer(1), allocatable :: rows1(:)
  integer(8), allocatable :: rows8(:)
  integer(16) :: rows16(2)

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  before = mod(me + n - 2, n) + 1
  last = size(x)
  x = me
  cube = me
  got = 0
  wide = 0
  allocate (none(0)[*], flat(3,0)[*], no(0))
  sync all
  ! behind the end, and before the beginning
  wide(last + 1:last) = x(last + 1:last)[next]
  x(last + 1:last)[next] = wide(1:0)
  x(last + 1:last)[next] = 5
  x(last + 1:last)[next] = x(last + 1:last)[1]
  x(0:last - 5)[next] = 5
  x(last + 100:last)[next] = 5
  x(1:last + 96:-1)[next] = 5
  cube(1:3, 6:last + 1, 1)[next] = 5
  cube(1:3, 6:last + 1, 1)[next] = cube(1:3, 1:0, 2)[1]
  ! coarrays without elements
  none(:)[next] = 5
  none(:)[next] = none(:)[1]
  flat(:,:)[next] = 5
  flat(:, 1:last - 4)[next] = flat(:,:)[1]
  ! vectors without elements
  wide(1:0) = x(no)[next]
  x(no)[next] = wide(1:0)
  x(no)[next] = 5
  cube(no, 1:4, 1:2)[next] = 5
  cube(no, no, 1:3)[next] = cube(no, no, 1:3)[1]
  cube(1:3, no, 2:3)[next] = cube(1:3, no, 2:3)[1]
  sync all
  call check(all(x == me) .and. all(cube == me) .and. all(wide == 0), "nothing is assigned")

  cube = reshape([(me * 1000 + i, i=1, size(cube))], shape(cube))
  sync all
  do i = 0, 4
    rows = [integer :: 5, 1, 6, 2]
    rows = rows(:i)
    planes = [integer :: 4, 2]
    planes = planes(:mod(i, 3))
    got = -1
    got(1:size(rows), 1:size(planes)) = cube(rows, 3, planes)[next]
    call check(all(got(1:size(rows), 1:size(planes)) == &
                   cube(rows, 3, planes) + (next - me) * 1000), "two vectors")
    call check(count(got == -1) == size(got) - size(rows) * size(planes), "and no more")
  end do
  rows1 = [2_1, 5_1]
  rows8 = [5_8, 2_8, 6_8]
  rows8 = rows8 - 1
  got(1:2, 1:3) = cube(rows1, rows8, 2)[next]
  call check(all(got(1:2, 1:3) == cube(rows1, rows8, 2) + (next - me) * 1000), "kinds")
  rows16 = [6_16, 1_16]
  got(1:2, 1) = cube(rows16, 2, 4)[next]
  call check(all(got(1:2, 1) == cube(rows16, 2, 4) + (next - me) * 1000), "kind 16")
  sync all
  deallocate (none, flat)
  call finish_checks()
end program
