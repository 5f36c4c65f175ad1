! SPDX-License-Identifier: BSD-3-Clause
! Statements whose instructions hot.py counts, 160 times each.
program hot
  implicit none
  real(8) :: word[*]
  real(8), volatile :: value
  integer :: i
  value = 1
  do i = 1, 160
    word[1] = value
    sync memory
  end do
  do i = 1, 160
    sync images (1)
  end do
  value = word[1]
end program
