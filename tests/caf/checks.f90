! SPDX-License-Identifier: BSD-3-Clause
! A false condition is printed with its name and the image, and counted; the program goes on. Behind
! all checks: their number on image 1, and the end with status 1 where one failed anywhere.
module checks
  use iso_fortran_env, only: error_unit
  implicit none
  integer :: checked = 0, failed = 0
contains
  subroutine check(condition, name)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: name
    checked = checked + 1
    if (condition) return
    failed = failed + 1
    write (error_unit, '(a,i0,2a)') "FAIL: image ", this_image(), ": ", name
  end subroutine

  subroutine finish_checks()
    call co_sum(checked)
    call co_sum(failed)
    if (this_image() == 1) print '(2(i0,a))', checked, " checks, ", failed, " failed"
    sync all
    if (failed > 0) error stop "checks failed"
  end subroutine
end module
