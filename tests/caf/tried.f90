! SPDX-License-Identifier: BSD-3-Clause
! Loops of atomics that find the word as it was, and leave it so, give the processor away.
program tried
  use iso_fortran_env
  use checks
  use yields
  implicit none
  integer, parameter :: tries = 2000, least = 10, forms = 5
  integer(atomic_int_kind) :: word[*]
  integer :: form, i, old
  integer(c_long) :: before
  character(len=20) :: name
  call atomic_define(word, 1)
  sync all
  if (this_image() == 2) then
    do form = 1, forms
      before = given_away()
      do i = 1, tries
        select case (form)
        case (1)
          call atomic_ref(old, word)
        case (2)
          call atomic_ref(old, word[1])
        case (3)
          call atomic_cas(word[1], old, 0, 2)
        case (4)
          call atomic_fetch_or(word[1], 1, old)
        case (5)
          call atomic_fetch_add(word[1], 0, old)
        end select
        if (old /= 1) error stop "a word that changes"
      end do
      write (name, '(a,i0)') "tried form ", form
      call check(given_away() - before > least, name)
    end do
  end if
  sync all
  do i = 2, 20  ! and every change is seen
    call atomic_define(word, i)
    call atomic_ref(old, word)
    call check(old == i, "a word that has changed")
  end do
  call finish_checks()
end program
