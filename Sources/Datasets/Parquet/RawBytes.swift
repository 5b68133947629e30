import Wire

/// Bytes that grow at the end, for loops over single values: nothing is shared, so nothing is checked but the capacity.
struct RawBytes: ~Copyable {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        base = .allocate(byteCount: self.capacity, alignment: 8)
    }

    deinit { base.deallocate() }

    /// The content; valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    mutating func removeAll() { count = 0 }

    /// Appends eight bytes, the lowest first.
    @inline(__always)
    mutating func append(word: UInt64) {
        if capacity &- count < 8 { grow(8) }
        (base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        count &+= 8
    }

    /// Appends a text behind its length in four bytes (PLAIN of BYTE_ARRAY).
    @inline(__always)
    mutating func append(prefixed text: UnsafeRawBufferPointer) {
        if capacity &- count < 4 &+ text.count { grow(4 + text.count) }
        (base + count).storeBytes(of: UInt32(truncatingIfNeeded: text.count).littleEndian, as: UInt32.self)
        (base + count + 4).copyText(text)
        count &+= 4 &+ text.count
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        let size = max(capacity * 2, count + additional)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        memory.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = memory
        capacity = size
    }
}

/// Numbers that grow at the end, up to a count that is known.
struct RawNumbers: ~Copyable {
    private let base: UnsafeMutablePointer<UInt32>
    private let capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    var values: UnsafeBufferPointer<UInt32> { UnsafeBufferPointer(start: base, count: count) }

    mutating func removeAll() { count = 0 }

    /// - Precondition: There is room.
    @inline(__always)
    mutating func append(_ value: UInt32) {
        precondition(count < capacity)
        base[count] = value
        count &+= 1
    }
}

extension UnsafeMutableRawPointer {
    /// Copies a text here; most are so short that a call would take longer.
    @inlinable
    @inline(__always)
    package func copyText(_ text: UnsafeRawBufferPointer) {
        guard let source = text.baseAddress else { return }
        let count = text.count
        if count > 32 { return copyMemory(from: source, byteCount: count) }
        if count >= 16 {
            // The two halves may overlap.
            copyWords(source, 0)
            copyWords(source, count &- 16)
        } else if count >= 8 {
            copyWord(source, 0, as: UInt64.self)
            copyWord(source, count &- 8, as: UInt64.self)
        } else if count >= 4 {
            copyWord(source, 0, as: UInt32.self)
            copyWord(source, count &- 4, as: UInt32.self)
        } else {
            for offset in 0..<count { copyWord(source, offset, as: UInt8.self) }
        }
    }

    @inlinable
    @inline(__always)
    func copyWords(_ source: UnsafeRawPointer, _ offset: Int) {
        copyWord(source, offset, as: UInt64.self)
        copyWord(source, offset &+ 8, as: UInt64.self)
    }

    @inlinable
    @inline(__always)
    func copyWord<Word: BitwiseCopyable>(_ source: UnsafeRawPointer, _ offset: Int, as type: Word.Type) {
        storeBytes(of: source.loadUnaligned(fromByteOffset: offset, as: type), toByteOffset: offset, as: type)
    }
}

extension UnsafeRawBufferPointer {
    /// The order of two texts by their bytes, which is that of their code points: negative, zero or positive.
    func order(with other: UnsafeRawBufferPointer) -> Int {
        var index = 0
        let shorter = Swift.min(count, other.count)
        while index &+ 8 <= shorter {
            let mine = loadUnaligned(fromByteOffset: index, as: UInt64.self).bigEndian
            let others = other.loadUnaligned(fromByteOffset: index, as: UInt64.self).bigEndian
            if mine != others { return mine < others ? -1 : 1 }
            index &+= 8
        }
        while index < shorter {
            if self[index] != other[index] { return self[index] < other[index] ? -1 : 1 }
            index &+= 1
        }
        return count - other.count
    }

    /// Whether two texts are the same.
    @inline(__always)
    func isSame(as other: UnsafeRawBufferPointer) -> Bool { count == other.count && order(with: other) == 0 }

    /// The first eight bytes as a number that orders as they do, filled up with zeros.
    @inline(__always)
    var beginning: UInt64 {
        if count >= 8 { return loadUnaligned(as: UInt64.self).bigEndian }
        var word: UInt64 = 0
        for index in 0..<8 { word = word << 8 | (index < count ? UInt64(self[index]) : 0) }
        return word
    }
}
