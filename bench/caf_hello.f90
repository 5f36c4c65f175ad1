! SPDX-License-Identifier: BSD-3-Clause
! What does it cost to start images? Timed from outside.
program hello
  implicit none
  print '(2(a,i0))', 'hello from ', this_image() - 1, ' of ', num_images()
end program
