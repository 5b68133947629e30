/// How much work goes into small output.
package enum DeflateEffort: Sendable, CaseIterable {
    /// As small as zlib's level 6 where the input repeats itself at length, as event batches do.
    case small
    /// Some 8 % larger, in three quarters of the time.
    case fast
}

/// What an effort means for the parser.
struct DeflateTuning {
    /// Positions that a search looks at.
    var depth: Int
    /// Positions that the search one byte further on looks at; 0 takes the first match found.
    var lazyDepth: Int
    /// Within a match, every so many bytes become known; 0 for none.
    var stride: Int
    /// As many bytes at its end become known: what differs in one event differs in the next.
    var tail: Int
    /// A match of this length at the last distance is taken without a search.
    var niceLength: Int
    /// Whether the last match's distance is tried beyond the bytes that ended it, such as the
    /// digits of a time, before anything is searched.
    var resumes: Bool

    static let small = DeflateTuning(
        depth: 16, lazyDepth: 16, stride: 4, tail: 4, niceLength: 32, resumes: false)
    static let fast = DeflateTuning(
        depth: 2, lazyDepth: 0, stride: 0, tail: 0, niceLength: 32, resumes: true)
}

/// Cuts an input into literals and matches.
///
/// Made for inputs whose records repeat long stretches of earlier ones: a match is expected to go on
/// at the distance of the one before, and most positions within a match are never looked at.
struct DeflateParser {
    let window: DeflateWindow
    /// Everything before is in a block.
    private(set) var position = 0
    /// The distance of the last match; 0 before the first.
    private var lastDistance = 0
    /// The first position without the bytes that a search there and one further on needs.
    private let searchEnd: Int

    init(_ window: DeflateWindow) {
        self.window = window
        searchEnd = window.count - DeflateWindow.reach
    }

    var isAtEnd: Bool { position == window.count }

    /// Fills an empty block from the position on.
    @inline(never)
    mutating func fillSmall(_ block: inout DeflateBlock) {
        // A copy that nothing else can point to stays in registers.
        var parser = self
        var content = block.content
        parser.fill(&content, .small)
        block.content = content
        self = parser
    }

    /// As ``fillSmall(_:)``, in less time.
    @inline(never)
    mutating func fillFast(_ block: inout DeflateBlock) {
        var parser = self
        var content = block.content
        parser.fill(&content, .fast)
        block.content = content
        self = parser
    }

    // Inlined with a constant tuning, so that each effort gets code of its own.
    @inline(__always)
    private mutating func fill(_ content: inout DeflateContent, _ tuning: DeflateTuning) {
        let start = position
        let end = min(searchEnd, start &+ DeflateBlock.byteLimit)
        var literals = start
        while position < end, content.hasRoom {
            var match = find(tuning, isBehindMatch: position == literals)
            guard match.isFound else {
                // Where nothing repeats, search ever more seldom.
                position &+= 1 &+ (position &- literals) &>> 8
                continue
            }
            if tuning.lazyDepth > 0 { improve(&match, tuning, end) }
            extendBack(&match, downTo: literals)
            content.add(window, literals: literals, upTo: position, match)
            remember(match, tuning)
            position &+= match.length
            literals = position
            lastDistance = match.distance
        }
        if position >= searchEnd { position = window.count }
        content.end(window, literals: literals, upTo: position)
    }

    /// A match at the position, or at one shortly behind it, to which the position then moves.
    @inline(__always)
    private mutating func find(_ tuning: DeflateTuning, isBehindMatch: Bool) -> DeflateMatch {
        var match = repeated(at: position)
        if match.length < tuning.niceLength, !window.isLongest(match, at: position) {
            window.search(position, depth: tuning.depth, longerThan: &match)
        } else {
            window.insert(position)
        }
        guard tuning.resumes, isBehindMatch, match.length < 16, lastDistance > 0,
            position &+ 1 &+ DeflateWindow.resumeReach <= window.count
        else { return match }
        let later = position &+ 1 &+ window.resume(position &+ 1, distance: lastDistance)
        guard later <= position &+ 16, later < searchEnd else { return match }
        let resumed = repeated(at: later)
        guard resumed.length > match.length else { return match }
        position = later
        window.insert(position)
        return resumed
    }

    /// The match at the last distance, if it is one.
    @inline(__always)
    private func repeated(at position: Int) -> DeflateMatch {
        // The position is before the search's end, so there are four bytes.
        guard lastDistance > 0, window.halfWord(position) == window.halfWord(position &- lastDistance)
        else { return .none }
        return DeflateMatch(
            length: window.common(position, position &- lastDistance), distance: lastDistance)
    }

    /// Moves on by a byte as long as there is a longer match.
    @inline(__always)
    private mutating func improve(_ match: inout DeflateMatch, _ tuning: DeflateTuning, _ end: Int) {
        while position &+ 1 < end, !window.isLongest(match, at: position),
            position &+ 1 &+ match.length < window.count
        {
            var next = DeflateMatch(length: match.length, distance: 0)
            if match.distance != lastDistance {
                let other = repeated(at: position &+ 1)
                if other.length > next.length { next = other }
            }
            if !window.isLongest(next, at: position &+ 1) {
                window.search(position &+ 1, depth: tuning.lazyDepth, longerThan: &next)
            }
            guard next.isFound else { return }
            match = next
            position &+= 1
        }
    }

    /// Takes literals before the match into it, as far as they match too.
    @inline(__always)
    private mutating func extendBack(_ match: inout DeflateMatch, downTo literals: Int) {
        while position > literals, position > match.distance, match.length < DeflateCodes.longestMatch,
            window.byte(position &- 1) == window.byte(position &- 1 &- match.distance)
        {
            position &-= 1
            match.length &+= 1
        }
    }

    /// Makes some positions within a match known.
    @inline(__always)
    private func remember(_ match: DeflateMatch, _ tuning: DeflateTuning) {
        let matchEnd = position &+ match.length
        let end = min(matchEnd, searchEnd)
        if tuning.stride > 0 {
            var inner = position &+ tuning.stride
            while inner < end {
                window.insert(inner)
                inner &+= tuning.stride
            }
        }
        if tuning.tail > 0 {
            var inner = max(position &+ 1, matchEnd &- tuning.tail)
            while inner < end {
                window.insert(inner)
                inner &+= 1
            }
        }
    }
}
