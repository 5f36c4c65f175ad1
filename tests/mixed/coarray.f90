! SPDX-License-Identifier: BSD-3-Clause
!
! Coarrays in a program whose C half uses OpenSHMEM and MPI: images, PEs and ranks have one number,
! each library's data moves, and each waits for what another one has written.
program coarray
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function half_begin() bind(c)
      import :: c_int
    end function
    !> A symmetric word of OpenSHMEM in which PE pe finds value.
    subroutine half_put(pe, value) bind(c)
      import :: c_int, c_long
      integer(c_int), value :: pe
      integer(c_long), value :: value
    end subroutine
    integer(c_long) function half_await(value) bind(c)
      import :: c_long
      integer(c_long), value :: value
    end function
    integer(c_long) function half_mpi_sum(value) bind(c)
      import :: c_long
      integer(c_long), value :: value
    end function
    integer(c_int) function half_mpi_rank() bind(c)
      import :: c_int
    end function
    subroutine half_add_to(word, pe) bind(c)
      import :: c_ptr, c_int
      type(c_ptr), value :: word
      integer(c_int), value :: pe
    end subroutine
    subroutine half_end() bind(c)
    end subroutine
  end interface
  integer, parameter :: rounds = 50
  integer(c_long), target :: from_left[*], counted[*]
  integer(c_long) :: total
  integer :: me, n, right, round, failures

  me = this_image()
  n = num_images()
  right = mod(me, n) + 1
  from_left = 0
  counted = 0
  failures = 0
  call expect(int(half_begin(), c_long), int(me - 1, c_long), "PE of an image")
  call expect(int(half_mpi_rank(), c_long), int(me - 1, c_long), "rank of an image")
  sync all
  do round = 1, rounds
    from_left[right] = int(1000 * round + me, c_long)
    call half_put(int(right - 1, c_int), int(round, c_long))
    call expect(half_await(int(round, c_long)), int(round, c_long), "OpenSHMEM's word")
    sync all
    call expect(from_left, int(1000 * round + modulo(me - 2, n) + 1, c_long), "a coarray's word")
    call expect(half_mpi_sum(from_left), &
                int(n, c_long) * (1000 * round) + int(n, c_long) * (n + 1) / 2, "MPI's sum")
    call half_add_to(c_loc(counted), 0_c_int)
    sync all
  end do
  total = counted[1]
  call expect(total, int(n, c_long) * rounds, "OpenSHMEM's atomics on a coarray")
  call co_sum(failures)
  if (me == 1 .and. failures == 0) print '(a,i0,a)', "coarrays, OpenSHMEM and MPI agree in ", n, &
    " images"
  call half_end()
  if (failures /= 0) error stop 1
contains
  subroutine expect(found, wanted, what)
    integer(c_long), intent(in) :: found, wanted
    character(len=*), intent(in) :: what
    if (found == wanted) return
    failures = failures + 1
    print '(a,i0,a,a,a,i0,a,i0)', "FAIL: image ", me, ": ", what, " is ", found, ", not ", wanted
  end subroutine
end program
