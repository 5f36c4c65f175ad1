! SPDX-License-Identifier: BSD-3-Clause
! Heat on a square plate by explicit steps. The images stand in a grid, each with a block of the
! plate and a border one point wide, into which its neighbours put their outer rows and columns; an
! event for each side says that a border has come, and one that it was read. Image 1 writes the
! plate as a picture, if it is asked to, and makes the same steps alone for the check.
module plate
  use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit, event_type
  implicit none
  real(real64), parameter :: speed = 0.2_real64, hot = 1
  integer, parameter :: north = 1, south = 2, west = 3, east = 4
  integer, parameter :: opposite(4) = [south, north, east, west]
contains
  !> The most square grid of so many images: rows and columns.
  pure function shape_of_grid(n) result(grid)
    integer, intent(in) :: n
    integer :: grid(2)
    grid(1) = int(sqrt(real(n, real64)))
    do while (mod(n, grid(1)) /= 0)
      grid(1) = grid(1) - 1
    end do
    grid(2) = n / grid(1)
  end function

  !> First and last point of a part, of `parts` of nearly one size.
  pure function range_of(part, parts, points) result(range)
    integer, intent(in) :: part, parts, points
    integer :: range(2)
    range = [(part - 1) * points / parts + 1, part * points / parts]
  end function

  !> What the plate is at the start: cold, with a hot disc off its middle.
  pure real(real64) function start_at(i, j, side)
    integer, intent(in) :: i, j, side
    start_at = merge(hot, 0.0_real64, (3 * i - side)**2 + (2 * j - side)**2 < side**2 / 4)
  end function

  !> One step of a block with its border.
  pure subroutine step(old, new)
    real(real64), intent(in) :: old(0:, 0:)
    real(real64), intent(inout) :: new(0:, 0:)
    integer :: i, j
    do j = 1, ubound(old, 2) - 1
      do i = 1, ubound(old, 1) - 1
        new(i, j) = old(i, j) + speed * (old(i-1, j) + old(i+1, j) + old(i, j-1) + old(i, j+1) &
                                         - 4 * old(i, j))
      end do
    end do
  end subroutine

  !> A picture of the plate that every viewer reads: portable graymap.
  subroutine write_picture(name, points)
    character(len=*), intent(in) :: name
    real(real64), intent(in) :: points(:, :)
    integer :: unit, i
    open (newunit=unit, file=name, action="write")
    write (unit, '(a,/,i0,1x,i0,/,a)') "P2", size(points, 2), size(points, 1), "255"
    do i = 1, size(points, 1)
      write (unit, '(16(i0,1x))') nint(255 * points(i, :) / hot)
    end do
    close (unit)
  end subroutine
end module

program heat
  use plate
  implicit none
  integer, parameter :: side_default = 256, steps_default = 100
  real(real64), allocatable :: block(:, :, :)[:], whole(:, :), alone(:, :, :)
  type(event_type) :: came(4)[*], read_by(4)[*]
  integer :: me, n, side, steps, grid(2), at(2), rows(2), columns(2), m, k, s, now, most(2)
  integer :: neighbour(4)
  integer(int64) :: t0, t1, rate
  real(real64) :: seconds
  character(len=200) :: picture
  logical :: right

  me = this_image()
  n = num_images()
  call arguments()
  grid = shape_of_grid(n)
  at = [mod(me - 1, grid(1)) + 1, (me - 1) / grid(1) + 1]
  rows = range_of(at(1), grid(1), side)
  columns = range_of(at(2), grid(2), side)
  m = rows(2) - rows(1) + 1
  k = columns(2) - columns(1) + 1
  neighbour = 0
  if (at(1) > 1) neighbour(north) = me - 1
  if (at(1) < grid(1)) neighbour(south) = me + 1
  if (at(2) > 1) neighbour(west) = me - grid(1)
  if (at(2) < grid(2)) neighbour(east) = me + grid(1)
  most = (side + grid - 1) / grid  ! a coarray has one shape on all images
  allocate (block(0:most(1)+1, 0:most(2)+1, 2)[*])
  block = 0
  block(1:m, 1:k, 1) = reshape([((start_at(rows(1) + s, columns(1) + now, side), s=0,m-1), &
                                 now=0,k-1)], [m, k])
  sync all
  call system_clock(t0, rate)
  do s = 1, steps
    now = 2 - mod(s, 2)
    call send_borders(now, s)
    call await_borders()
    call step(block(0:m+1, 0:k+1, now), block(0:m+1, 0:k+1, 3-now))
    call thank()
  end do
  sync all
  call system_clock(t1)
  seconds = max(real(t1 - t0, real64) / rate, 1e-9_real64)
  if (me == 1) call check_all(2 - mod(steps + 1, 2))
  call co_broadcast(right, 1)
  if (.not. right) error stop 1
contains
  subroutine arguments()
    integer :: stat
    character(len=20) :: word
    side = side_default
    steps = steps_default
    picture = ""
    stat = 0
    if (command_argument_count() > 0) then
      call get_command_argument(1, word)
      read (word, *, iostat=stat) side
    end if
    if (command_argument_count() > 1 .and. stat == 0) then
      call get_command_argument(2, word)
      read (word, *, iostat=stat) steps
    end if
    if (command_argument_count() > 2) call get_command_argument(3, picture)
    if (stat == 0 .and. side >= 8 .and. side <= 20000 .and. steps >= 0 .and. side >= n) return
    if (me == 1) write (error_unit, '(a)') "usage: heat [side, 8 or more [steps [picture.pgm]]]"
    sync all  ! so that the line is out before the job ends
    error stop 2
  end subroutine

  !> Outer rows and columns into the borders of the neighbours, once these have read the last ones.
  subroutine send_borders(now, s)
    integer, intent(in) :: now, s
    integer :: far, d, their(2)
    do d = 1, 4
      far = neighbour(d)
      if (far == 0) cycle
      if (s > 2) event wait (read_by(d))  ! there are two borders, of even and of odd steps
      their = 0
      if (d == north) their = range_of(at(1) - 1, grid(1), side)
      if (d == west) their = range_of(at(2) - 1, grid(2), side)
      select case (d)
      case (north)
        block(their(2) - their(1) + 2, 1:k, now)[far] = block(1, 1:k, now)
      case (south)
        block(0, 1:k, now)[far] = block(m, 1:k, now)
      case (west)
        block(1:m, their(2) - their(1) + 2, now)[far] = block(1:m, 1, now)
      case (east)
        block(1:m, 0, now)[far] = block(1:m, k, now)
      end select
      event post (came(opposite(d))[far])
    end do
  end subroutine

  subroutine await_borders()
    integer :: d
    do d = 1, 4
      if (neighbour(d) /= 0) event wait (came(d))
    end do
  end subroutine

  subroutine thank()
    integer :: d
    do d = 1, 4
      if (neighbour(d) /= 0) event post (read_by(opposite(d))[neighbour(d)])
    end do
  end subroutine

  !> The plate of all images, against the same steps made here alone.
  subroutine check_all(now)
    integer, intent(in) :: now
    integer :: image, place(2), r(2), c(2), i, j, t
    allocate (whole(side, side), alone(0:side+1, 0:side+1, 2))
    do image = 1, n
      place = [mod(image - 1, grid(1)) + 1, (image - 1) / grid(1) + 1]
      r = range_of(place(1), grid(1), side)
      c = range_of(place(2), grid(2), side)
      whole(r(1):r(2), c(1):c(2)) = block(1:r(2)-r(1)+1, 1:c(2)-c(1)+1, now)[image]
    end do
    alone = 0
    do j = 1, side
      do i = 1, side
        alone(i, j, 1) = start_at(i, j, side)
      end do
    end do
    do t = 1, steps
      call step(alone(:, :, 2 - mod(t, 2)), alone(:, :, 1 + mod(t, 2)))
    end do
    right = maxval(abs(whole - alone(1:side, 1:side, 2 - mod(steps + 1, 2)))) <= 0
    if (picture /= "") call write_picture(trim(picture), whole)
    print '(3(i0,a),f0.6)', side, " x ", side, " points, ", steps, " steps, heat ", &
      sum(whole) / (real(side, real64) * side)
    print '(a,i0,3a,f0.6,a,f0.3,a)', "RESULT program=caf-heat pes=", n, " verified=", &
      trim(merge("yes", "no ", right)), " seconds=", seconds, " rate=", &
      real(side, real64) * side * steps / seconds / 1e6_real64, " unit=Mpoint/s"
    if (.not. right) print '(a)', "FAILED"
  end subroutine
end program
