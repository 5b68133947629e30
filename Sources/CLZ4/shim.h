// The system's liblz4: compression and decompression of LZ4 blocks.
#include <lz4.h>
