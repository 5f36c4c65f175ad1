! SPDX-License-Identifier: BSD-3-Clause
!
! The message layer called from Fortran, as Global Arrays' Fortran interface passes operations on:
! literals, and parts of longer strings, none with a NUL behind it.
module armci
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function armci_init() bind(C, name="ARMCI_Init")
      import c_int
    end function
    integer(c_int) function armci_msg_me() bind(C)
      import c_int
    end function
    integer(c_int) function armci_msg_nproc() bind(C)
      import c_int
    end function
    integer(c_int) function armci_finalize() bind(C, name="ARMCI_Finalize")
      import c_int
    end function
    subroutine armci_msg_dgop(x, n, op) bind(C)
      import c_double, c_int, c_char
      real(c_double) :: x(*)
      integer(c_int), value :: n
      character(kind=c_char) :: op(*)
    end subroutine
    subroutine armci_msg_igop(x, n, op) bind(C)
      import c_int, c_char
      integer(c_int) :: x(*)
      integer(c_int), value :: n
      character(kind=c_char) :: op(*)
    end subroutine
    subroutine armci_msg_sel_scope(scope, x, n, op, type, contribute) bind(C)
      import c_int, c_char
      integer(c_int), value :: scope, n, type, contribute
      integer(c_int) :: x(*)
      character(kind=c_char) :: op(*)
    end subroutine
  end interface
end module

program reductions
  use armci
  implicit none
  integer(c_int), parameter :: scope_all = 333, armci_int = -99
  character(kind=c_char, len=26), parameter :: names = "absmaxabsmin+*maxmin||&&or"
  integer(c_int) :: me, n, failed
  real(c_double) :: x(2)
  integer(c_int) :: i(2)
  failed = armci_init()
  me = armci_msg_me()
  n = armci_msg_nproc()
  x = [1.5d0, real(me, c_double)]
  call armci_msg_dgop(x, 2, "+")
  call expect(x(1) == 1.5d0*n .and. x(2) == n*(n - 1)/2, "+")
  x = [real(me, c_double), -real(me, c_double)]
  call armci_msg_dgop(x, 2, "max")
  call expect(x(1) == n - 1 .and. x(2) == 0, "max")
  x = [-1d0 - me, 5d0]
  call armci_msg_dgop(x, 2, names(1:6))
  call expect(x(1) == n .and. x(2) == 5, "absmax")
  i = [me - 3, me]
  call armci_msg_igop(i, 2, names(18:20))
  call expect(i(1) == -3 .and. i(2) == 0, "min")
  i = [merge(4, 0, me == 0), 1]
  call armci_msg_igop(i, 2, names(21:22))
  call expect(all(i == 1), "||")
  i = [me, 7]
  call armci_msg_sel_scope(scope_all, i, 8, names(15:17), armci_int, 1)
  call expect(i(1) == n - 1, "selection of max")
  if (me == 0 .and. failed == 0) print '(a)', "from Fortran"
  i(1) = armci_finalize()
  if (failed /= 0) stop 1
contains
  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    failed = failed + 1
    print '(a,i0,3a)', "FAIL: process ", me, ": ", what, " is wrong"
  end subroutine
end program
