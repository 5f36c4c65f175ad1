! SPDX-License-Identifier: BSD-3-Clause
!
! What the bodies of the procedures share.
submodule(prif) prif_private
  implicit none

  !> Whose descriptors an argument type(*), a(..) is passed by (src/caf/prif/descriptor.h).
#if defined(__GFORTRAN__)
  integer(c_int), parameter :: compiler = 1
#elif defined(__flang__)
  integer(c_int), parameter :: compiler = 2
#else
  integer(c_int), parameter :: compiler = 0
#endif

  interface
    subroutine c_message(text, nbytes) bind(C, name="causeway_prif_message")
      import :: c_char, c_size_t
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), intent(in), value :: nbytes
    end subroutine
    function c_get_team(level) bind(C, name="causeway_prif_get_team")
      import :: c_int, c_ptr
      integer(c_int), intent(in), value :: level
      type(c_ptr) :: c_get_team
    end function
  end interface

contains
  !> The text of the statement that has just failed. A subroutine would have to get the variable of
  !> errmsg=, and gfortran loses the length of one that is passed on.
  function message()
    character(len=:), allocatable :: message
    character(len=400) :: text
    call c_message(text, len(text, c_size_t))
    message = trim(text)
  end function

  !> What C knows the team by; the current one where there is none.
  function team_of(team)
    type(prif_team_type), intent(in), optional :: team
    type(c_ptr) :: team_of
    if (.not. present(team)) then
      team_of = c_get_team(PRIF_CURRENT_TEAM)
    else if (associated(team%info)) then
      team_of = c_loc(team%info)
    else
      team_of = c_null_ptr
    end if
  end function
end submodule
