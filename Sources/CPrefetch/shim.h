// What a program can tell the processor of memory that it is going to use; Swift has no word for it.
#include <stddef.h>

/// Asks for the cache lines of some memory, to be written soon. Does not wait for them, and may be given any address.
static inline void prefetch_for_writing(const void *start, size_t size) {
    for (size_t offset = 0; offset < size; offset += 64)
        __builtin_prefetch((const char *)start + offset, 1, 3);
    // The last line, where the first does not begin at the start.
    __builtin_prefetch((const char *)start + size - 1, 1, 3);
}
