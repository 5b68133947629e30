import CPrefetch

// Unsafe memory: nothing is read, and a processor may be asked for any address.
extension ContiguousArray {
    /// Asks the processor for an element's memory, which is going to be changed soon, without waiting for it.
    @inline(__always)
    package func prefetch(_ index: Int) {
        withUnsafeBufferPointer { elements in
            guard let start = elements.baseAddress else { return }
            prefetch_for_writing(start + index, MemoryLayout<Element>.stride)
        }
    }

    /// As ``prefetch(_:)``, for an element that is going to be added and for what the array knows of itself.
    ///
    /// - Parameter count: How many elements there are; if there are others, only that the array's.
    @inline(__always)
    package func prefetchEnd(after count: Int) {
        withUnsafeBufferPointer { elements in
            guard let start = elements.baseAddress else { return }
            let header = 32
            prefetch_for_writing(UnsafeRawPointer(start) - header, header)
            prefetch_for_writing(start + count, MemoryLayout<Element>.stride)
        }
    }
}
