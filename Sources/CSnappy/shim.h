// The system's libsnappy by its C interface: compression and decompression of Snappy blocks.
#include <snappy-c.h>
