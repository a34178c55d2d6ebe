#define _GNU_SOURCE
#include "CThreadRights.h"

#include <errno.h>

#if defined(__linux__)
#include <signal.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile uid_t wanted_user;
static volatile gid_t wanted_group;

// System calls, and not the C library's functions: those are for all threads, and leave out one that is about to exit.
static void become_wanted(int number) {
    (void)number;
    int error = errno;
    uid_t user = wanted_user;
    gid_t group = wanted_group;
    syscall(SYS_setgroups, 0, (void *)0);
    syscall(SYS_setresgid, group, group, group);
    syscall(SYS_setresuid, user, user, user);
    errno = error;
}

int trolley_prepare_thread_rights(uid_t user, gid_t group) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    wanted_user = user;
    wanted_group = group;
    action.sa_handler = become_wanted;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    return sigaction(SIGUSR2, &action, 0);
}

int trolley_signal_thread(pid_t thread) { return (int)syscall(SYS_tgkill, getpid(), thread, SIGUSR2); }

void trolley_forget_thread_rights(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    sigaction(SIGUSR2, &action, 0);
}

int trolley_set_file_rights(uid_t user, gid_t group) {
    // The group of another user than this thread's own must not count. The system call is for this thread alone. Root
    // needs no group, so it doesn't get them back.
    if (user != geteuid() && getgroups(0, 0) > 0 && syscall(SYS_setgroups, 0, (void *)0) != 0) return -1;
    // Each returns the former id, also when it fails. An id that is invalid asks for the present one.
    setfsgid(group);
    setfsuid(user);
    if ((uid_t)setfsuid((uid_t)-1) == user && (gid_t)setfsgid((gid_t)-1) == group) return 0;
    errno = EPERM;
    return -1;
}
#else
int trolley_set_file_rights(uid_t user, gid_t group) {
    (void)user;
    (void)group;
    errno = ENOSYS;
    return -1;
}
#endif
