! SPDX-License-Identifier: BSD-3-Clause
! Collectives of all types, on scalars, arrays small and large, and sections.
program collectives
  use iso_fortran_env
  use checks
  implicit none
  type pair
    integer :: where(4)
    real(8) :: value
  end type
  integer(1) :: i1
  integer(2) :: i2
  integer(4) :: i4
  integer(8) :: i8
  integer(16) :: i16
  real(4) :: r4
  real(8) :: r8, m(6,6)
  complex(4) :: c4
  complex(8) :: c8
  logical :: l
  character(len=5) :: t, ts(3)
  character(len=3, kind=4) :: u
  integer :: me, n, i, st, sum1
  integer, allocatable :: big(:)
  integer, parameter :: lengths(7) = [61, 64, 1000, 1023, 16384, 60000, 196609]
  integer :: k
  real(8), allocatable :: first(:), last(:)
  type(pair) :: p
  character(len=40) :: msg

  me = this_image()
  n = num_images()
  sum1 = n * (n + 1) / 2
  i1 = int(me, 1); i2 = int(me, 2); i4 = me; i8 = me; i16 = me
  call co_sum(i1); call co_sum(i2); call co_sum(i4); call co_sum(i8); call co_sum(i16)
  call check(i1 == sum1 .and. i2 == sum1 .and. i4 == sum1 .and. i8 == sum1 .and. i16 == sum1, &
             "co_sum of integers")
  i1 = int(-me, 1); i2 = int(-me, 2); i4 = -me; i8 = -me; i16 = -me
  call co_min(i1); call co_min(i2); call co_min(i4); call co_min(i8); call co_min(i16)
  call check(i1 == -n .and. i2 == -n .and. i4 == -n .and. i8 == -n .and. i16 == -n, &
             "co_min of integers")
  i1 = int(-me, 1); i2 = int(-me, 2); i4 = -me; i8 = -me; i16 = -me
  call co_max(i1); call co_max(i2); call co_max(i4); call co_max(i8); call co_max(i16)
  call check(i1 == -1 .and. i2 == -1 .and. i4 == -1 .and. i8 == -1 .and. i16 == -1, &
             "co_max of integers")
  r4 = me; r8 = me; c4 = cmplx(me, -me); c8 = cmplx(-me, me, 8)
  call co_sum(r4); call co_sum(r8); call co_sum(c4); call co_sum(c8)
  call check(r4 == sum1 .and. r8 == sum1 .and. c4 == cmplx(sum1, -sum1) .and. &
             c8 == cmplx(-sum1, sum1, 8), "co_sum of reals and complex numbers")
  r4 = me; r8 = me
  call co_max(r4, stat=st, errmsg=msg); call co_min(r8, stat=st)
  call check(r4 == n .and. r8 == 1 .and. st == 0, "co_max and co_min of reals")
  t = char(96 + me)
  call co_max(t)
  call check(t == char(96 + n), "co_max of characters")
  ts = [character(len=5) :: "x", char(96 + me) // "yz", "abcde"]
  call co_min(ts)
  call check(all(ts == [character(len=5) :: "x", "ayz", "abcde"]), "co_min of characters")
  u = char(960 + me, kind=4)
  call co_max(u)
  call check(u == char(960 + n, kind=4), "co_max of wide characters")
  i4 = me
  call co_sum(i4, result_image=n)
  if (me == n) call check(i4 == sum1, "result_image")

  allocate (big(300000))
  big = [(me + i, i=1,300000)]
  call co_sum(big)
  call check(all(big == [(sum1 + i * n, i=1,300000)]), "co_sum of 1.2 MB")
  do i = 1, size(lengths)
    big(:lengths(i)) = [(me * i, k=1,lengths(i))]
    big(lengths(i) + 1) = -me
    call co_sum(big(:lengths(i)))
    call check(all(big(:lengths(i)) == sum1 * i) .and. big(lengths(i) + 1) == -me, "co_sum of an array")
  end do
  allocate (first(5000), last(5000))
  first = real(merge(2.0d0**60, -2.0d0**60, mod(me, 2) == 1), 8)
  first(2::2) = 1 / real(me, 8)
  call co_sum(first)
  last = first
  call co_max(last)
  call check(all(first == last), "co_sum has the same bits on all images")
  m = me
  call co_sum(m(1:5:2, 2:6:2))
  call check(m(3,4) == sum1 .and. m(2,4) == me .and. m(3,3) == me, "co_sum of a section")

  big = me
  call co_broadcast(big, n)
  call check(big(1) == n .and. big(300000) == n, "co_broadcast of 1.2 MB")
  t = merge("right", "wrong", me == 1)
  call co_broadcast(t, 1)
  call check(t == "right", "co_broadcast of characters")
  p = pair([me, 2, 3, 4], me)
  call co_broadcast(p, n, stat=st)
  call check(p%where(1) == n .and. p%value == n .and. st == 0, "co_broadcast of a derived type")
  m = me
  call co_broadcast(m(2,:), n)
  call check(all(m(2,:) == n) .and. m(1,1) == me, "co_broadcast of a row")

  i4 = me
  call co_reduce(i4, plus)
  call check(i4 == sum1, "co_reduce")
  i4 = me
  call co_reduce(i4, plus_value)
  call check(i4 == sum1, "co_reduce by value")
  r8 = me
  call co_reduce(r8, larger)
  call check(r8 == n, "co_reduce of a real")
  c8 = me
  call co_reduce(c8, complex_plus)
  call check(c8 == sum1, "co_reduce of a complex number")
  l = me /= n
  call co_reduce(l, both)
  call check(.not. l, "co_reduce of a logical")
  t = char(96 + me)
  call co_reduce(t, later)
  call check(t == char(96 + n), "co_reduce of characters")
  p = pair([me, 0, 0, 0], abs(me - 2))
  call co_reduce(p, closest)
  call check(p%where(1) == min(n, 2), "co_reduce of a derived type")
  big = me
  call co_reduce(big, plus, result_image=1)
  if (me == 1) call check(all(big == sum1), "co_reduce of 1.2 MB")
  i4 = 1
  call co_broadcast(i4, n + 1, stat=st, errmsg=msg)
  call check(st /= 0, "no such image")  ! gfortran 12 does not pass msg
  t = char(96 + me)
  call co_min(t, stat=st, errmsg=msg)
  call check(t == "a" .and. st == 0, "co_min of characters with errmsg")
  call finish_checks()
contains
  pure integer function plus(a, b)
    integer, intent(in) :: a, b
    plus = a + b
  end function
  pure integer function plus_value(a, b)
    integer, value :: a, b
    plus_value = a + b
  end function
  pure real(8) function larger(a, b)
    real(8), intent(in) :: a, b
    larger = max(a, b)
  end function
  pure complex(8) function complex_plus(a, b)
    complex(8), intent(in) :: a, b
    complex_plus = a + b
  end function
  pure logical function both(a, b)
    logical, intent(in) :: a, b
    both = a .and. b
  end function
  pure character(len=5) function later(a, b)
    character(len=5), intent(in) :: a, b
    later = max(a, b)
  end function
  pure type(pair) function closest(a, b)
    type(pair), intent(in) :: a, b
    closest = merge(a, b, a%value <= b%value)
  end function
end program
