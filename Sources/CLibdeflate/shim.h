// The system's libdeflate: whole-buffer compression and decompression of gzip.
#include <libdeflate.h>
