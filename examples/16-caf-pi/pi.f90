! SPDX-License-Identifier: BSD-3-Clause
! Pi as the integral of 4 / (1 + x*x) from 0 to 1, in strips that the images share; the sum of
! all is one CO_SUM. A second way for the check: the images hand a partial sum around the ring.
program pi
  use, intrinsic :: iso_fortran_env, only: int64, real64, output_unit, error_unit
  implicit none
  integer(int64) :: strips, i, t0, t1, rate
  real(real64) :: part, total, seconds
  real(real64) :: ring[*]
  integer :: me, n
  logical :: right

  me = this_image()
  n = num_images()
  strips = strips_wanted()
  sync all
  call system_clock(t0, rate)
  part = 0
  do i = me - 1, strips - 1, n
    part = part + 4 / (1 + ((i + 0.5_real64) / strips)**2)
  end do
  part = part / strips
  total = part
  call co_sum(total)
  call system_clock(t1)
  seconds = max(real(t1 - t0, real64) / rate, 1e-9_real64)

  ring = 0
  sync all
  if (me == 1) then
    if (n > 1) then
      ring[2] = part
      sync images (2)
    end if
  else
    sync images (me - 1)
    if (me < n) then
      ring[me + 1] = ring + part
      sync images (me + 1)
    else
      ring[1] = ring + part
    end if
  end if
  sync all
  if (n == 1) ring = part
  part = ring[1]
  right = abs(total - acos(-1.0_real64)) < 1e-8_real64 .and. abs(total - part) < 1e-12_real64
  if (me == 1) then
    print '(a,f11.9)', "pi is ", total
    print '(a,i0,a,a,a,f0.6,a,f0.3,a)', "RESULT program=caf-pi pes=", n, " verified=", &
      trim(merge("yes", "no ", right)), " seconds=", seconds, " rate=", &
      strips / seconds / 1e6_real64, " unit=Mstrip/s"
    if (.not. right) print '(a)', "FAILED"
  end if
  if (.not. right) error stop 1
contains
  !> Strips of the integral: the first argument.
  integer(int64) function strips_wanted()
    character(len=20) :: word
    integer :: stat
    strips_wanted = 10000000
    if (command_argument_count() == 0) return
    call get_command_argument(1, word)
    read (word, *, iostat=stat) strips_wanted
    if (stat == 0 .and. strips_wanted >= 10000) return
    if (this_image() == 1) write (error_unit, '(a)') "usage: pi [strips, 10000 or more]"
    sync all  ! so that the line is out before the job ends
    error stop 2
  end function
end program
