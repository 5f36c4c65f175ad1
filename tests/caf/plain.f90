! SPDX-License-Identifier: BSD-3-Clause
! The last image is killed. The program asks for no image that is gone but by stat=.
program plain
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function raise(signo) bind(c)
      import
      integer(c_int), value :: signo
    end function
  end interface
  integer :: st
  integer(c_int) :: ignored
  sync all
  if (this_image() == num_images()) ignored = raise(9_c_int)
  sync all (stat=st)
  if (st == stat_failed_image .and. this_image() == 1) print '(a)', "image 1 has seen stat_failed_image"
end program
