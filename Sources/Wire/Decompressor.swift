import CLibdeflate

/// What libdeflate keeps while it unpacks, about 40 kB: freed with the decoder that holds it.
///
/// Not thread-safe.
struct Decompressor: ~Copyable {
    let pointer: OpaquePointer

    init() {
        guard let pointer = libdeflate_alloc_decompressor() else {
            preconditionFailure("no memory for a decompressor")
        }
        self.pointer = pointer
    }

    deinit { libdeflate_free_decompressor(pointer) }
}
