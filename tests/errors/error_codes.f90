! SPDX-License-Identifier: BSD-3-Clause
!
! The last image stops in error, with the code of the first argument; the others wait for it.
program error_codes
    implicit none
    character(len=16) :: text
    integer :: code
    call get_command_argument(1, text)
    read (text, *) code
    if (this_image() == num_images()) then
        if (code == 0) error stop 0
        if (code == 256) error stop 256
        error stop 7
    end if
    sync all
end program
