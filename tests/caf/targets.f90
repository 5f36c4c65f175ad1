! SPDX-License-Identifier: BSD-3-Clause
! Components of coarrays whose memory is none of a coarray: pointers to local and module variables,
! to dummies, to what was allocated elsewhere, and components that were allocated as arguments.
module targets_of
  implicit none
  type leaf
    integer :: k = 0
    real, pointer :: deep(:) => null()
  end type
  type box
    integer, pointer :: p(:) => null()
    integer, pointer :: grid(:,:) => null()
    real(8), pointer :: s => null()
    character(len=3), pointer :: words(:) => null()
    type(leaf), pointer :: leaf => null()
    type(leaf), pointer :: leaves(:) => null()
    integer, allocatable :: a(:)
  end type
  integer, target :: of_module(40) = 0
contains
  subroutine allocate_it(a, n)
    integer, allocatable, intent(out) :: a(:)
    integer, intent(in) :: n
    allocate (a(n), source=n)
  end subroutine

  subroutine point_to(p, there)
    integer, pointer, intent(out) :: p(:)
    integer, target, intent(in) :: there(:)
    p => there
  end subroutine
end module

program targets
  use checks
  use targets_of
  implicit none
  type(box) :: x[*]
  type(box), allocatable :: y[:]
  integer, target :: local(6, 5)
  integer, target, allocatable :: heap(:)
  integer, pointer :: anonymous(:)
  real(8), target :: number
  character(len=3), target :: words(4)
  type(leaf), target :: one, many(3)
  real, target :: deep(10)
  integer :: me, n, next, before, i, v(3), got(4), k
  integer, allocatable :: whole(:)
  real :: r(3)
  real(8) :: d
  character(len=3) :: w

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  before = mod(me + n - 2, n) + 1
  allocate (y[*])
  allocate (heap(10000 + me), source=me)
  allocate (anonymous(5), source=me)
  of_module = [(me * 100 + i, i=1,40)]
  local = reshape([(me * 100 + i, i=1,30)], [6, 5])
  number = me + 0.5d0
  words = "abc"
  deep = me
  one%k = me
  one%deep => deep
  many(2)%deep => deep(2:10:2)
  many%k = me

  ! reads
  call point_to(x%p, of_module(3:40:2))
  x%grid => local(2:5, 1:5:2)
  x%s => number
  x%words => words
  x%leaf => one
  x%leaves => many
  call allocate_it(x%a, 4 + me)
  y%p => heap
  sync all
  i = x[next]%p(2)
  call check(i == next * 100 + 5, "element of a module variable")
  got = x[next]%p(1:8:2)
  call check(all(got == next * 100 + [3, 7, 11, 15]), "stride of a stride")
  v = [7, 1, 3]
  got(1:3) = x[next]%p(v)
  call check(all(got(1:3) == next * 100 + [15, 3, 7]), "vector")
  got(1:3) = x[next]%p(3:1:-1)
  call check(all(got(1:3) == next * 100 + [7, 5, 3]), "backwards")
  got(1:2) = x[next]%grid(2:3, 2)
  call check(all(got(1:2) == next * 100 + [15, 16]), "two dimensions")
  whole = x[next]%a
  call check(size(whole) == 4 + next .and. all(whole == 4 + next), "allocated as an argument")
  d = x[next]%s
  call check(d == next + 0.5d0, "scalar")
  r = x[next]%p(1:3)
  call check(all(r == next * 100 + [3, 5, 7]), "conversion")
  w = x[next]%words(2)
  call check(w == "abc", "character")
  i = x[next]%leaf%k
  call check(i == next, "component of a target")
  r(1:2) = x[next]%leaf%deep(3:4)
  call check(all(r(1:2) == next), "target of a target")
  i = x[next]%leaves(3)%k
  call check(i == next, "component of an element")
  r(1:2) = x[next]%leaves(2)%deep(4:5)
  call check(all(r(1:2) == next), "target of an element")
  whole = y[next]%p
  call check(size(whole) == 10000 + next .and. all(whole == next), "long")
  whole = y[next]%p(1:10000:5000)
  call check(all(whole == [next, next]), "sparse")
  call check(associated(x%p, of_module(3:40:2)), "the pointers are as they were")
  sync all

  ! writes
  x[next]%p(1) = -me
  x[next]%p(2:4) = [me, me + 1, me + 2]
  x[next]%grid(:, 3) = 7
  x[next]%s = me
  x[next]%words(3) = "xyz"
  x[next]%leaf%deep(9:10) = 0.25
  x[next]%leaves(2)%deep(1) = -1
  x[next]%a(v(2:)) = [70, 80]
  y[next]%p(:) = [(i, i=1,10000+next)]
  i = y[next]%p(77)  ! what this image has just put
  call check(i == 77, "get behind a put")
  sync all
  call check(of_module(3) == -before .and. all(of_module(5:9:2) == before + [0, 1, 2]) .and. &
             of_module(4) == me * 100 + 4 .and. of_module(11) == me * 100 + 11, "elements")
  call check(all(local(2:5, 5) == 7) .and. local(1, 5) == me * 100 + 25 .and. &
             local(6, 5) == me * 100 + 30, "column")
  call check(number == before, "scalar, converted")
  call check(words(3) == "xyz" .and. words(2) == "abc", "characters")
  call check(all(deep == [real :: me, -1, me, me, me, me, me, me, 0.25, 0.25]), "target of two")
  call check(x%a(1) == 70 .and. x%a(3) == 80 .and. x%a(2) == 4 + me, "put by a vector")
  call check(all(heap == [(i, i=1,10000+me)]), "put of a long one")
  sync all

  ! between images, and to this one
  if (me == 1) x[n]%p(5:7) = x[next]%p(2:4)
  x[me]%p(9) = 9
  k = x[me]%p(9)
  sync all
  if (me == n) call check(all(of_module(11:15:2) == mod(1, n) + [0, 1, 2] .or. n == 1), &
                          "between images")
  call check(k == 9 .and. of_module(19) == 9, "this image")

  ! coarrays' memory again
  sync all
  nullify (x%p)
  allocate (x%p(3))
  x%p = me
  x%leaf => null()
  sync all
  i = x[next]%p(3)
  call check(i == next, "memory of a component again")
  x[next]%p(2) = -me
  sync all
  call check(x%p(2) == -before, "put to it")
  deallocate (anonymous)
  call finish_checks()
end program
