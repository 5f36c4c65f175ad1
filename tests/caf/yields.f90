! SPDX-License-Identifier: BSD-3-Clause
! How often this thread has given the processor away: calls of sched_yield, which this module
! defines in the C library's place, and sleeps.
module yields
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_long) :: calls = 0
  interface
    integer(c_int) function getrusage(who, usage) bind(c)
      import c_int, c_long
      integer(c_int), value :: who
      integer(c_long), intent(out) :: usage(18)
    end function
    integer(c_int) function usleep(us) bind(c)
      import c_int
      integer(c_int), value :: us
    end function
  end interface
contains
  integer(c_int) function sched_yield() bind(c)
    calls = calls + 1
    sched_yield = usleep(1_c_int)
  end function

  integer(c_long) function given_away()
    integer(c_int), parameter :: thread = 1
    integer(c_long) :: usage(18)
    integer(c_int) :: ignored
    ignored = getrusage(thread, usage)
    given_away = calls + usage(17)  ! ru_nvcsw
  end function
end module
