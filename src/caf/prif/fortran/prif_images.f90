! SPDX-License-Identifier: BSD-3-Clause
!
! Images, SYNC statements, teams.
submodule(prif:prif_private) prif_images
  implicit none

  interface
    function c_num_images(team) bind(C, name="causeway_prif_num_images")
      import :: c_int, c_ptr
      type(c_ptr), intent(in), value :: team
      integer(c_int) :: c_num_images
    end function
    function c_sibling_size(number) bind(C, name="causeway_prif_sibling_size")
      import :: c_int, c_int64_t
      integer(c_int64_t), intent(in), value :: number
      integer(c_int) :: c_sibling_size
    end function
    function c_this_image(team) bind(C, name="causeway_prif_this_image")
      import :: c_int, c_ptr
      type(c_ptr), intent(in), value :: team
      integer(c_int) :: c_this_image
    end function
    function c_image_status(image, team) bind(C, name="causeway_prif_image_status")
      import :: c_int, c_ptr
      integer(c_int), intent(in), value :: image
      type(c_ptr), intent(in), value :: team
      integer(c_int) :: c_image_status
    end function
    function c_gone_images(failed, team, list) bind(C, name="causeway_prif_gone_images")
      import :: c_bool, c_int, c_ptr
      logical(c_bool), intent(in), value :: failed
      type(c_ptr), intent(in), value :: team
      integer(c_int), intent(out) :: list(*)
      integer(c_int) :: c_gone_images
    end function
    function c_sync_all(stat) bind(C, name="causeway_prif_sync_all")
      import :: c_int
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_sync_all
    end function
    function c_sync_images(images, nimages, stat) bind(C, name="causeway_prif_sync_images")
      import :: c_int
      integer(c_int), intent(in) :: images(*)
      integer(c_int), intent(in), value :: nimages
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_sync_images
    end function
    function c_sync_memory(stat) bind(C, name="causeway_prif_sync_memory")
      import :: c_int
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_sync_memory
    end function
    function c_sync_team(team, stat) bind(C, name="causeway_prif_sync_team")
      import :: c_int, c_ptr
      type(c_ptr), intent(in), value :: team
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_sync_team
    end function
    function c_form_team(number, new_index, team, stat) bind(C, name="causeway_prif_form_team")
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), intent(in), value :: number
      integer(c_int), intent(in), optional :: new_index
      type(c_ptr), intent(out) :: team
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_form_team
    end function
    function c_change_team(team, stat) bind(C, name="causeway_prif_change_team")
      import :: c_int, c_ptr
      type(c_ptr), intent(in), value :: team
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_change_team
    end function
    function c_end_team(stat) bind(C, name="causeway_prif_end_team")
      import :: c_int
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_end_team
    end function
    function c_team_number(team) bind(C, name="causeway_prif_team_number")
      import :: c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: team
      integer(c_int64_t) :: c_team_number
    end function
  end interface

contains
  module procedure prif_num_images
    num_images = c_num_images(team_of())
  end procedure

  module procedure prif_num_images_with_team
    num_images = c_num_images(team_of(team))
  end procedure

  module procedure prif_num_images_with_team_number
    num_images = c_sibling_size(team_number)
  end procedure

  module procedure prif_this_image_no_coarray
    this_image = c_this_image(team_of(team))
  end procedure

  module procedure prif_image_status
    image_status = c_image_status(image, team_of(team))
  end procedure

  module procedure prif_failed_images
    call list_gone(.true._c_bool, team_of(team), failed_images)
  end procedure

  module procedure prif_stopped_images
    call list_gone(.false._c_bool, team_of(team), stopped_images)
  end procedure

  subroutine list_gone(failed, team, images)
    logical(c_bool), intent(in) :: failed
    type(c_ptr), intent(in) :: team
    integer(c_int), allocatable, intent(out) :: images(:)
    integer(c_int), allocatable :: list(:)
    integer(c_int) :: n
    allocate (list(c_num_images(team)))
    n = c_gone_images(failed, team, list)
    images = list(:n)
  end subroutine

  ! ---------------------------------------------------------------- SYNC statements
  module procedure prif_sync_all
    if (c_sync_all(stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_sync_images
    integer(c_int) :: code
    integer(c_int), parameter :: none(1) = 0
    if (present(image_set)) then
      code = c_sync_images(image_set, size(image_set, kind=c_int), stat)
    else
      code = c_sync_images(none, -1_c_int, stat)
    end if
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_sync_memory
    if (c_sync_memory(stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_sync_team
    if (c_sync_team(team_of(team), stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  ! ---------------------------------------------------------------- teams
  module procedure prif_form_team
    type(c_ptr) :: formed
    if (c_form_team(team_number, new_index, formed, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
    ! also where an image is gone
    if (c_associated(formed)) call c_f_pointer(formed, team%info)
  end procedure

  module procedure prif_change_team
    if (c_change_team(team_of(team), stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_end_team
    if (c_end_team(stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_get_team
    integer(c_int) :: wanted
    wanted = PRIF_CURRENT_TEAM
    if (present(level)) wanted = level
    call c_f_pointer(c_get_team(wanted), team%info)
  end procedure

  module procedure prif_team_number
    team_number = c_team_number(team_of(team))
  end procedure
end submodule
