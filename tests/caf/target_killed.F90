! SPDX-License-Identifier: BSD-3-Clause
! Targets of an image that is killed while the others read them and put to them: their memory is
! gone, and stat= says so, which gfortran 12 to 14 pass where a component is read.
module targets_of
  use, intrinsic :: iso_c_binding
  implicit none
  type box
    integer, pointer :: p(:) => null()
    type(box), pointer :: inner => null()
  end type
  interface
    integer(c_int) function raise(signo) bind(c)
      import
      integer(c_int), value :: signo
    end function
  end interface
end module

program target_killed
  use targets_of
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: long = 3000, victim = 2
  type(box) :: x[*]
  type(box), target :: inner
  integer, target :: memory(long), seen(long)
  integer :: me, st, signo

  me = this_image()
  memory = me
  x%p => memory
  x%inner => inner
  inner%p => memory
  if (image_status(me) /= 0) print '(a)', "WRONG: this image is there"
  sync all
  if (me == victim) then
    do while (memory(1) == me)  ! until another image is in the midst of it
      call yield()
    end do
    signo = raise(9)
  end if
  do
    st = -1
    seen = x[victim, stat=st]%p
    if (st /= 0) exit
    if (any(seen /= victim .and. seen /= -1)) print '(a)', "WRONG: what is read of an image"
    x[victim]%p(:) = -1
  end do
  if (st /= stat_failed_image) print '(a,i0)', "WRONG: stat is ", st
  x[victim]%p(2:long:7) = 5
  seen(1) = x[victim, stat=st]%inner%p(3)
  if (st /= stat_failed_image) print '(a,i0)', "WRONG: behind two pointers stat is ", st
  print '(a)', "an image has learnt"
contains
  subroutine yield()
    sync memory
  end subroutine
end program
