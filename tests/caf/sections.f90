! SPDX-License-Identifier: BSD-3-Clause
! Sections with strides and subscripts, and conversions between types, kinds and lengths, in all
! directions: put, get, between images.
program sections
  use checks
  implicit none
  integer :: a(20)[*], cube(4,5,6)[*]
  real(8) :: r(10,10)[*]
  real(4) :: f(8)[*]
  integer(8) :: w[*]
  integer(1) :: tiny(4)[*]
  complex(4) :: z(4)[*]
  character(len=4) :: c(3)[*]
  character(len=2, kind=4) :: wide[*]
  logical(8) :: l8[*]
  integer :: me, n, next, before, i, idx(3), v(5)
  integer(2) :: h(4)
  real(8) :: g(5,5)
  character(len=6) :: longer
  character(len=2) :: shorter
  real(10) :: ext[*]
  real(16) :: quad
  real(4) :: small

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  before = mod(me + n - 2, n) + 1

  a = 0; r = 0; cube = 0
  sync all
  a(1:20:4)[next] = [(me * 10 + i, i=1,5)]
  a(20:12:-4)[next] = me
  idx = [7, 3, 11]
  a(idx)[next] = [70, 30, 110]
  r(2:10:2, 1:9:2)[next] = me
  cube(2, :, 3:5)[next] = me
  idx(1:2) = [1, 3]
  cube(idx(1:2), 5:5, 1)[next] = -me  ! as an element: subscripts.f90
  a(idx(1:me - me))[next] = [integer ::]
  sync all
  call check(all(a(1:17:4) == [(before * 10 + i, i=1,5)]), "stride 4")
  call check(all(a(12:20:4) == before), "negative stride")
  call check(a(7) == 70 .and. a(3) == 30 .and. a(11) == 110 .and. a(2) == 0, "subscripts")
  call check(all(r(2:10:2, 1:9:2) == before) .and. sum(r) == 25 * before, "two strides")
  call check(all(cube(2,:,3:5) == before) .and. cube(1,5,1) == -before .and. &
             cube(3,5,1) == -before .and. cube(2,5,1) == 0, "three dimensions")
  sync all

  ! gets
  idx = [7, 3, 11]
  a = [(me * 100 + i, i=1,20)]
  r = reshape([(real(me * 1000 + i, 8), i=1,100)], [10, 10])
  sync all
  v = a(20:4:-4)[next]
  call check(all(v == [(next * 100 + i, i=20,4,-4)]), "get with a negative stride")
  v(1:3) = a(idx)[next]
  call check(all(v(1:3) == next * 100 + idx), "get with subscripts")
  g = r(1:9:2, 2:10:2)[next]
  call check(g(1,1) == next * 1000 + 11 .and. g(5,5) == next * 1000 + 99, "get of a grid")
  g = 0
  g(2:4, 3) = r(3, 4:6)[next]
  call check(g(3,3) == next * 1000 + 43 .and. g(1,3) == 0, "get of a row into a column")
  v = 0
  v(1:5:2) = a(2)[next]
  call check(v(1) == next * 100 + 2 .and. v(5) == v(1) .and. v(2) == 0, "a scalar for all")
  sync all

  ! between images
  if (me == 1) a(1:9:2)[n] = a(2:10:2)[next]
  sync all
  if (me == n) call check(a(9) == mod(1, n) * 100 + 110 .or. n == 1, "between images")
  sync all
  a = [(i, i=1,20)]
  a(2:20)[me] = a(1:19)[me]
  call check(a(20) == 19 .and. a(3) == 2 .and. a(1) == 1, "overlap")
  sync all

  ! conversions
  f(:)[next] = [(i, i=1,8)]
  w[next] = 3.75
  tiny(:)[next] = [1, 2, 300, 4]
  z(:)[next] = [1.5d0, 2d0, 3d0, -4d0]
  z(2:2)[next] = cmplx(1d0, 2d0, 8)
  c(:)[next] = "ab"
  c(2)[next] = "abcdef"
  wide[next] = "xy"
  l8[next] = .true.
  ext[next] = 1.25
  sync all
  call check(all(f == [(i, i=1,8)]), "integer to real")
  call check(w == 3, "real to integer")
  call check(tiny(1) == 1 .and. tiny(3) == 44, "integers of one byte")
  call check(z(1) == cmplx(1.5, 0) .and. z(2) == cmplx(1, 2) .and. z(4) == -4, "to complex")
  call check(c(1) == "ab  " .and. c(2) == "abcd" .and. c(3) == "ab", "lengths")
  call check(logical(l8), "logicals")
  call check(ext == 1.25, "real of kind 10")
  h = int(f(1:4)[next], 2)
  call check(all(h == [1, 2, 3, 4]), "real to integer of two bytes")
  longer = c(2)[next]
  shorter = c(2)[next]
  call check(longer == "abcd" .and. shorter == "ab", "lengths of gets")
  quad = ext[next]
  small = r(1,1)[next]
  call check(quad == 1.25_16 .and. small == next * 1000 + 1, "kinds of gets")
  sync all
  sync all
  if (me == 1) f(2:8:2)[n] = a(1:7:2)[next]
  sync all
  if (me == n) call check(f(8) == 6 .and. f(7) == 7, "conversion between images")
  call long_rows(100)
  call long_rows(150)
  call long_rows(3000)
  call long_rows(20000)
  call finish_checks()
contains
  !> Rows of k elements, which from some length on are a transfer each, over what a put before them
  !> has written; of the gaps nothing changes.
  subroutine long_rows(k)
    integer, intent(in) :: k
    real(8), allocatable :: far(:)[:], plane(:,:)[:], mine(:), got(:)
    integer :: j
    allocate (far(3 * k)[*], plane(2 * k, 3)[*], mine(2 * k), got(2 * k))
    mine = [(real(me, 8) * 1000000 + j, j=1,2 * k)]
    got = 0
    sync all
    far(:)[next] = -1d0
    far(1:3 * k:3)[next] = mine(1:k)            ! gaps there
    far(3 * k:3:-3)[next] = mine(2:2 * k:2)     ! backwards, and gaps here
    plane(:,:)[next] = -2d0
    plane(2:2 * k:2, 1:3:2)[next] = reshape(mine, [k, 2])
    sync all
    call check(all(far(1:3 * k:3) == [(real(before, 8) * 1000000 + j, j=1,k)]), "long row")
    call check(all(far(3 * k:3:-3) == [(real(before, 8) * 1000000 + 2 * j, j=1,k)]), "backwards")
    call check(all(far(2:3 * k:3) == -1), "gaps of a row")
    call check(all(plane(2::2, 1) == [(real(before, 8) * 1000000 + j, j=1,k)]) .and. &
               all(plane(2::2, 3) == [(real(before, 8) * 1000000 + k + j, j=1,k)]), "long rows")
    call check(all(plane(1::2, :) == -2) .and. all(plane(:, 2) == -2), "gaps of rows")
    sync all
    got(1:k) = far(1:3 * k:3)[next]
    call check(all(got(1:k) == mine(1:k)), "get of a long row")
    got(1:2 * k:2) = far(3 * k:3:-3)[next]
    call check(all(got(1:2 * k:2) == mine(2:2 * k:2)), "get backwards")
    far(1:3 * k:3)[next] = -mine(1:k)
    got(1:k) = far(1:3 * k:3)[next]
    call check(all(got(1:k) == -mine(1:k)), "get behind a put of a long row")
    got = [plane(2::2, 1:3:2)[next]]
    call check(all(got == mine), "get of long rows")
    sync all
    deallocate (far, plane)
  end subroutine
end program
