! SPDX-License-Identifier: BSD-3-Clause
! Variables that a function of gfortran allocates, x = pack(...): their span, the bytes between two
! elements, is what was on the stack before. That of pointers to components is to be believed.
module spans_module
  use checks
  implicit none
  type pair
    integer :: first, second
  end type
  type long
    integer :: first
    real(8) :: rest(3)
  end type
  type holder
    integer, allocatable :: memory(:)
  end type
contains
  subroutine leave_on_stack(value)
    integer(8), intent(in) :: value
    integer(8), volatile :: words(200)
    words = value
  end subroutine

  subroutine put(x, image, values)
    integer, intent(inout) :: x(:)[*]
    integer, intent(in) :: image, values(:)
    integer, allocatable :: chosen(:)
    chosen = pack(values, .true.)
    x(1:size(values))[image] = chosen
  end subroutine

  subroutine sum_up(values)
    integer, intent(in) :: values(:)
    integer, allocatable :: chosen(:)
    chosen = pack(values, .true.)
    call co_sum(chosen)
    call check(all(chosen == num_images() * values), "co_sum")
  end subroutine
end module

program spans
  use spans_module
  implicit none
  integer, parameter :: sizes(*) = [1, 5, 6, 7, 10, 100, 1000, 20000, 100000]
  integer(8), parameter :: left(*) = [0_8, 3_8, 24_8, 1000_8, -1_8, 140737488347136_8]
  integer :: x(100000)[*], values(100000), next, i, k, n
  type(pair), allocatable, target :: pairs(:)
  type(long), allocatable, target :: longs(:)
  type(holder) :: held(260)
  integer, pointer :: p(:)
  next = mod(this_image(), num_images()) + 1
  values = [(i, i=1,100000)]
  do i = 1, size(sizes)
    n = sizes(i)
    do k = 1, size(left)
      x = 0
      sync all
      call leave_on_stack(left(k))
      call put(x, next, values(:n))
      sync all
      call check(all(x(:n) == values(:n)), "put")
      call leave_on_stack(left(k))
      call sum_up(values(:n))
    end do
  end do
  ! blocks at each place of a page
  do i = 1, size(held)
    allocate (held(i)%memory(25))
    x = 0
    sync all
    call leave_on_stack(24_8)
    call put(x, next, values(:1000))
    sync all
    call check(all(x(:1000) == values(:1000)), "put of any place")
  end do
  do n = 1, 70
    allocate (pairs(n), longs(n))
    pairs = [(pair(n + i, 0), i=1,n)]
    longs = [(long(2 * n + i, 0), i=1,n)]
    p => pairs%first
    sync all
    x(1:n)[next] = p
    call co_sum(p)
    call check(all(pairs%first == num_images() * [(n + i, i=1,n)]), "co_sum of a pointer")
    call check(all(pairs%second == 0), "what is beside it")
    sync all
    call check(all(x(1:n) == [(n + i, i=1,n)]), "put of a pointer")
    p => longs%first
    sync all
    x(1:n)[next] = p
    sync all
    call check(all(x(1:n) == [(2 * n + i, i=1,n)]), "put of another pointer")
    deallocate (pairs, longs)
  end do
  call finish_checks()
end program
