import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Compression of batches")
struct BatchCompressionTests {
    /// A batch as users of the shop make it: views, taps and business events in turn.
    static func records(_ fixture: SensorsEventFixture, count: UInt32) -> [EventRecord] {
        let app = fixture.plan.app
        let business = app.events.indices.filter { !app.events[$0].isWeb }
        var stream = RandomStream(key: 50)
        return (0..<count).map { sequence in
            let screen = UInt16(stream.below(UInt64(app.screens.count)))
            var record = fixture.record(SensorsTemplates.viewScreen, sequence: sequence, screen: screen)
            record.capturedAt = SensorsEventFixture.capture + .milliseconds(Int64(sequence) * 1733)
            switch stream.below(3) {
            case 0: record.control = UInt16(stream.below(UInt64(app.screens.count)))
            case 1: record.template = SensorsTemplates.click
            default:
                record.template = fixture.templates.business(
                    UInt16(business[Int(stream.below(UInt64(business.count)))]))
                record.detail = UInt32(stream.below(1000))
            }
            return record
        }
    }

    /// The JSON of a batch and its compressed form, under a way of compressing.
    static func compressed(
        _ version: SensorsRules.Version, count: UInt32, _ compression: SensorsRules.Compression?
    ) throws -> (json: String, size: Int) {
        var fixture = SensorsEventFixture(version, app: Presets.shop)
        if let compression { fixture.change { $0.upload.compression = compression } }
        let encoder =
            compression == nil
            ? SensorsEventEncoder(
                plan: fixture.plan, rules: fixture.rules, templates: fixture.templates, compression: 6)
            : fixture.encoder
        var body = WireBuffer()
        encoder.encodeBatch(
            records(fixture, count: count), index: 2, number: 42, epochs: EpochLog(SensorsEpoch()),
            at: SensorsEventFixture.capture, into: &body)
        var text = WireBuffer()
        try GzipDecoder().decompress(encoder.packed, into: &text)
        return (text.text, encoder.packed.count)
    }

    @Test("the effort changes the size and nothing else", arguments: [SensorsRules.Version.v1, .v4])
    func efforts(version: SensorsRules.Version) throws {
        let peer = try Self.compressed(version, count: 50, nil)
        let small = try Self.compressed(version, count: 50, .default)
        let fast = try Self.compressed(version, count: 50, .fast)
        #expect(small.json == peer.json)
        #expect(fast.json == peer.json)
        // Beside libdeflate's level 6, which is somewhat smaller than zlib's on batches.
        #expect(small.size * 100 <= peer.size * 109)
        #expect(fast.size * 100 <= peer.size * 125)
        #expect(fast.size > small.size)
    }

    @Test(
        "a batch has the same bytes whatever was encoded before, of which device and under which epochs",
        arguments: [SensorsRules.Version.v1, .v4])
    func independence(version: SensorsRules.Version) {
        let fixture = SensorsEventFixture(version, app: Presets.shop)
        func encode(_ encoder: SensorsEventEncoder, index: Int, count: UInt32) -> [UInt8] {
            var epochs = EpochLog(SensorsEpoch())
            // Epochs that take turns within the batch.
            let first = epochs.reference()
            epochs.change { $0.network = .cellular4G }
            let second = epochs.reference()
            var records = Self.records(fixture, count: count)
            for index in records.indices { records[index].epoch = index % 3 == 0 ? second : first }
            var body = WireBuffer()
            encoder.encodeBatch(
                records, index: index, number: UInt32(index), epochs: epochs,
                at: SensorsEventFixture.capture, into: &body)
            return body.bytes
        }
        func fresh() -> SensorsEventEncoder {
            SensorsEventEncoder(plan: fixture.plan, rules: fixture.rules, templates: fixture.templates)
        }
        let expected = encode(fresh(), index: 2, count: 50)
        let used = fresh()
        for (index, count) in [(2, 50), (3, 50), (2, 7), (4, 120), (2, 50)] as [(Int, UInt32)] {
            _ = encode(used, index: index, count: count)
            #expect(encode(used, index: 2, count: 50) == expected)
        }
    }

    @Test("short batches are as small as libdeflate makes them", arguments: [1, 5] as [UInt32])
    func shortBatches(count: UInt32) throws {
        let peer = try Self.compressed(.v4, count: count, nil)
        for effort in SensorsRules.Compression.allCases {
            let own = try Self.compressed(.v4, count: count, effort)
            #expect(own == peer)
        }
    }
}
