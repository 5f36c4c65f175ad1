! SPDX-License-Identifier: BSD-3-Clause
! A program of coarrays with nothing beside it, as another library runs it (see caf_beside.f90).
module bench_base
  implicit none
  public
contains
  subroutine base_begin()
  end subroutine

  logical function base_found(name, nbytes)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes
    base_found = .false.
  end function

  subroutine base(ncalls)
    integer, intent(in) :: ncalls
  end subroutine

  subroutine base_settle()
  end subroutine

  subroutine base_end()
  end subroutine
end module
