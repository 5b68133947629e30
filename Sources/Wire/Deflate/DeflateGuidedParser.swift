/// Cuts an input into literals and matches by notes of what repeats (``RepeatLog``).
///
/// At a note, the bytes are compared with those at the noted distance and at that of the match before;
/// the longer match is taken, as far as it goes. Only the bytes between matches are searched, and only
/// they are made known to searches: all else repeats them. So the work grows with what is new in an
/// input and not with its length, but for comparing.
// Unsafe memory: notes are hints. Bytes are compared within the input only, and a distance is taken
// only if it is at most the position that it counts from.
struct DeflateGuidedParser {
    let window: DeflateWindow
    private let notes: UnsafeBufferPointer<DeflateRepeat>
    /// By two digits: one more than where digits that are as good as random last began with them.
    private let digits: UnsafeMutablePointer<UInt32>
    static let digitsCount = 256
    /// The next note.
    private var next = 0
    /// Everything before is in a block.
    private(set) var position = 0
    /// Between the position and here, nothing repeats.
    private var scanned = 0
    /// The match that goes on: from `scanned` to here. It has no length limit yet.
    private var copyEnd = 0
    /// Its distance; 0 if none goes on.
    private var copyDistance = 0
    /// The distance of the last match that began at a note; 0 before the first.
    private var lastDistance = 0
    /// Whether the bytes behind the last note are as good as random.
    private var isChance = false
    /// The first position without the bytes that a search there and one further on needs.
    private let searchEnd: Int

    /// How many bytes longer another match must be than the one that goes on anyway.
    private static let advantage = 4
    /// The shortest match that is looked for.
    private static let shortest = 5
    /// Positions that a search looks at.
    private static let depth = 16
    /// A shorter match makes a search look one byte further on for a longer one.
    private static let lazyBelow = 64

    /// - Parameter digits: Scratch memory for ``digitsCount`` numbers.
    init(
        _ window: DeflateWindow, notes: UnsafeBufferPointer<DeflateRepeat>,
        digits: UnsafeMutablePointer<UInt32>
    ) {
        self.window = window
        self.notes = notes
        self.digits = digits
        digits.update(repeating: 0, count: Self.digitsCount)
        searchEnd = window.count - DeflateWindow.reach
    }

    var isAtEnd: Bool { position == window.count }

    /// Fills an empty block from the position on.
    @inline(never)
    mutating func fill(_ block: inout DeflateBlock) {
        // A copy that nothing else can point to stays in registers.
        var parser = self
        var content = block.content
        parser.fill(&content)
        block.content = content
        self = parser
    }

    @inline(__always)
    private mutating func fill(_ content: inout DeflateContent) {
        let limit = position &+ DeflateBlock.byteLimit
        while content.hasRoom, position < limit {
            let noted = next < notes.count ? min(Int(notes[next].position), window.count) : window.count
            if copyDistance > 0 {
                if copyEnd <= noted {
                    copy(upTo: copyEnd, &content)
                } else {
                    leave(at: noted, &content)
                }
            } else if scanned >= limit {
                break
            } else if scanned < noted {
                search(upTo: min(noted, limit))
            } else if next == notes.count {
                break
            } else {
                begin(at: noted, distance(of: next))
                pass(noted)
            }
        }
        // The end of the input, or as much as a block holds.
        guard copyDistance == 0, scanned > position, scanned == window.count || scanned >= limit else {
            return
        }
        content.end(window, literals: position, upTo: scanned)
        position = scanned
    }

    /// Chooses between the last distance, the noted one, and that of the note behind, where no match goes
    /// on: what repeats there may well have been led to by what is here.
    @inline(__always)
    private mutating func begin(at noted: Int, _ distance: Int) {
        var best = DeflateMatch(length: Self.shortest &- 1, distance: 0)
        weigh(lastDistance, at: noted, against: &best)
        if distance != lastDistance { weigh(distance, at: noted, against: &best) }
        if next &+ 1 < notes.count {
            let ahead = self.distance(of: next &+ 1)
            if ahead != distance, ahead != lastDistance { weigh(ahead, at: noted, against: &best) }
        }
        guard best.isFound else { return }
        lastDistance = best.distance
        start(noted, end: noted &+ best.length, best.distance)
    }

    @inline(__always)
    private func weigh(_ distance: Int, at noted: Int, against best: inout DeflateMatch) {
        // Only a longer match has the next byte in common.
        let last = noted &+ best.length &- 3
        guard distance > 0, distance <= noted, last &+ 4 <= window.count,
            window.halfWord(last) == window.halfWord(last &- distance)
        else { return }
        let length = window.common(from: noted, distance: distance)
        guard length > best.length &+ (best.isFound ? Self.advantage &- 1 : 0) else { return }
        best = DeflateMatch(length: length, distance: distance)
    }

    /// The distance that a note tells. Of digits that are as good as random, it is that of those which began
    /// with the same two.
    @inline(__always)
    private func distance(of note: Int) -> Int {
        let known = notes[note].distance
        guard known == 0, notes[note].isFollowedByChance else { return known }
        let position = Int(notes[note].position)
        let before = Int(digits[slot(position)])
        let distance = position &+ 1 &- before
        return before > 0 && distance > 0 && distance <= DeflateCodes.longestDistance ? distance : 0
    }

    /// The index in the table of digits.
    @inline(__always)
    private func slot(_ position: Int) -> Int {
        guard position &+ 2 <= window.count else { return 0 }
        return Int(window.byte(position) & 15) &<< 4 | Int(window.byte(position &+ 1) & 15)
    }

    /// Goes on with a match, and takes literals before it into it as far as they match too.
    @inline(__always)
    private mutating func start(_ begin: Int, end: Int, _ distance: Int) {
        var begin = begin
        while begin > position, begin > distance,
            window.byte(begin &- 1) == window.byte(begin &- 1 &- distance)
        {
            begin &-= 1
        }
        scanned = begin
        (copyEnd, copyDistance) = (end, distance)
    }

    /// At a note that a match goes beyond, finds out whether the noted distance goes on where the match
    /// ends; then the match is written, and the one at that distance takes over.
    @inline(__always)
    private mutating func leave(at noted: Int, _ content: inout DeflateContent) {
        let distance = distance(of: next)
        guard distance > 0, distance != copyDistance, distance <= noted,
            copyEnd &+ Self.advantage <= window.count,
            window.halfWord(copyEnd) == window.halfWord(copyEnd &- distance)
        else { return pass(noted) }
        let length = window.common(from: copyEnd, distance: distance)
        guard length >= Self.shortest else { return pass(noted) }
        copy(upTo: copyEnd, &content)
        // Without room in the block, this is asked again for the next one.
        guard copyDistance == 0 else { return }
        lastDistance = distance
        (copyEnd, copyDistance) = (scanned &+ length, distance)
        pass(noted)
    }

    /// Goes on behind a note.
    @inline(__always)
    private mutating func pass(_ noted: Int) {
        isChance = notes[next].isFollowedByChance
        if isChance, notes[next].distance == 0 {
            digits[slot(noted)] = UInt32(truncatingIfNeeded: noted &+ 1)
        }
        next &+= 1
    }

    /// Writes the match up to its end, in parts that the format allows, as far as the block has room.
    @inline(__always)
    private mutating func copy(upTo end: Int, _ content: inout DeflateContent) {
        while content.hasRoom {
            let rest = end &- scanned
            guard rest >= DeflateCodes.shortestMatch else { break }
            var length = min(rest, DeflateCodes.longestMatch)
            // No part may be too short for a match.
            if rest > length, rest &- length < DeflateCodes.shortestMatch {
                length = rest &- DeflateCodes.shortestMatch
            }
            content.add(
                window, literals: position, upTo: scanned,
                DeflateMatch(length: length, distance: copyDistance))
            scanned &+= length
            position = scanned
        }
        // What is left of a match that another one cut short becomes literals.
        guard end &- scanned < DeflateCodes.shortestMatch else { return }
        scanned = end
        copyDistance = 0
    }

    /// Looks for a match before a note, and goes on with it.
    @inline(__always)
    private mutating func search(upTo end: Int) {
        if isChance {
            scanned = end
            return
        }
        let last = min(end, searchEnd)
        while scanned < last {
            var match = DeflateMatch(length: Self.shortest &- 1, distance: 0)
            window.search(scanned, depth: Self.depth, longerThan: &match)
            guard match.isFound else {
                // Where nothing repeats, search ever more seldom.
                scanned &+= 1 &+ (scanned &- position) &>> 8
                continue
            }
            if match.length < Self.lazyBelow, scanned &+ 1 < last,
                scanned &+ 2 &+ match.length < window.count
            {
                var later = DeflateMatch(length: match.length &+ 1, distance: 0)
                window.search(scanned &+ 1, depth: Self.depth, longerThan: &later)
                if later.isFound {
                    match = later
                    scanned &+= 1
                }
            }
            // A search stops at the longest match that the format has.
            let length =
                match.length < DeflateCodes.longestMatch
                ? match.length : window.common(from: scanned, distance: match.distance)
            return start(scanned, end: scanned &+ length, match.distance)
        }
        scanned = end
    }
}

extension DeflateWindow {
    /// How many bytes from a position on are the same as at a distance before: up to the input's end.
    @inline(__always)
    func common(from position: Int, distance: Int) -> Int {
        var end = position
        while end &+ 32 <= count {
            let near = difference(end, distance) | difference(end &+ 8, distance)
            let far = difference(end &+ 16, distance) | difference(end &+ 24, distance)
            if near | far != 0 { break }
            end &+= 32
        }
        while end &+ 8 <= count {
            let difference = difference(end, distance)
            if difference != 0 { return end &+ difference.trailingZeroBitCount &>> 3 &- position }
            end &+= 8
        }
        while end < count, byte(end) == byte(end &- distance) { end &+= 1 }
        return end &- position
    }

    @inline(__always)
    private func difference(_ position: Int, _ distance: Int) -> UInt64 {
        word(position) ^ word(position &- distance)
    }
}
