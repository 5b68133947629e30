// The C library's adjtimex: what the kernel knows of its clock.
#include <sys/timex.h>
