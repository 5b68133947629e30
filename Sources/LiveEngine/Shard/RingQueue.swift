/// A first-in, first-out queue in one growing ring: no allocation while it does not grow.
struct RingQueue<Element> {
    private var storage: ContiguousArray<Element?> = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var first: Element? { count == 0 ? nil : storage[head] }

    mutating func append(_ element: Element) {
        if count == storage.count { grow() }
        storage[(head + count) & (storage.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = storage[head]
        storage[head] = nil
        head = (head + 1) & (storage.count - 1)
        count -= 1
        return element
    }

    /// Doubles the ring; its size stays a power of two, so that positions wrap by a mask.
    private mutating func grow() {
        var larger = ContiguousArray<Element?>(repeating: nil, count: max(16, storage.count * 2))
        for offset in 0..<count { larger[offset] = storage[(head + offset) & (storage.count - 1)] }
        storage = larger
        head = 0
    }
}
