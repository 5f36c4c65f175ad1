! SPDX-License-Identifier: BSD-3-Clause
! A target that is not there any more while another image reads it through a pointer component.
program target_gone
  implicit none
  type box
    integer, pointer :: p(:)
  end type
  type(box) :: x[*]
  integer, target, allocatable :: heap(:)
  integer :: n, i

  n = num_images()
  allocate (heap(20000000), source=1)
  x%p => heap
  sync all
  i = x[n]%p(10000000)
  sync all
  if (this_image() == n) deallocate (heap)  ! so large a block goes back to the system
  sync all
  if (this_image() == 1) i = x[n]%p(10000000)
  sync all
  print '(a,i0)', "WRONG: it went on with ", i
end program
