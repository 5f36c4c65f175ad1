! SPDX-License-Identifier: BSD-3-Clause
! Assignments to, from and between images: scalars and contiguous arrays of each type, in the order
! of the program; static and allocatable coarrays.
program transfers
  use checks
  implicit none
  integer :: x[*] = 5
  real(8) :: z(10,10)[*]
  character(len=7) :: c[*]
  complex(8) :: w[*]
  logical(1) :: l[*]
  integer(2) :: h(1000)[*]
  integer, allocatable :: a(:)[:], b(:,:)[:], s[:]
  integer :: me, n, next, before, i, v, st
  real(8) :: r(10)
  character(len=7) :: d
  complex(8) :: q

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  before = mod(me + n - 2, n) + 1
  call check(x == 5, "initial value")
  sync all
  x[next] = me
  v = x[next]
  call check(v == me, "a get sees the put before it")
  sync all
  call check(x == before, "scalar put")
  sync all
  do i = 1, 1000
    x[next] = i
  end do
  v = x[next]
  call check(v == 1000, "puts are in order")
  c[next] = "abcdefg"
  w[next] = cmplx(me, -me, 8)
  l[next] = .true.
  z(:,3)[next] = [(real(10 * me + i, 8), i=1,10)]
  h(:)[next] = int(me, 2)
  h(500)[next] = -1_2
  sync all
  call check(c == "abcdefg", "characters")
  call check(w == cmplx(before, -before, 8), "complex")
  call check(logical(l), "logical")
  call check(all(z(:,3) == [(10 * before + i, i=1,10)]), "column")
  call check(h(500) == -1 .and. h(499) == before .and. h(1000) == before, "large, then small")
  d = c[next]
  q = w[next]
  r = z(:,3)[next]
  call check(d == "abcdefg" .and. q == cmplx(me, -me, 8), "scalar gets")
  call check(all(r == [(10 * me + i, i=1,10)]), "array get")
  sync all
  x = me
  sync all
  i = x[next]  ! gfortran 15 takes its own value in x[n] = x[next] + 100
  if (me == 1) x[n] = i + 100
  sync all
  if (me == 1) z(:,5)[n] = z(:,3)[next]
  sync all
  if (me == n) call check(x == next_of(1) + 100, "x[n] = x[2] + 100")
  if (me == n) call check(all(z(:,5) == [(10 * 1 + i, i=1,10)]), "between images")
  sync all
  z = reshape([(real(i, 8), i=1,100)], [10, 10])
  z(:,2:5)[me] = z(:,1:4)[me]
  call check(z(1,2) == 1 .and. z(1,5) == 31, "overlap within an image")
  x = me
  x = x[me]
  x[me] = x
  c[me] = c
  w = w[me]
  z = z(:,:)[me]
  z(2:9,1)[me] = z(1:8,1)
  call check(x == me .and. c == "abcdefg" .and. w == cmplx(before, -before, 8), "to itself")
  call check(z(1,1) == 1 .and. z(9,1) == 8 .and. z(10,1) == 10, "a column to itself")

  do i = 1, 3
    allocate (a(2:1000 * i)[*], stat=st)
    call check(st == 0, "allocate")
    a = me
    sync all
    a(3)[next] = -me
    sync all
    call check(a(3) == -before .and. a(2) == me, "allocatable")
    allocate (b(3,4)[*], s[*])
    b(2,:)[next] = me
    s[next] = me
    sync all
    call check(all(b(2,:) == before) .and. s == before, "two more")
    deallocate (a, b, s)
  end do
  call dummy(z)
  allocate (a(1)[*])
  call check(allocated(a), "allocated")
  call finish_checks()
contains
  integer function next_of(image)
    integer, intent(in) :: image
    next_of = mod(image, n) + 1
  end function

  subroutine dummy(y)
    real(8) :: y(:,:)[*]
    sync all
    y(1,1)[next] = 77 + me
    sync all
    call check(y(1,1) == 77 + before, "dummy argument")
    sync all
  end subroutine
end program
