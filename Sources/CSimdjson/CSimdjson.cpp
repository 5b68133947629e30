#include "CSimdjson.h"

#include <cstring>
#include <new>
#include <simdjson.h>

/// simdjson's parser with the limits that it is asked to keep.
struct csimdjson_parser {
    simdjson::dom::parser parser;
    size_t byte_limit;
    size_t depth_limit;

    // simdjson refuses limits below its own least capacity, so the exact limit is checked here.
    csimdjson_parser(size_t bytes, size_t depth)
        : parser(bytes < 64 ? 64 : bytes), byte_limit(bytes), depth_limit(depth) {}
};

namespace {

/// simdjson's error codes as the border's own few.
csimdjson_status status_of(simdjson::error_code error) noexcept {
    switch (error) {
    case simdjson::SUCCESS: return CSIMDJSON_OK;
    case simdjson::EMPTY: return CSIMDJSON_EMPTY;
    case simdjson::UTF8_ERROR: return CSIMDJSON_ENCODING;
    case simdjson::DEPTH_ERROR: return CSIMDJSON_DEPTH;
    case simdjson::NUMBER_ERROR:
    case simdjson::NUMBER_OUT_OF_RANGE: return CSIMDJSON_NUMBER;
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
    case simdjson::UNCLOSED_STRING: return CSIMDJSON_STRING;
    case simdjson::CAPACITY: return CSIMDJSON_CAPACITY;
    case simdjson::MEMALLOC: return CSIMDJSON_MEMORY;
    default: return CSIMDJSON_SYNTAX;
    }
}

/// Whether the text holds a \uD… escape, in which alone a surrogate can hide.
bool has_surrogate_escape(const uint8_t *bytes, size_t count) noexcept {
    const uint8_t *end = bytes + count;
    const uint8_t *at = bytes;
    while (end - at >= 6) {
        at = static_cast<const uint8_t *>(std::memchr(at, '\\', static_cast<size_t>(end - at)));
        if (at == nullptr || end - at < 6) return false;
        if (at[1] == 'u' && (at[2] == 'd' || at[2] == 'D')) return true;
        at += 2;
    }
    return false;
}

/// Whether every string of the tape is valid UTF-8: a lone low surrogate as an escape passes
/// simdjson 3.0 and becomes three bytes that are not.
bool strings_are_valid(const uint64_t *tape, const uint8_t *strings) noexcept {
    const uint64_t mask = (uint64_t(1) << 56) - 1;
    const size_t end = static_cast<size_t>(tape[0] & mask);
    for (size_t index = 1; index < end; index++) {
        switch (static_cast<char>(tape[index] >> 56)) {
        case '"': {
            const uint8_t *entry = strings + (tape[index] & mask);
            uint32_t length;
            std::memcpy(&length, entry, sizeof length);
            const char *text = reinterpret_cast<const char *>(entry + sizeof length);
            if (!simdjson::validate_utf8(text, length)) return false;
            break;
        }
        case 'l':
        case 'u':
        case 'd': index++; break;
        default: break;
        }
    }
    return true;
}

csimdjson_status parse(
    csimdjson_parser *parser, const uint8_t *bytes, size_t count, csimdjson_document *document) {
    if (count == 0) return CSIMDJSON_EMPTY;
    if (count > parser->byte_limit) return CSIMDJSON_CAPACITY;
    // The parser keeps the depth that it was last allocated with; growing would reset it.
    if (parser->parser.capacity() < count || parser->parser.max_depth() != parser->depth_limit) {
        size_t capacity = count < 4096 ? 4096 : count + count / 2;
        if (capacity > parser->parser.max_capacity()) capacity = parser->parser.max_capacity();
        const auto error = parser->parser.allocate(capacity, parser->depth_limit);
        if (error) return status_of(error);
    }
    simdjson::dom::element root;
    const auto error = parser->parser.parse(bytes, count, true).get(root);
    if (error) return status_of(error);
    const simdjson::dom::document &parsed = parser->parser.doc;
    if (has_surrogate_escape(bytes, count)
        && !strings_are_valid(parsed.tape.get(), parsed.string_buf.get())) {
        return CSIMDJSON_ENCODING;
    }
    document->tape = parsed.tape.get();
    document->strings = parsed.string_buf.get();
    document->structurals = parser->parser.implementation->structural_indexes.get();
    document->structural_count = parser->parser.implementation->n_structural_indexes;
    return CSIMDJSON_OK;
}

} // namespace

csimdjson_parser *csimdjson_create(size_t byte_limit, size_t depth_limit) {
    try {
        return new (std::nothrow) csimdjson_parser(byte_limit, depth_limit);
    } catch (...) {
        return nullptr;
    }
}

void csimdjson_destroy(csimdjson_parser *parser) { delete parser; }

csimdjson_status csimdjson_parse(
    csimdjson_parser *parser, const uint8_t *bytes, size_t count, csimdjson_document *document) {
    try {
        return parse(parser, bytes, count, document);
    } catch (...) {
        return CSIMDJSON_MEMORY;
    }
}
