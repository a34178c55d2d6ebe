#ifndef TROLLEY_THREAD_RIGHTS_H
#define TROLLEY_THREAD_RIGHTS_H

#include <sys/types.h>

// Gives the calling thread this user's rights to files, in this group and no other, until the thread takes another
// user's. Everything else stays, such as the right to signal processes. Returns 0, or -1 and errno: ENOSYS where the
// system has no such rights.
int trolley_set_file_rights(uid_t user, gid_t group);

#if defined(__linux__)

// Has SIGUSR2 make the thread that gets it this user's, in this group and in no other. Returns 0, or -1 and errno.
int trolley_prepare_thread_rights(uid_t user, gid_t group);

// Sends SIGUSR2 to one thread of this process. Returns 0, or -1 and errno.
int trolley_signal_thread(pid_t thread);

// From now on SIGUSR2 does nothing.
void trolley_forget_thread_rights(void);
#endif

#endif
