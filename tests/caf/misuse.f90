! SPDX-License-Identifier: BSD-3-Clause
! One wrong or final thing a run, named by the argument.
module by_signal
  use iso_c_binding
  implicit none
  integer, save :: y(4)[*]
  interface
    subroutine shmem_init() bind(c)
    end subroutine
    subroutine shmem_barrier_all() bind(c)
    end subroutine
    function fork() bind(c)
      import :: c_int
      integer(c_int) :: fork
    end function
    function install(number, handler) bind(c, name="signal")
      import :: c_int, c_funptr
      integer(c_int), value :: number
      type(c_funptr), value :: handler
      type(c_funptr) :: install
    end function
    function raise(number) bind(c)
      import :: c_int
      integer(c_int), value :: number
      integer(c_int) :: raise
    end function
    function waitpid(pid, status, options) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: pid, options
      integer(c_int) :: status, waitpid
    end function
    function errno_location() bind(c, name="__errno_location")
      import :: c_ptr
      type(c_ptr) :: errno_location
    end function
  end interface
contains
  subroutine handler(number) bind(c)
    integer(c_int), value :: number
    y(1)[1] = number
  end subroutine

  !> In place of the C library's: a system that lets no process read another one's memory.
  function refuse(pid, here, nhere, there, nthere, flags) bind(c, name="process_vm_readv")
    integer(c_int), value :: pid
    type(c_ptr), value :: here, there
    integer(c_long), value :: nhere, nthere, flags
    integer(c_long) :: refuse
    integer(c_int), pointer :: errno
    call c_f_pointer(errno_location(), errno)
    errno = 1  ! EPERM
    refuse = -1
  end function

  !> Within a statement that prints.
  integer function amid(what)
    character(len=*), intent(in) :: what
    amid = 0
    select case (what)
    case ("amid_stop")
      stop "amid"
    case ("amid_error_stop")
      error stop 9
    case ("amid_exit")
      call exit(0)
    case ("amid_image")
      amid = y(1)[num_images() + 1]
    end select
  end function
end module

program misuse
  use iso_fortran_env
  use by_signal
  implicit none
  integer :: x(4)[*], grid(2, 2, 2)[*], n, v, own4(4), plane(2, 2)
  integer, allocatable :: a(:)[:]
  type(lock_type) :: lk[*]
  type with_part
    integer, allocatable :: v(:)
  end type
  type(with_part) :: part[*], loose
  type(team_type) :: team
  real(16) :: quad
  character(len=20) :: what
  character(len=7) :: text[*]
  character(len=72) :: said
  real(8) :: r, same, new, own
  integer(c_int) :: child, status
  type(c_funptr) :: before

  call get_command_argument(1, what)
  n = num_images()
  x = this_image()
  v = 0
  sync all
  select case (what)
  case ("image")
    x(1)[n + 1] = 1
  case ("image_0")
    v = x(1)[v]
  case ("image_0_part")
    allocate (part%v(2))
    sync all
    v = part[v]%v(1)
  case ("below")
    x(v)[1] = 1
  case ("above")
    x(v + 5)[1] = 1
  case ("section")
    v = sum(x(2:n + 2)[1])
  case ("freed")
    allocate (part%v(2))
    sync all
    deallocate (part%v)
    sync all
    v = part[n]%v(1)
  case ("elsewhere")
    call fill(part%v)
    sync all
    v = part[n]%v(1)
  case ("size")
    allocate (a(10 + this_image())[*])
  case ("unlock")
    unlock (lk[n])
  case ("not_mine")
    if (this_image() == 2) lock (lk[1])
    sync all
    if (this_image() == 1) unlock (lk[1])
    sync all
  case ("locked")
    lock (lk[1])
    lock (lk[1])
  case ("memory")
    allocate (a(2_8**45)[*])
  case ("team")
    change team (team)
    end team
  case ("number")
    form team (this_image() - 1, team)
  case ("quad")
    quad = 1
    call co_sum(quad)
  case ("vector")
    own4(:2) = [1, 4]
    if (any(x(own4(:2))[1] /= 1)) error stop
  case ("substring")
    text[1](2:3) = "ab"
  case ("asked")
    allocate (a(10 + this_image())[*], stat=v, errmsg=said)
    call say("allocate", v == 0 .or. allocated(a), said)
    own4(1) = a(1)[1, stat=v]
    call say("get", v == 0, "")
    form team (1, team)
    allocate (a(4)[*])
    change team (team)
      deallocate (a, stat=v, errmsg=said)
      call say("deallocate", v == 0 .or. .not. allocated(a), said)
    end team
    a = this_image()
    sync all
    own4 = a(:)[n]
    call say("end", any(own4 /= n), "")
    deallocate (a)
  case ("shape")
    x(1:v + 2)[1] = x(1:v + 3)
  case ("broadcast")
    if (this_image() == 1) allocate (loose%v(2))
    call co_broadcast(loose, 1)
  case ("strided")
    own4 = [1, 2, 3, 4]
    x(:2) = x(own4(::2))[1]
  case ("backwards")
    own4 = [1, 2, 3, 4]
    x(:2) = x(own4(4:3:-1))[1]
  case ("whole")
    own4 = [1, 2, 3, 4]
    plane = grid(1, own4(:2), :)[1]
  case ("other_call")
    if (this_image() == 1) call co_sum(v)
    sync all
  case ("alone")
    if (this_image() == 2) allocate (a(4)[*])
    sync all
  case ("alone_team")
    if (this_image() /= 2) form team (1, team)
    sync all
  case ("elements")
    own4 = 1
    call co_sum(own4(:merge(4, 3, this_image() /= 2)))
  case ("type")
    block
      real :: r
      r = 1
      if (this_image() == 2) call co_sum(r)
    end block
    if (this_image() /= 2) call co_sum(v)
  case ("root")
    call co_broadcast(v, merge(1, 2, this_image() /= 2))
  case ("operation")
    if (this_image() == 2) call co_max(v)
    if (this_image() /= 2) call co_sum(v)
  case ("interfaces")
    call shmem_init()
    if (this_image() == 2) call shmem_barrier_all()
    sync all
  case ("fork")
    child = fork()
    if (child == 0) x(1)[1] = 3
    child = waitpid(child, status, 0)
    if (status /= 0) error stop 1
  case ("signal")
    before = install(10, c_funloc(handler))
    child = raise(10)
  case ("stop")
    print *, "last words"
    if (this_image() == n) stop 7
  case ("stop_text")
    print *, "last words"
    stop "all is done"
  case ("quiet")
    stop 5, quiet=.true.
  case ("error_stop")
    if (this_image() == n) print *, "last words"
    if (this_image() == n) error stop 9
    sync all
  case ("error_text")
    if (this_image() == n) error stop "it went wrong"
    sync all
  case ("end")
    print *, "last words"
    x(2)[1] = 3
  case ("exit")
    x(2)[1] = 3
    if (this_image() == n) call exit(0)
  case ("amid_stop", "amid_exit", "amid_image")
    print *, "last words"
    print *, amid(what)
  case ("amid_error_stop")
    if (this_image() == n) then
      print *, "last words"
      print *, amid(what)
    end if
    sync all
  case ("random")
    call random_init(.true., .true.)
    call random_number(r)
    call random_init(.true., .false.)
    call random_number(same)
    call random_init(.false., .false.)
    call random_number(new)
    call random_init(.false., .true.)
    call random_number(own)
    print '(4(a,f12.10))', "random ", r, " ", same, " ", new, " ", own
  end select
contains
  !> Allocates what may be no component.
  subroutine fill(values)
    integer, allocatable, intent(out) :: values(:)
    allocate (values(3), source=1)
  end subroutine

  subroutine say(statement, wrong, said)
    character(len=*), intent(in) :: statement, said
    logical, intent(in) :: wrong
    if (wrong) print '(a,1x,i0)', "WRONG", v
    print '(a,": ",a)', statement, trim(said)
  end subroutine
end program
