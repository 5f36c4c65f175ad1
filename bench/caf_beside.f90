! SPDX-License-Identifier: BSD-3-Clause
! A program of coarrays beside the same operations by OpenSHMEM and plain C, in the same processes
! (caf_base.c). caf_alone.f90 has the same module for other libraries.
module bench_base
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: base_begin, base_found, base, base_settle, base_end

  interface
    subroutine base_begin() bind(c, name='caf_base_begin')
    end subroutine
    integer(c_int) function choose(name, nbytes) bind(c, name='caf_base_choose')
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: nbytes
    end function
    subroutine run(ncalls) bind(c, name='caf_base_run')
      import
      integer(c_int), intent(in) :: ncalls
    end subroutine
    subroutine base_settle() bind(c, name='caf_base_settle')
    end subroutine
    subroutine base_end() bind(c, name='caf_base_end')
    end subroutine
  end interface
contains
  !> Makes it what base runs.
  logical function base_found(name, nbytes)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes
    base_found = choose(name // c_null_char, nbytes) /= 0
  end function

  subroutine base(ncalls)
    integer, intent(in) :: ncalls
    call run(ncalls)
  end subroutine
end module
