/// What is known of one position of an input: that its bytes probably repeat earlier ones.
@usableFromInline
struct DeflateRepeat {
    /// The position, as an offset into the input.
    @usableFromInline var position: UInt32
    /// How far before it the bytes stood that are repeated, 0 if nobody knows; and ``chance``.
    @usableFromInline var bits: UInt32

    /// The bytes up to the next position are as good as random: searching for them is in vain.
    @usableFromInline static let chance: UInt32 = 1 << 31

    @usableFromInline
    init(position: UInt32, bits: UInt32) {
        self.position = position
        self.bits = bits
    }

    /// The known distance, or 0 if it is none that a match may have.
    var distance: Int {
        let distance = Int(bits & ~Self.chance)
        return distance <= DeflateCodes.longestDistance ? distance : 0
    }
    var isFollowedByChance: Bool { bits & Self.chance != 0 }
}

/// Where a text was written last: kept beside the text by whoever writes it, and filled in by a
/// ``RepeatLog``.
package struct LastOccurrence {
    /// 0 is before every input.
    @usableFromInline var position: UInt64 = 0

    package init() {}
}

/// Tells a ``GzipEncoder`` which parts of an input repeat earlier ones, so that it need not search.
///
/// Whoever writes an input from finished fragments notes each of them here while it is written. The notes
/// are hints: the compressor compares the bytes before it relies on one, so a wrong note costs size and
/// never changes the content. What comes out depends on the input and its notes alone, not on inputs
/// before. Not thread-safe.
package final class RepeatLog {
    /// What noting needs: plain values, behind a pointer that never changes.
    package struct State {
        /// The address at which the input begins.
        @usableFromInline var start: UInt = 0
        /// What positions count from, so that those from earlier inputs are before this one.
        @usableFromInline var base: UInt64 = 0
        @usableFromInline var entries: UnsafeMutablePointer<DeflateRepeat>
        @usableFromInline var count = 0
        /// Notes beyond are dropped; see ``open(origin:)``.
        @usableFromInline var limit = 0

        fileprivate init(capacity: Int) { entries = .allocate(capacity: capacity) }
    }

    /// The most notes between two calls of ``open(origin:)``. A fixed number, so that what is dropped
    /// does not depend on how the memory grew.
    private static let notesAtOnce = 1024
    /// The shortest text that is worth a note.
    package static let shortest = 6
    private static let inputLimit: UInt64 = 1 << 32

    private let state: UnsafeMutablePointer<State>
    private var capacity = 4096

    package init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State(capacity: capacity))
    }

    deinit {
        state.pointee.entries.deallocate()
        state.deallocate()
    }

    /// Forgets all notes: a new input begins.
    package func removeAll() {
        state.pointee.base += Self.inputLimit
        state.pointee.count = 0
    }

    /// The notes, by rising position.
    var entries: UnsafeBufferPointer<DeflateRepeat> {
        UnsafeBufferPointer(start: state.pointee.entries, count: state.pointee.count)
    }

    /// Makes ready for another part of the input, such as an event.
    ///
    /// - Parameter origin: Where the input begins, until the next call.
    package func open(origin: UnsafeRawPointer) -> UnsafeMutablePointer<State> {
        let needed = state.pointee.count + Self.notesAtOnce
        if needed > capacity {
            let larger = UnsafeMutablePointer<DeflateRepeat>.allocate(capacity: 2 * needed)
            larger.update(from: state.pointee.entries, count: state.pointee.count)
            state.pointee.entries.deallocate()
            state.pointee.entries = larger
            capacity = 2 * needed
        }
        state.pointee.limit = needed
        state.pointee.start = UInt(bitPattern: origin)
        return state
    }
}

extension RepeatLog.State {
    /// Notes that a text is about to be written.
    ///
    /// - Parameters:
    ///   - address: Where it begins.
    ///   - occurrence: Where it was written last, which is then here; `nil` if nobody knows.
    ///   - isChance: Whether what repeats nothing from here on, up to the next note, is as good as random.
    @inlinable
    @inline(__always)
    package mutating func note(
        _ address: UnsafeRawPointer, _ occurrence: UnsafeMutablePointer<LastOccurrence>?,
        isChance: Bool = false
    ) {
        let position = UInt64(UInt(bitPattern: address) &- start)
        var distance: UInt32 = 0
        if let occurrence {
            let last = occurrence.pointee.position
            occurrence.pointee.position = base &+ position
            // Positions only grow within an input, but for texts that were taken back.
            let between = base &+ position &- last
            if last >= base, between <= 32_768 { distance = UInt32(truncatingIfNeeded: between) }
        }
        add(position, distance | (isChance ? DeflateRepeat.chance : 0))
    }

    @inlinable
    @inline(__always)
    mutating func add(_ position: UInt64, _ bits: UInt32) {
        // Notes of what was taken back.
        while count > 0, UInt64(entries[count &- 1].position) >= position { count &-= 1 }
        // A match that goes on needs no second note.
        if bits != 0, count > 0, bits == entries[count &- 1].bits, bits < DeflateRepeat.chance { return }
        guard count < limit else { return }
        entries[count] = DeflateRepeat(position: UInt32(truncatingIfNeeded: position), bits: bits)
        count &+= 1
    }
}
