/// The dynamic table of one direction of a connection (RFC 7541, 2.3.2 and 4): the fields that were entered last.
///
/// Bytes lie one after the other in one array, which is closed up now and then: an entry costs no allocation of its own.
struct HPACKTable {
    /// What an entry counts beside its bytes (RFC 7541, 4.1).
    static let overhead = 32
    /// The size that both sides begin with (RFC 9113, 6.5.2), and the most that is ever used here.
    static let usualLimit = 4096

    private struct Entry {
        var offset: Int
        var nameCount: Int
        var valueCount: Int
        var hash: UInt64

        var size: Int { nameCount + valueCount + HPACKTable.overhead }
    }

    private var bytes: [UInt8] = []
    /// The oldest first; those before `head` are gone.
    private var entries: ContiguousArray<Entry> = []
    private var head = 0
    private(set) var size = 0
    private(set) var limit = HPACKTable.usualLimit

    var count: Int { entries.count - head }

    /// Enters a field, which must not lie in this table. One that is too large empties it (RFC 7541, 4.4).
    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, hash: UInt64 = 0) {
        let needed = name.count + value.count + HPACKTable.overhead
        shrink(to: limit - needed)
        guard needed <= limit else { return }
        closeUp()
        entries.append(
            Entry(offset: bytes.count, nameCount: name.count, valueCount: value.count, hash: hash))
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
        size += needed
    }

    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        shrink(to: limit)
    }

    /// Hands over the field that was entered as the so-and-so-last, counted from 0.
    ///
    /// - Returns: `nil` if there is none.
    func withField<Result>(
        _ position: Int, _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard position >= 0, position < count else { return nil }
        let entry = entries[entries.count - 1 - position]
        return bytes.withUnsafeBytes { all in
            let middle = entry.offset + entry.nameCount
            return body(
                UnsafeRawBufferPointer(rebasing: all[entry.offset..<middle]),
                UnsafeRawBufferPointer(rebasing: all[middle..<middle + entry.valueCount]))
        }
    }

    /// The position of a field, by a hash of it and then its bytes; `nil` for none. O(entries).
    func position(
        of name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, hash: UInt64
    ) -> Int? {
        var index = entries.count
        while index > head {
            index -= 1
            let entry = entries[index]
            guard entry.hash == hash, entry.nameCount == name.count, entry.valueCount == value.count else {
                continue
            }
            let position = entries.count - 1 - index
            if withField(position, { $0.elementsEqual(name) && $1.elementsEqual(value) }) == true {
                return position
            }
        }
        return nil
    }

    private mutating func shrink(to size: Int) {
        while self.size > max(0, size), head < entries.count {
            self.size -= entries[head].size
            head += 1
        }
    }

    /// Gives the memory of fields that are gone to those that come.
    private mutating func closeUp() {
        guard head > 0, head >= 64 || head == entries.count || bytes.count >= 2 * HPACKTable.usualLimit else {
            return
        }
        let gone = head < entries.count ? entries[head].offset : bytes.count
        bytes.removeFirst(gone)
        entries.removeFirst(head)
        head = 0
        for index in entries.indices { entries[index].offset -= gone }
    }
}
