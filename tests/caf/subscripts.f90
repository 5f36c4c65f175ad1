! SPDX-License-Identifier: BSD-3-Clause
! Vectors of subscripts beside subscripts of elements. A program of its own: at the first assignment
! gfortran 15 and 16 free memory twice, and may give up.
program subscripts
  use checks
  implicit none
  integer :: cube(4,5,6)[*]
  integer :: me, n, next, before, rows(2), columns(2), got(2)

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  before = mod(me + n - 2, n) + 1
  rows = [1, 3]
  columns = [5, 2]
  cube = 0
  sync all
  cube(rows, 5, 1)[next] = -me
  cube(2, columns, 2)[next] = [me, 10 * me]
  cube(rows, columns, 3)[next] = me
  sync all
  call check(all(cube(rows, 5, 1) == -before) .and. sum(cube(:, :, 1)) == -2 * before, "rows")
  call check(cube(2, 5, 2) == before .and. cube(2, 2, 2) == 10 * before, "columns")
  call check(all(cube(rows, columns, 3) == before) .and. sum(cube(:, :, 3)) == 4 * before, "both")
  got = cube(2, columns, 2)[next]
  call check(all(got == [me, 10 * me]), "get of columns")
  got = cube(rows, 2, 3)[next]
  call check(all(got == me), "get of rows")
  call finish_checks()
end program
