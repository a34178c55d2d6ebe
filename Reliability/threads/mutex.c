// What the thread sanitizer can't see of Synchronization.Mutex. For LD_PRELOAD.
//
// A free mutex is locked by an atomic operation, which is compiled into the program and so is instrumented. Who has to wait, or wakes
// somebody, does it in Swift's own library, which isn't: the sanitizer would report each such hand-over as a race.
// Works with Swift 6.3, whose names these are. The run's check fails if they have changed.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in programs without the sanitizer, such as those that a test starts.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void lockSlowly(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void lockSlowly(uint32_t thread, SELF void *mutex) {
    SWIFT void (*original)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
    original(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool tryToLockSlowly(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT bool tryToLockSlowly(SELF void *mutex) {
    SWIFT bool (*original)(SELF void *) = dlsym(RTLD_NEXT, TRY_LOCK);
    bool isLocked = original(mutex);
    if (isLocked && __tsan_acquire) __tsan_acquire(mutex);
    return isLocked;
}

SWIFT void unlockSlowly(SELF void *mutex) __asm__(UNLOCK);
SWIFT void unlockSlowly(SELF void *mutex) {
    SWIFT void (*original)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    original(mutex);
}
