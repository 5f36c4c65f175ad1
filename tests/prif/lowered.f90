! SPDX-License-Identifier: BSD-3-Clause
! What flang 22 lowers to PRIF by itself, without a word of the module: numbers of images, SYNC
! statements, collectives, teams, the end.
program lowered
  use iso_fortran_env
  implicit none
  integer :: me, n, i, st, big(5000), failed = 0
  real(8) :: r(3)
  complex :: z
  character(len=5) :: c
  type(team_type) :: half

  me = this_image()
  n = num_images()
  call check(me >= 1 .and. me <= n, "numbers")
  sync all
  sync memory
  sync all (stat=st)
  call check(st == 0, "sync all")
  if (me == 1) then
    sync images ([(i, i=2,n)])
  else
    sync images (1)
  end if
  sync images (*)

  i = me
  call co_sum(i)
  call check(i == n * (n + 1) / 2, "co_sum")
  r = [1d0, real(me, 8), -real(me, 8)]
  call co_sum(r, result_image=1)
  call check(me /= 1 .or. all(abs(r - [n, n * (n + 1) / 2, -(n * (n + 1) / 2)]) < 1d-9), "array")
  z = cmplx(1, me)
  call co_sum(z)
  call check(nint(real(z)) == n, "complex")
  i = me
  call co_max(i)
  call check(i == n, "co_max")
  i = me
  call co_min(i)
  call check(i == 1, "co_min")
  c = achar(64 + me) // "bcde"
  call co_max(c)
  call check(c == achar(64 + n) // "bcde", "co_max of characters")
  big = [(me * i, i=1,5000)]
  call co_broadcast(big, source_image=n)
  call check(all(big == [(n * i, i=1,5000)]), "co_broadcast")
  c = merge("first", "other", me == 1)
  call co_broadcast(c, 1)
  call check(c == "first", "co_broadcast of characters")

  form team (1 + mod(me, 2), half)
  change team (half)
    call check(num_images() == merge((n + 1) / 2, n / 2, mod(me, 2) == 1), "num_images of a team")
    call check(this_image() == (me + 1) / 2, "this_image of a team")
    i = 1
    call co_sum(i)
    call check(i == num_images(), "co_sum of a team")
    sync all
  end team
  sync team (half)
  call check(this_image() == me .and. num_images() == n, "behind the team")
  call co_sum(failed)
  if (me == 1) print '(a,i0,a)', "checked, ", failed, " failed"
  if (failed > 0) error stop "checks failed"
  sync all
  stop
contains
  subroutine check(condition, name)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: name
    if (condition) return
    failed = failed + 1
    print '(a,i0,2a)', "FAIL: image ", me, ": ", name
  end subroutine
end program
