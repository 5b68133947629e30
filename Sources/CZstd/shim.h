// The system's libzstd: whole frames (RFC 8878), and streams of one frame.
#include <zstd.h>
