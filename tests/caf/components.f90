! SPDX-License-Identifier: BSD-3-Clause
! Components of coarrays: plain ones, allocatable and pointer ones, arrays of constant shape, of
! static and allocatable coarrays, by all kinds of subscripts; put, get, between images.
module parts
  implicit none
  type inner
    integer :: k = 0
    integer, allocatable :: deep(:)
  end type
  type part
    integer :: n = 0
    real(8) :: fix(3,4) = 0
    character(len=5) :: name = ""
    real, allocatable :: a(:)
    integer, allocatable :: grid(:,:)
    integer, allocatable :: s
    integer, pointer :: p(:) => null()
    type(inner) :: in
  end type
  type light  ! gfortran 12 cannot allocate a coarray of the other one
    integer :: n = 0
    real(8) :: fix(3,4) = 0
    real, allocatable :: a(:)
  end type
end module

program components
  use checks
  use parts
  implicit none
  type(part) :: x[*], xs(4,0:5)[*]
  type(light), allocatable :: y(:)[:]
  integer :: me, n, next, before, i, v(2), m(3), st
  real, allocatable :: got(:)
  integer, allocatable :: whole(:,:)
  real(8) :: column(3)
  character(len=8) :: name

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  before = mod(me + n - 2, n) + 1

  ! plain components, and arrays of constant shape
  sync all
  x[next]%n = me
  x[next]%name = "image"
  x[next]%fix(2,3) = me
  x[next]%fix(:,4) = [1, 2, 3]
  x[next]%fix(1:3:2,1) = -me
  xs(2,3)[next]%n = me
  xs(2:3,1)[next]%n = 10 * me
  xs(1,0)[next]%fix(3,4) = 0.5
  sync all
  call check(x%n == before .and. x%name == "image", "plain components")
  call check(x%fix(2,3) == before .and. all(x%fix(:,4) == [1, 2, 3]), "elements of an array")
  call check(x%fix(1,1) == -before .and. x%fix(2,1) == 0 .and. x%fix(3,1) == -before, "stride")
  call check(xs(2,3)%n == before .and. all(xs(2:3,1)%n == 10 * before), "array of a type")
  call check(xs(4,1)%n == 0 .and. xs(1,0)%fix(3,4) == 0.5, "component of an element")
  name = x[next]%name
  column = x[next]%fix(:,4)
  i = xs(2,3)[next]%n
  m(1:2) = xs(2:3,1)[next]%n
  call check(name == "image" .and. all(column == [1, 2, 3]) .and. i == me, "gets")
  call check(all(m(1:2) == 10 * me), "get of components of a section")

  ! allocatable and pointer components, of different size on each image
  call check(.not. allocated(x[next]%a), "not allocated")
  sync all
  allocate (x%a(0:10 * me), x%grid(2:4,me), x%s, x%p(5))
  x%a = me
  x%grid = me
  x%s = me
  x%p = [(i, i=1,5)]
  allocate (x%in%deep(3))
  x%in%deep = 7
  sync all
  call check(allocated(x[next]%a), "allocated")
  call check(allocated(x[next]%s), "allocated scalar")
  x[next]%a(3) = 30
  x[next]%a(7:9:2) = [70, 90]
  x[next]%grid(3,1) = -1
  i = x[next]%s  ! gfortran 15 takes its own value in x[next]%s = x[next]%s + 100
  x[next]%s = i + 100
  x[next]%p(2) = 22
  x[next]%in%deep(2) = 8
  sync all
  call check(x%a(0) == me .and. x%a(3) == 30 .and. x%a(7) == 70 .and. x%a(8) == me .and. &
             x%a(9) == 90, "elements of an allocatable component")
  call check(x%grid(3,1) == -1 .and. x%grid(2,1) == me, "two dimensions")
  call check(x%s == me + 100 .and. x%p(2) == 22, "allocatable scalar, pointer")
  call check(all(x%in%deep == [7, 8, 7]), "component of a component")
  sync all
  got = x[next]%a
  call check(size(got) == 10 * next + 1 .and. got(3 + 1) == 30 .and. got(1) == next, &
             "whole component into an allocatable")
  whole = x[next]%grid
  call check(all(shape(whole) == [3, next]) .and. whole(2,1) == -1, "whole grid")
  got = x[next]%a(5:)
  call check(size(got) == 10 * next - 4 .and. got(3) == 70, "to the end")
  got = x[next]%a(:3)
  call check(size(got) == 4 .and. got(4) == 30, "from the begin")
  v = [9, 3]
  m(1:2) = int(x[next]%a(v))
  call check(all(m(1:2) == [90, 30]), "vector")
  m = x[next]%in%deep
  call check(all(m == [7, 8, 7]), "get of a component of a component")
  sync all
  if (me == 1) x[n]%a(1:2) = x[next]%a(7:9:2)
  sync all
  if (me == n) call check(x%a(1) == 70 .and. x%a(2) == 90, "between images")

  ! on one image alone, and again
  if (me == 1) then
    x%in%deep = [1, 2, 3, 4, 5]
    allocate (xs(1,1)%a(2))
    xs(1,1)%a = [1, 2]
    xs(1,1)%a = [1, 2, 3]
  end if
  sync all
  got = xs(1,1)[1]%a
  call check(size(got) == 3 .and. got(3) == 3, "component of an element, reallocated")
  i = x[1]%in%deep(5)
  call check(i == 5, "reallocated by its image")
  sync all

  ! allocatable coarrays of the type
  allocate (y(2:5)[*], stat=st)
  y(:)%n = [(i, i=2,5)]
  do i = 2, 5
    allocate (y(i)%a(i))
    y(i)%a = me
  end do
  sync all
  y(3)[next]%a(2:) = 10 * me
  y(:)[next]%fix(1,1) = me
  y(4:5)[next]%n = -me
  sync all
  call check(y(3)%a(1) == me .and. all(y(3)%a(2:) == 10 * before), "element of an allocatable")
  call check(all(y(:)%fix(1,1) == before), "components of all elements")
  call check(y(2)%n == 2 .and. y(3)%n == 3 .and. all(y(4:5)%n == -before), "of some elements")
  m(1) = y(5)[next]%n
  call check(m(1) == -me, "get")
  sync all
  deallocate (x%a, x%s)
  sync all
  call check(.not. allocated(x[next]%a), "deallocated")
  deallocate (y)

  ! what cannot be reached
  sync all
  call finish_checks()
end program
