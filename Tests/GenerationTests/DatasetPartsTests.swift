import Datasets
import Files
import Foundation
import Testing
import Timebase
import Wire

@testable import Generation

@Suite("Parts of datasets")
struct DatasetPartsTests {
    private static let seed = UInt64.random(in: 0...UInt64.max)

    private func stream(_ number: UInt64) -> RandomStream {
        RandomStream(seed: Self.seed, population: 0, index: number, purpose: .traits)
    }

    private func head(_ at: Int64, _ device: UInt32, _ request: UInt32, _ position: UInt16) -> ArrivalHead {
        ArrivalHead(
            at: at, capturedAt: 0, byteCount: UInt32(ArrivalHead.size), device: device, request: request,
            sequence: 0, payloadBytes: 0, position: position, attempt: 1, copy: 0, population: 0,
            typeBytes: 0, nameBytes: 0, idBytes: 0)
    }

    @Test("feeds that are sorted each become one order, whatever the blocks")
    func merge() throws {
        var draws = stream(1)
        var heads: [ArrivalHead] = []
        for _ in 0..<2000 {
            heads.append(
                head(
                    Int64(draws.below(40)), UInt32(draws.below(7)), UInt32(draws.below(9)),
                    UInt16(draws.below(50))))
        }
        var orders = Set<[Int64]>()
        heads = heads.filter {
            orders.insert([$0.at, Int64($0.device), Int64($0.request), Int64($0.position)]).inserted
        }
        let feeds = (0..<3).map { _ in ArrivalFeed() }
        for (shard, feed) in feeds.enumerated() {
            let own = heads.filter { Int($0.device) % 3 == shard }
                .sorted { ArrivalOrder($0) < ArrivalOrder($1) }
            let half = own.count / 2
            for part in [own[..<half], own[half...]] {
                var block = WireBuffer()
                for head in part { withUnsafeBytes(of: head) { block.append(contentsOf: $0) } }
                if !block.isEmpty { feed.put(block) }
            }
            feed.end()
        }
        var found: [ArrivalOrder] = []
        try ArrivalMerge(feeds).forEachRow {
            found.append(ArrivalOrder($0.head))
            return true
        }
        #expect(found.count == heads.count, "seed \(Self.seed)")
        #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 }, "seed \(Self.seed)")
    }

    @Test("a feed that fails says so once its blocks are taken")
    func failure() throws {
        let feed = ArrivalFeed()
        feed.put(WireBuffer("1"))
        feed.end(FileFailure("write", "there", reason: "full"))
        #expect(try feed.take() == WireBuffer("1"))
        #expect(throws: FileFailure.self) { try feed.take() }
    }

    @Test("what is abandoned takes no room and ends nobody's wait")
    func abandoned() throws {
        let feed = ArrivalFeed()
        feed.abandon()
        for number in 0..<20 { feed.put(WireBuffer("\(number)")) }
        feed.end()
        #expect(feed.isUnwanted)
        #expect(try feed.take() == nil)
    }

    @Test("a spool gives each bucket's records back in their order, and leaves no file")
    func spool() throws {
        let path = FileManager.default.temporaryDirectory.path + "/spool-\(UUID().uuidString)"
        var draws = stream(2)
        var expected = [[Int64]](repeating: [], count: 5)
        do {
            let spool = try BucketSpool<CopyRecord>(path, buckets: 5)
            for row in 0..<20_000 as Range<Int64> {
                let bucket = Int(draws.below(4))
                try spool.append(
                    CopyRecord(row: row, at: 0, device: UInt32(row & 1), sequence: 0), to: bucket)
                expected[bucket].append(row)
            }
            for bucket in 0..<5 {
                #expect(spool.count(of: bucket) == expected[bucket].count)
                let all = try spool.records(of: bucket) { _ in true }
                #expect(all.map(\.row) == expected[bucket], "seed \(Self.seed)")
                let odd = try spool.records(of: bucket) { $0.device == 1 }
                #expect(odd.map(\.row) == expected[bucket].filter { $0 & 1 == 1 }, "seed \(Self.seed)")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("buckets are few, and hold all devices in order", arguments: [1, 2, 255, 256, 257, 1000, 100_003])
    func buckets(_ devices: Int) {
        let buckets = DeviceBuckets(devices: devices)
        #expect(buckets.count <= DeviceBuckets.limit)
        for records in [0, 1000, 10 * DeviceBuckets.sliceSize] {
            let slices = (0..<buckets.count).map {
                buckets.slices(of: $0, total: devices, records: records)
            }
            #expect(slices.flatMap { $0.flatMap(Array.init) } == Array(0..<devices))
            for device in [0, devices / 2, devices - 1] {
                #expect(slices[buckets[UInt32(device)]].contains { $0.contains(device) })
            }
        }
    }

    @Test("a bucket with many records is read in slices of about as many devices")
    func slices() {
        let buckets = DeviceBuckets(devices: 2560)
        func slices(_ records: Int) -> [Range<Int>] { buckets.slices(of: 1, total: 2560, records: records) }
        #expect(slices(0) == [10..<20] && slices(DeviceBuckets.sliceSize) == [10..<20])
        #expect(slices(DeviceBuckets.sliceSize + 1) == [10..<15, 15..<20])
        #expect(slices(3 * DeviceBuckets.sliceSize) == [10..<13, 13..<16, 16..<19, 19..<20])
        // A device's truth is never split, however long.
        #expect(slices(100 * DeviceBuckets.sliceSize) == (10..<20).map { $0..<$0 + 1 })
    }

    @Test("members are found by name and group, the first field of a place counts")
    func finder() {
        let fields = [
            EventField("name", "a", .string, ""), EventField("in.name", "b", .string, ""),
            EventField("in.other", "c", .string, ""), EventField("gone", "d", .string, ""),
        ]
        let finder = FieldFinder(fields, numbers: ["a": 0, "b": 1, "c": 2])
        func match(_ name: String, _ group: Int) -> FieldFinder.Match? {
            Array(name.utf8).withUnsafeBytes { finder.match(of: $0, in: group) }
        }
        #expect(match("name", 0) == .column(0))
        #expect(match("in", 0) == .group(1))
        #expect(match("name", 1) == .column(1))
        #expect(match("other", 1) == .column(2))
        #expect(match("other", 0) == nil)
        #expect(match("gone", 0) == nil)
    }

    @Test("names of several groups whose hashes are the same are told apart")
    func collision() {
        // A group's number only turns bits of the last byte: "namd" of the event hashes as "name" of the first group.
        let fields = [
            EventField("in.name", "a", .string, ""), EventField("namd", "b", .string, ""),
            EventField("in.namd", "c", .string, ""), EventField("on.namg", "d", .string, ""),
        ]
        func matches(_ fields: [EventField]) -> [FieldFinder.Match?] {
            let finder = FieldFinder(fields, numbers: ["a": 0, "b": 1, "c": 2, "d": 3])
            return [("name", 1), ("namd", 0), ("namd", 1), ("namg", 2), ("name", 0), ("namf", 2)].map {
                name, group in
                Array(name.utf8).withUnsafeBytes { finder.match(of: $0, in: group) }
            }
        }
        #expect(
            matches(fields) == [.column(0), .column(1), .column(2), .column(3), nil, nil])
        #expect(matches([fields[0]]) == [.column(0), nil, nil, nil, nil, nil])
    }

    @Test("a name that joins the dot before it in one character is found by its bytes")
    func joined() {
        let name = "\u{301}x"
        let finder = FieldFinder([EventField("in.\(name)", "a", .string, "")], numbers: ["a": 0])
        #expect(Array(name.utf8).withUnsafeBytes { finder.match(of: $0, in: 1) } == .column(0))
        #expect(Array("in".utf8).withUnsafeBytes { finder.match(of: $0, in: 0) } == .group(1))
    }

    @Test("days are those of the zone's clocks, also where these are set forward")
    func days() throws {
        var clock = DayClock(try #require(ZoneOffsets(name: "Europe/Berlin")))
        // 2026-03-29 has 23 hours: from 23:00 to 22:00 UTC.
        let midnight: Int64 = 1_774_738_800_000
        for (time, day) in [
            (midnight - 1, "2026-03-28"), (midnight, "2026-03-29"),
            (midnight + 23 * 3_600_000 - 1, "2026-03-29"), (midnight + 23 * 3_600_000, "2026-03-30"),
        ] {
            let found = clock.day(ofMilliseconds: time)
            #expect(found.text == day)
            #expect(CivilTime(Instant(milliseconds: found.number * 86_400_000)).dateText == day)
        }
        var utc = DayClock(.utc)
        #expect(utc.day(ofMilliseconds: -1) == (-1, "1969-12-31"))
    }
}
