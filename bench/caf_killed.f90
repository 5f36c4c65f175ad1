! SPDX-License-Identifier: BSD-3-Clause
! The last image is killed while the others wait for it: how long until each of these goes on? The
! longest counts. Names images that are gone, so the library lets the others go on.
program killed
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: iso_c_binding
  use bench_common
  implicit none
  interface
    integer(c_int) function raise(signo) bind(c)
      import
      integer(c_int), value :: signo
    end function
    integer(c_int) function usleep(us) bind(c)
      import
      integer(c_int), value :: us
    end function
  end interface
  integer(int64) :: ticks, rate, struck[*]
  integer :: st, i
  integer(c_int) :: ignored
  real(real64) :: ns[*]
  type(team_type) :: living

  if (.not. parse('caf', this_image())) error stop 2
  struck = 0
  sync all
  if (this_image() == num_images()) then
    ignored = usleep(100000)  ! the others wait
    call system_clock(ticks)
    do i = 1, num_images() - 1
      struck[i] = ticks
    end do
    sync memory
    ignored = raise(9)
  end if
  sync all (stat=st)
  call system_clock(ticks, rate)
  if (st /= stat_failed_image .or. struck == 0) error stop 'the image was not killed'
  ns = real(ticks - struck, real64) * (1e9_real64 / rate)
  form team (1, living)
  change team (living)
    if (image_status(1) == stat_failed_image) error stop 'the wrong image was killed'
    call co_max(ns)
    if (this_image() == 1) then
      call add_sample(1, ns)
      call print_line('killed', 0, 1)
    end if
  end team
end program
