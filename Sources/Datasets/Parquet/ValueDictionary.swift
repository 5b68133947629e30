import Wire

/// The different values of a column chunk in the order in which they came, up to a size.
///
/// Open addressing with linear probing in a table that is at most half full. Nothing is ever removed but everything.
struct ValueDictionary: ~Copyable {
    /// The most bytes that the values may take as a page: readers load it whole.
    static let byteLimit = 1 << 20
    private static let firstSlots = 1024

    /// The values as a dictionary page has them (PLAIN).
    private var content = RawBytes(capacity: 1 << 12)
    private(set) var count = 0
    /// The number that was asked for last: neighbours in a column are often the same.
    private var last: UInt32 = 0
    private var slots = ValueDictionary.firstSlots
    /// One more than a value's number; 0 is free.
    private var table: UnsafeMutablePointer<UInt32>
    /// By number, as many as half of the slots.
    private var hashes: UnsafeMutablePointer<UInt32>
    /// Where each text lies in the page, at its length.
    private var offsets: UnsafeMutablePointer<UInt32>

    init() {
        table = .allocate(capacity: slots)
        table.initialize(repeating: 0, count: slots)
        hashes = .allocate(capacity: slots / 2)
        offsets = .allocate(capacity: slots / 2)
    }

    deinit {
        table.deallocate()
        hashes.deallocate()
        offsets.deallocate()
    }

    /// The page; valid until the next change.
    var page: UnsafeRawBufferPointer { content.bytes }

    mutating func removeAll() {
        guard count > 0 else { return }
        content.removeAll()
        count = 0
        last = 0
        table.update(repeating: 0, count: slots)
    }

    /// The number of a value of eight bytes; `nil` if there is no room for it.
    @inline(__always)
    mutating func number(of word: UInt64) -> UInt32? {
        let values = content.bytes
        if last < count, values.loadUnaligned(fromByteOffset: Int(last) &* 8, as: UInt64.self) == word {
            return last
        }
        let hash = UInt32(truncatingIfNeeded: ValueDictionary.mix(word) >> 32)
        var slot = Int(hash) & (slots &- 1)
        while table[slot] != 0 {
            let number = table[slot] &- 1
            if values.loadUnaligned(fromByteOffset: Int(number) &* 8, as: UInt64.self) == word {
                last = number
                return number
            }
            slot = (slot &+ 1) & (slots &- 1)
        }
        guard content.count + 8 <= ValueDictionary.byteLimit else { return nil }
        content.append(word: word)
        return add(hash, at: slot)
    }

    /// The number of a text; `nil` if there is no room for it.
    @inline(__always)
    mutating func number(of text: UnsafeRawBufferPointer) -> UInt32? {
        if last < count, self.text(Int(last)).isSame(as: text) { return last }
        let hash = ValueDictionary.hash(text)
        var slot = Int(hash) & (slots &- 1)
        while table[slot] != 0 {
            let number = table[slot] &- 1
            if hashes[Int(number)] == hash, self.text(Int(number)).isSame(as: text) {
                last = number
                return number
            }
            slot = (slot &+ 1) & (slots &- 1)
        }
        guard content.count + 4 + text.count <= ValueDictionary.byteLimit else { return nil }
        offsets[count] = UInt32(content.count)
        content.append(prefixed: text)
        return add(hash, at: slot)
    }

    /// A text without its length.
    @inline(__always)
    private func text(_ number: Int) -> UnsafeRawBufferPointer {
        let offset = Int(offsets[number])
        let size = Int(content.bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        return UnsafeRawBufferPointer(rebasing: content.bytes[offset + 4..<offset + 4 + size])
    }

    private mutating func add(_ hash: UInt32, at slot: Int) -> UInt32 {
        hashes[count] = hash
        count += 1
        table[slot] = UInt32(count)
        if count * 2 >= slots { grow() }
        last = UInt32(count - 1)
        return last
    }

    private mutating func grow() {
        hashes = ValueDictionary.doubled(hashes, count: slots / 2)
        offsets = ValueDictionary.doubled(offsets, count: slots / 2)
        slots *= 2
        table.deallocate()
        table = .allocate(capacity: slots)
        table.initialize(repeating: 0, count: slots)
        for number in 0..<count {
            var slot = Int(hashes[number]) & (slots - 1)
            while table[slot] != 0 { slot = (slot + 1) & (slots - 1) }
            table[slot] = UInt32(number + 1)
        }
    }

    private static func doubled(
        _ memory: UnsafeMutablePointer<UInt32>, count: Int
    ) -> UnsafeMutablePointer<UInt32> {
        let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: count * 2)
        larger.update(from: memory, count: count)
        memory.deallocate()
        return larger
    }

    /// Appends the values that numbers stand for, as a page without a dictionary has them.
    func append(_ numbers: UnsafeBufferPointer<UInt32>, isText: Bool, to bytes: inout RawBytes) {
        for number in numbers {
            if isText {
                bytes.append(prefixed: text(Int(number)))
            } else {
                bytes.append(
                    word: content.bytes.loadUnaligned(fromByteOffset: Int(number) * 8, as: UInt64.self))
            }
        }
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD1B5_4A32_D192_ED03)
        return product.high ^ product.low
    }

    @inline(__always)
    private static func hash(_ text: UnsafeRawBufferPointer) -> UInt32 {
        var state = UInt64(text.count)
        var index = 0
        while index &+ 8 <= text.count {
            state = mix(state ^ text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index &+= 8
        }
        var rest: UInt64 = 0
        while index < text.count {
            rest = rest << 8 | UInt64(text[index])
            index &+= 1
        }
        return UInt32(truncatingIfNeeded: mix(state ^ rest) >> 32)
    }
}
