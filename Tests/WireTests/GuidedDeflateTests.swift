import Testing
import Timebase

@testable import Wire

@Suite("Deflate by notes of what repeats")
struct GuidedDeflateTests {
    /// A note of a test: a position, a distance that may be any, and whether digits follow.
    struct Note {
        var position: Int
        var distance: Int
        var isChance = false
    }

    /// The gzip member that notes lead to.
    static func encode(_ content: [UInt8], _ notes: [Note], _ encoder: GzipEncoder) -> [UInt8] {
        let log = RepeatLog()
        for note in notes {
            let state = log.open(origin: UnsafeRawPointer(("" as StaticString).utf8Start))
            state.pointee.add(
                UInt64(note.position),
                UInt32(note.distance) | (note.isChance ? DeflateRepeat.chance : 0))
        }
        return writtenBytes { encoder.compress(buffer(content), repeating: log, into: &$0) }
    }

    static func encoder() -> GzipEncoder { GzipEncoder(batches: .small, from: 0) }

    @Test("libdeflate decodes it to the input, whatever the notes say", arguments: DeflateInput.allCases)
    func roundTrip(kind: DeflateInput) {
        let encoder = Self.encoder()
        for seed in UInt64(1)...16 {
            var stream = RandomStream(testSeed: seed)
            let content = kind.bytes(Int(stream.below(seed.isMultiple(of: 4) ? 150_000 : 12_000)), &stream)
            let step = 1 + stream.below([4, 40, 4000][Int(stream.below(3))])
            var notes: [Note] = []
            var position = 0
            // Some notes are behind the end.
            while position < content.count + 20 {
                let distance = stream.below([2, 300, 40_000, 1 << 30][Int(stream.below(4))])
                notes.append(
                    Note(position: position, distance: Int(distance), isChance: stream.below(5) == 0))
                position += 1 + Int(stream.below(step))
            }
            let packed = Self.encode(content, notes, encoder)
            #expect(DeflateTests.decode(packed) == .success(content), "\(kind), seed \(seed)")
            #expect(packed.count <= DeflateEncoder(.small).bound(of: content.count) + 18)
        }
    }

    @Test("what goes on for long and what ends within a few bytes, at each limit of a match's length")
    func lengths() {
        let encoder = Self.encoder()
        for length in [3, 4, 5, 6, 8, 31, 32, 33, 257, 258, 259, 260, 261, 515, 516, 517, 518, 519, 800] {
            var stream = RandomStream(testSeed: UInt64(length))
            let repeated = stream.bytes(length)
            let other = stream.bytes(700)
            // The bytes that repeat, then something else behind it; then once more, with notes that take turns.
            let content =
                repeated + other + repeated + Array(other.prefix(3)) + stream.bytes(5) + repeated + other
            let second = repeated.count + other.count
            let third = second + repeated.count + 8
            let notes = [
                Note(position: 0, distance: 0), Note(position: second, distance: second),
                Note(position: third, distance: third - second),
                Note(position: third + repeated.count - 1, distance: third),
            ]
            let packed = Self.encode(content, notes, encoder)
            #expect(DeflateTests.decode(packed) == .success(content), "\(length)")
            // Nothing is stored twice but the bytes between.
            if length >= 5 { #expect(packed.count < length + 700 + 100 + 18) }
        }
    }

    @Test("more than one block, and more literals than a block has room for")
    func blocks() {
        var stream = RandomStream(testSeed: 9)
        let records = DeflateInput.records.bytes(400_000, &stream)
        let noise = stream.bytes(300_000)
        let content = records + noise + records
        let notes = stride(from: 0, to: content.count, by: 700).map { Note(position: $0, distance: 699) }
        let packed = Self.encode(content, notes, Self.encoder())
        #expect(DeflateTests.decode(packed) == .success(content))
        #expect(packed.count < 400_000)
    }

    @Test("what was encoded before leaves no trace")
    func independence() {
        var stream = RandomStream(testSeed: 4)
        let used = Self.encoder()
        for _ in 0..<8 {
            let content = DeflateInput.records.bytes(30_000, &stream)
            let notes = stride(from: 0, to: 30_000, by: 90).map {
                Note(position: $0, distance: Int(stream.below(2000)), isChance: stream.below(3) == 0)
            }
            #expect(Self.encode(content, notes, used) == Self.encode(content, notes, Self.encoder()))
        }
    }

    @Test("a log knows how far before a text was written, in this input alone")
    func log() {
        let log = RepeatLog()
        var occurrence = LastOccurrence()
        let origin = UnsafeRawPointer(("" as StaticString).utf8Start)
        func note(_ position: Int, isChance: Bool = false) {
            log.open(origin: origin).pointee.note(origin + position, &occurrence, isChance: isChance)
        }
        log.removeAll()
        note(10)
        note(50)
        note(60, isChance: true)
        note(60 + 32_768)
        note(60 + 2 * 32_768 + 1)
        #expect(log.entries.map(\.position) == [10, 50, 60, 32_828, 65_597])
        #expect(log.entries.map(\.distance) == [0, 40, 10, 32_768, 0])
        #expect(log.entries.map(\.isFollowedByChance) == [false, false, true, false, false])
        // The same distance again tells nothing new; what was taken back is forgotten.
        note(65_600)
        note(65_603)
        #expect(log.entries.map(\.position) == [10, 50, 60, 32_828, 65_597, 65_600])
        note(65_590)
        #expect(log.entries.map(\.position) == [10, 50, 60, 32_828, 65_590])
        log.removeAll()
        note(70_000)
        #expect(log.entries.map(\.distance) == [0])
    }

    @Test("of one part of an input, at most 1,024 notes are kept")
    func limit() {
        let log = RepeatLog()
        log.removeAll()
        let origin = UnsafeRawPointer(("" as StaticString).utf8Start)
        for part in 0..<6 {
            let state = log.open(origin: origin)
            for index in 0..<2000 { state.pointee.note(origin + part * 2000 + index, nil) }
            #expect(log.entries.count == (part + 1) * 1024)
        }
    }

    @Test("the fast effort and libdeflate's levels do without")
    func without() {
        var stream = RandomStream(testSeed: 6)
        let content = DeflateInput.records.bytes(20_000, &stream)
        let notes = [Note(position: 100, distance: 50)]
        for encoder in [GzipEncoder(level: 6), GzipEncoder(batches: .fast)] {
            let plain = writtenBytes { encoder.compress(buffer(content), into: &$0) }
            #expect(Self.encode(content, notes, encoder) == plain)
            #expect(!encoder.takesNotes)
        }
        #expect(GzipEncoder(batches: .small).takesNotes)
    }
}
