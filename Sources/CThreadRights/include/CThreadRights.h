#ifndef TROLLEY_THREAD_RIGHTS_H
#define TROLLEY_THREAD_RIGHTS_H

#if defined(__linux__)
#include <sys/types.h>

// Has SIGUSR2 make the thread that gets it this user's, in this group and in no other. Returns 0, or -1 and errno.
int trolley_prepare_thread_rights(uid_t user, gid_t group);

// Sends SIGUSR2 to one thread of this process. Returns 0, or -1 and errno.
int trolley_signal_thread(pid_t thread);

// From now on SIGUSR2 does nothing.
void trolley_forget_thread_rights(void);
#endif

#endif
