! SPDX-License-Identifier: BSD-3-Clause
! Numbers in the teams above the current one: gfortran 16 asks for them as Fortran 2018 does, the
! versions before by a distance.
logical function ancestors(in_parent, in_initial)
  use iso_fortran_env
  implicit none
  integer, intent(in) :: in_parent, in_initial
#if __GNUC__ >= 16
  type(team_type) :: parent, initial
  parent = get_team(parent_team)
  initial = get_team(initial_team)
  ancestors = this_image(parent) == in_parent .and. num_images(initial) == in_initial
#else
  ancestors = this_image(distance=1) == in_parent .and. num_images(distance=5) == in_initial
#endif
end function
