// A disk that forgets what was not flushed, for one directory: loaded into programs by LD_PRELOAD, it writes down what each write
// to a file has replaced, and each flush. After a power cut, disk.py puts back what no flush has covered. It is also a disk that is
// full, fails or is slow, while the file of faults says so, and its machine's wall clock is wrong.
//
// Names of files, and that files exist, are not forgotten. Environment: FORGETFUL_ROOT, the directory; FORGETFUL_LOG and
// FORGETFUL_FAULTS, files outside of it.
//
// A record: struct record, then `kept` bytes of the old content. Records are in the order of what they describe, because one
// lock is held around both: a POSIX lock between processes, a mutex between threads.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITTEN = 1, FLUSHED = 2 };

struct record {
    uint32_t kind;
    uint32_t born_nanoseconds;
    uint64_t born_seconds;  // With the inode: what the file is, whatever it is called later.
    uint64_t inode;
    uint64_t offset;        // WRITTEN: where; FLUSHED: the length of the log when the flush began.
    uint64_t length;        // Of what was written; of a truncation: none.
    uint64_t size;          // Of the file, before.
    uint64_t kept;
};

// The file of faults.
struct faults {
    int32_t write_error;         // An errno; 0: none.
    int32_t flush_error;
    int32_t flush_milliseconds;  // How long each flush takes.
    int32_t clock_seconds;       // How far the wall clock is ahead.
};

static ssize_t (*real_pread)(int, void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_close)(int);
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_sem_timedwait)(sem_t *, const struct timespec *);
static int (*real_sem_clockwait)(sem_t *, clockid_t, const struct timespec *);

static char root[PATH_MAX];
static size_t root_length;
static int log_descriptor = -1;
static const volatile struct faults *faults;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void find(void *function, const char *name) { *(void **)function = dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
    find(&real_pread, "pread64");
    find(&real_write, "write");
    find(&real_pwrite, "pwrite64");
    find(&real_writev, "writev");
    find(&real_pwritev, "pwritev64");
    find(&real_ftruncate, "ftruncate64");
    find(&real_fsync, "fsync");
    find(&real_fdatasync, "fdatasync");
    find(&real_close, "close");
    find(&real_clock_gettime, "clock_gettime");
    find(&real_sem_timedwait, "sem_timedwait");
    find(&real_sem_clockwait, "sem_clockwait");
    const char *directory = getenv("FORGETFUL_ROOT"), *path = getenv("FORGETFUL_LOG");
    if (!directory || !path || !realpath(directory, root)) return;
    root_length = strlen(root);
    int opened = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    // Out of the way of programs that close or reuse low descriptors.
    if (opened >= 0) log_descriptor = fcntl(opened, F_DUPFD_CLOEXEC, 700);
    if (log_descriptor < 0) {
        perror("forgetful: FORGETFUL_LOG can't be opened");
        _exit(71);
    }
    real_close(opened);
    int wrong = open(getenv("FORGETFUL_FAULTS"), O_RDONLY | O_CLOEXEC);
    void *shared = wrong < 0 ? MAP_FAILED : mmap(NULL, sizeof *faults, PROT_READ, MAP_SHARED, wrong, 0);
    if (shared == MAP_FAILED) {
        perror("forgetful: FORGETFUL_FAULTS can't be read");
        _exit(71);
    }
    real_close(wrong);
    faults = shared;
}

// Programs that close all descriptors must not close the log.
int close(int descriptor) {
    if (descriptor >= 0 && descriptor == log_descriptor) return 0;
    return real_close ? real_close(descriptor) : -1;
}

static void fail(const char *what) {
    perror(what);
    _exit(71);
}

static void take(void) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    pthread_mutex_lock(&mutex);
    while (fcntl(log_descriptor, F_SETLKW, &lock) != 0)
        if (errno != EINTR) fail("forgetful: no lock");
}

static void give(void) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    fcntl(log_descriptor, F_SETLK, &lock);
    pthread_mutex_unlock(&mutex);
}

// Whether the descriptor is a file below the root; its identity and size.
static int concerns(int descriptor, struct record *record) {
    if (log_descriptor < 0 || descriptor == log_descriptor) return 0;
    int before = errno;
    char link[64], path[PATH_MAX];
    struct statx file;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    int is_below = length > (ssize_t)root_length && strncmp(path, root, root_length) == 0 && path[root_length] == '/'
        && statx(descriptor, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &file) == 0 && S_ISREG(file.stx_mode);
    if (is_below)
        *record = (struct record){.born_nanoseconds = file.stx_btime.tv_nsec, .born_seconds = (uint64_t)file.stx_btime.tv_sec,
                                  .inode = file.stx_ino, .size = file.stx_size};
    errno = before;
    return is_below;
}

static void append(const struct record *record, const char *old) {
    struct iovec parts[] = {{(void *)record, sizeof *record}, {(void *)old, record->kept}};
    if (real_writev(log_descriptor, parts, old ? 2 : 1) != (ssize_t)(sizeof *record + (old ? record->kept : 0)))
        fail("forgetful: the log can't be written");
}

// Writes down what `length` bytes at `offset` are, before they are replaced.
static void keep(int descriptor, struct record *record, uint64_t offset, uint64_t length) {
    char *old = NULL;
    record->kind = WRITTEN;
    record->offset = offset;
    record->length = length;
    if (offset < record->size) {
        uint64_t there = record->size - offset < length ? record->size - offset : length;
        old = malloc(there);
        // The program may have opened it for writing only.
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        int readable = open(link, O_RDONLY | O_CLOEXEC);
        ssize_t got = readable < 0 || !old ? -1 : real_pread(readable, old, there, (off_t)offset);
        if (readable >= 0) real_close(readable);
        if (got < 0) fail("forgetful: the old content can't be read");
        record->kept = (uint64_t)got;
    }
    append(record, old);
    free(old);
}

static uint64_t sum(const struct iovec *parts, int count) {
    uint64_t length = 0;
    for (int index = 0; index < count; index++) length += parts[index].iov_len;
    return length;
}

static uint64_t place(int descriptor, const struct record *record) {
    if (fcntl(descriptor, F_GETFL) & O_APPEND) return record->size;
    off_t place = lseek(descriptor, 0, SEEK_CUR);
    return place < 0 ? 0 : (uint64_t)place;
}

#define REMEMBERING(descriptor, offset, length, call)            \
    struct record record;                                        \
    if (!concerns(descriptor, &record)) return call;             \
    if ((errno = faults->write_error)) return -1;                \
    take();                                                      \
    concerns(descriptor, &record);                               \
    keep(descriptor, &record, offset, length);                   \
    __typeof__(call) result = call;                              \
    int failure = errno;                                         \
    give();                                                      \
    errno = failure;                                             \
    return result

ssize_t write(int descriptor, const void *bytes, size_t length) {
    REMEMBERING(descriptor, place(descriptor, &record), length, real_write(descriptor, bytes, length));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    REMEMBERING(descriptor, (uint64_t)offset, length, real_pwrite(descriptor, bytes, length, offset));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off_t offset) { return pwrite(descriptor, bytes, length, offset); }

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    REMEMBERING(descriptor, place(descriptor, &record), sum(parts, count), real_writev(descriptor, parts, count));
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    REMEMBERING(descriptor, (uint64_t)offset, sum(parts, count), real_pwritev(descriptor, parts, count, offset));
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return pwritev(descriptor, parts, count, offset);
}

// A truncation replaces all that it cuts off.
int ftruncate(int descriptor, off_t length) {
    REMEMBERING(descriptor, (uint64_t)length, record.size > (uint64_t)length ? record.size - (uint64_t)length : 0,
                real_ftruncate(descriptor, length));
}

int ftruncate64(int descriptor, off_t length) { return ftruncate(descriptor, length); }

static int flush(int descriptor, int (*real)(int)) {
    struct record record;
    if (!concerns(descriptor, &record)) return real(descriptor);
    int32_t milliseconds = faults->flush_milliseconds;
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
    if ((errno = faults->flush_error)) return -1;
    take();
    struct stat log;
    if (fstat(log_descriptor, &log) != 0) fail("forgetful: the log is gone");
    give();
    int result = real(descriptor);
    if (result != 0) return result;
    record.kind = FLUSHED;
    record.offset = (uint64_t)log.st_size;
    take();
    append(&record, NULL);
    give();
    return 0;
}

int fsync(int descriptor) { return flush(descriptor, real_fsync); }
int fdatasync(int descriptor) { return flush(descriptor, real_fdatasync); }

// The wall clock, and the waits of libdispatch that end by it. Without this, a wait would end by the machine's real clock.
static int32_t ahead(void) { return faults ? faults->clock_seconds : 0; }

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!real_clock_gettime) find(&real_clock_gettime, "clock_gettime");
    int result = real_clock_gettime(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += ahead();
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    struct timespec real = *until;
    real.tv_sec -= ahead();
    return real_sem_timedwait(semaphore, &real);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until) {
    struct timespec real = *until;
    if (clock == CLOCK_REALTIME) real.tv_sec -= ahead();
    return real_sem_clockwait(semaphore, clock, &real);
}
