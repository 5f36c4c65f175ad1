! SPDX-License-Identifier: BSD-3-Clause
! Collectives of all types and kinds, of scalars, arrays, sections and characters, by an operation
! of the program, small ones and such that travel in pieces.
module operations
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: pair
    integer(c_int64_t) :: most, owner
  end type
contains
  !> The larger one, with its owner; cdata counts elements.
  subroutine larger(arg1, arg2_and_out, count, cdata) bind(C)
    type(c_ptr), intent(in), value :: arg1, arg2_and_out, cdata
    integer(c_size_t), intent(in), value :: count
    type(pair), pointer :: a(:), b(:)
    integer(c_int), pointer :: seen
    call c_f_pointer(arg1, a, [count])
    call c_f_pointer(arg2_and_out, b, [count])
    call c_f_pointer(cdata, seen)
    where (a%most > b%most)
      b%owner = a%owner
      b%most = a%most
    end where
    seen = seen + int(count)
  end subroutine
end module

program collectives
  use checks
  use operations
  use prif
  implicit none
  integer(c_int) :: stat, last
  integer :: i
  integer(1) :: i1
  integer(2) :: i2
  integer(4) :: i4, table(3, 4)
  integer(8) :: i8
  real(4) :: r4
  real(8) :: r8, grid(4, 6)
  complex(4) :: c4
  complex(8) :: c8(2)
  character(len=5) :: text(2)
  character(len=:), allocatable :: long
  real(8), allocatable, target :: large(:)
  integer(c_int), target :: seen
  type(pair), target :: pairs(2), one
  procedure(prif_operation_wrapper_interface), pointer :: operation

  call start()
  last = n
  operation => larger
  call sums()
  call extremes()
  call broadcasts()
  call reductions()
  call finish_checks()
contains
  subroutine sums()
    integer :: total
    total = n * (n + 1) / 2
    i1 = int(me, 1); i2 = int(me, 2); i4 = me; i8 = me * 2_8**40
    r4 = me; r8 = me; c4 = cmplx(me, -me); c8 = [cmplx(me, 1, 8), cmplx(1, me, 8)]
    call prif_co_sum(i1, stat=stat)
    call prif_co_sum(i2)
    call prif_co_sum(i4)
    call prif_co_sum(i8)
    call check(stat == 0 .and. i1 == total .and. i2 == total .and. i4 == total .and. &
               i8 == total * 2_8**40, "prif_co_sum of integers")
    call prif_co_sum(r4)
    call prif_co_sum(r8)
    call prif_co_sum(c4)
    call prif_co_sum(c8)
    call check(r4 == total .and. r8 == total .and. c4 == cmplx(total, -total) .and. &
               all(c8 == [cmplx(total, n, 8), cmplx(n, total, 8)]), "prif_co_sum of reals")
    table = me
    call prif_co_sum(table, last)
    call check(all(table == total) .or. me /= last, "prif_co_sum to one image")
    grid = me
    call prif_co_sum(grid(1:3:2, 2:6:2))
    call check(all(grid(1:3:2, 2:6:2) == total) .and. all(grid(2:4:2, :) == me) .and. &
               all(grid(:, 1:5:2) == me), "prif_co_sum of a section")
    allocate (large(400000))
    large = [(real(me * i, 8), i=1, size(large))]
    call prif_co_sum(large)
    call check(all(large == [(real(total, 8) * i, i=1, size(large))]), "prif_co_sum of 3 MB")
    deallocate (large)
    call prif_co_sum(table, n + 1, stat)
    call check(stat > 0, "prif_co_sum to no image")
  end subroutine

  subroutine extremes()
    character(len=40) :: errmsg
    i1 = int(-me, 1); i8 = me; r4 = 0.5 * me; r8 = -me
    call prif_co_min(i1)
    call prif_co_max(i8)
    call prif_co_min(r4)
    call prif_co_max(r8, stat=stat, errmsg=errmsg)
    call check(i1 == -n .and. i8 == n .and. r4 == 0.5 .and. r8 == -1 .and. stat == 0, &
               "prif_co_min and prif_co_max")
    text = ["image", achar(iachar("a") + me) // "bcde"]
    call prif_co_max_character(text)
    call check(text(1) == "image" .and. text(2) == achar(iachar("a") + n) // "bcde", &
               "prif_co_max_character")
    text(1) = achar(iachar("z") - me)
    call prif_co_min_character(text(1), last)
    call check(text(1) == achar(iachar("z") - n) .or. me /= last, "prif_co_min_character")
  end subroutine

  subroutine broadcasts()
    character(len=:), allocatable :: errmsg
    table = merge(reshape([(i, i=1, 12)], [3, 4]), -1, me == last)
    call prif_co_broadcast(table, last)
    call check(all(table == reshape([(i, i=1, 12)], [3, 4])), "prif_co_broadcast")
    grid = me
    call prif_co_broadcast(grid(2, :), last)
    call check(all(grid(2, :) == last) .and. all(grid(1, :) == me), "of a row")
    one = pair(me, 2 * me)
    call prif_co_broadcast(one, 1_c_int, stat)
    call check(one%most == 1 .and. one%owner == 2 .and. stat == 0, "of a derived type")
    long = repeat(achar(iachar("a") + me), 3000)
    call prif_co_broadcast(long, last)
    call check(long == repeat(achar(iachar("a") + n), 3000), "of characters")
    one = pair(me, 2 * me)
    call prif_co_broadcast_cptr(c_loc(one), 16_c_size_t, last)
    call check(one%most == n .and. one%owner == 2 * n, "prif_co_broadcast_cptr")
    call prif_co_broadcast(one, 0_c_int, stat, errmsg_alloc=errmsg)
    call check(stat > 0 .and. allocated(errmsg), "from no image")
  end subroutine

  subroutine reductions()
    pairs = [pair(me, me), pair(-me, me)]
    seen = 0
    call prif_co_reduce(pairs, operation, c_loc(seen), stat=stat)
    call check(all(pairs%most == [n, -1]) .and. all(pairs%owner == [n, 1]) .and. stat == 0, &
               "prif_co_reduce")
    ! its program's operation runs where the reduction does: in one image at least
    call prif_co_sum(seen)
    call check(seen >= 2 * (n - 1), "cdata")
    one = pair(mod(me, n), me)
    call prif_co_reduce_cptr(c_loc(one), 16_c_size_t, 1_c_size_t, operation, c_loc(seen), last)
    call check((one%most == n - 1 .and. one%owner == max(n - 1, 1)) .or. me /= last, &
               "prif_co_reduce_cptr")
  end subroutine
end program
