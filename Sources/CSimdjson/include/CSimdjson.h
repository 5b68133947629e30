// A narrow C border around simdjson's DOM parser: one call parses a text and hands out the tape,
// which the caller walks without crossing the border again.
//
// The tape's format is simdjson's own (doc/tape.md of the project, unchanged since version 0.3):
// each word has a type letter in its top 8 bits and a payload below. Nothing throws across the
// border and every text that succeeds is valid UTF-8, strings with \u escapes included.

#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parser and the memory of its last document.
typedef struct csimdjson_parser csimdjson_parser;

/// What a parse came to.
typedef enum csimdjson_status {
    CSIMDJSON_OK = 0,
    /// No value: nothing, or only white space.
    CSIMDJSON_EMPTY = 1,
    /// Not JSON: a misplaced or missing character, a cut text.
    CSIMDJSON_SYNTAX = 2,
    /// The text, or a string after its escapes, is not valid UTF-8.
    CSIMDJSON_ENCODING = 3,
    /// Deeper nested than the parser's limit.
    CSIMDJSON_DEPTH = 4,
    /// A number that is malformed or outside of int64, uint64 and double.
    CSIMDJSON_NUMBER = 5,
    /// A bad escape or a control character in a string, or a string without its end.
    CSIMDJSON_STRING = 6,
    /// Longer than the parser's limit.
    CSIMDJSON_CAPACITY = 7,
    /// No memory.
    CSIMDJSON_MEMORY = 8
} csimdjson_status;

/// Where the parsed document lies; valid until the parser's next parse or its end.
typedef struct csimdjson_document {
    /// The tape's words; the first value is word 1.
    const uint64_t *tape;
    /// The strings, each a 32-bit length (in the machine's order) followed by its bytes.
    const uint8_t *strings;
    /// Offsets in the text, ascending: of each brace, bracket, colon and comma outside of strings, and of
    /// each scalar's first byte.
    const uint32_t *structurals;
    size_t structural_count;
} csimdjson_document;

/// Makes a parser for texts of at most `byte_limit` bytes and `depth_limit` levels.
///
/// Returns NULL without memory. Nothing but the parser itself is allocated before the first parse.
csimdjson_parser *csimdjson_create(size_t byte_limit, size_t depth_limit);

/// Frees a parser and its document.
void csimdjson_destroy(csimdjson_parser *parser);

/// Parses `count` bytes, which are copied and need no padding, and fills `document` on success.
csimdjson_status csimdjson_parse(
    csimdjson_parser *parser, const uint8_t *bytes, size_t count, csimdjson_document *document);

#ifdef __cplusplus
}
#endif

#endif
