#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
// Bytes that the program has allocated and not freed. (Swift can't tell the function mallinfo2 from the struct.)
static inline size_t malloc_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
#endif
