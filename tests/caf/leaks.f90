! SPDX-License-Identifier: BSD-3-Clause
! What is allocated and deallocated many times leaves no memory behind.
program leaks
  use, intrinsic :: iso_fortran_env, only: team_type
  use checks
  implicit none
  type :: node
    integer, allocatable :: p(:)
  end type
  integer, parameter :: times = 20000
  integer, allocatable :: a(:)[:]
  type(node), allocatable :: b[:]
  type(node) :: c[*]
  type(team_type) :: half
  integer :: i, before

  do i = 1, times
    if (i == 100) before = resident()
    allocate (a(1000 + mod(i, 7))[*])
    deallocate (a)
  end do
  call check_memory("a coarray")
  do i = 1, times
    allocate (b[*])
    deallocate (b)
  end do
  call check_memory("a component that is never allocated")
  do i = 1, times
    allocate (b[*])
    allocate (b%p(10))
    deallocate (b)
  end do
  call check_memory("a component that goes with its coarray")
  do i = 1, times
    allocate (b[*])
    allocate (b%p(10))
    deallocate (b%p)
    deallocate (b)
  end do
  call check_memory("a component that is deallocated")
  do i = 1, times
    allocate (c%p(10))
    deallocate (c%p)
  end do
  call check_memory("a component of a static coarray")
  do i = 1, times
    form team (1 + mod(this_image(), 2), half)
    change team (half)
      allocate (a(10)[*])
    end team
  end do
  call check_memory("a team that is formed again")
  call finish_checks()
contains
  !> KiB of this process that no other one shares.
  integer function resident()
    character(len=80) :: line
    integer :: unit, io
    resident = 0
    open (newunit=unit, file="/proc/self/status", action="read")
    do
      read (unit, '(a)', iostat=io) line
      if (io /= 0) exit
      if (line(:8) == "RssAnon:") read (line(9:len_trim(line) - 2), *) resident
    end do
    close (unit)
  end function

  subroutine check_memory(what)
    character(len=*), intent(in) :: what
    integer :: now
    now = resident()
    if (now - before > 300) print '(2a,i0,a)', what, ": ", now - before, " KiB more"
    call check(now - before <= 300, what)
    before = now
  end subroutine
end program
