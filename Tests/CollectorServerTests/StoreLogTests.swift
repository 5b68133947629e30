import Accounting
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import Timebase
import Wire

@testable import CollectorModel
@testable import CollectorServer

@Suite("StoreLog", .serialized, .timeLimit(.minutes(2)))
struct StoreLogTests {
    @Test("rows come back as they went in, with and without a device, names and time")
    func rows() {
        let rows = rowBuffer(0..<3, batch: 9)
        #expect(rows.count == 3 && rows.lastBatch == 9)
        rows.bytes.withUnsafeBytes { bytes in
            var reader = RowReader(bytes, unpacker: RowUnpacker())
            for sequence in 0..<2 {
                let row = reader.next()
                #expect(row.map { String(decoding: $0.id, as: UTF8.self) } == "7-\(sequence)")
                #expect(row?.device == 7)
                #expect(row.map { String(decoding: $0.payload, as: UTF8.self) } == payload(sequence))
                #expect(row?.name.isEmpty == true && row?.copy == Int64(sequence))
            }
            let natural = reader.next()
            #expect(natural?.device == nil && natural?.id.count == 32)
            #expect(natural?.batch == 9 && natural?.receivedAt == 5 && natural?.capturedAt == 4)
            #expect(reader.next() == nil)
        }
    }

    @Test(
        "of a log that is cut anywhere, or damaged anywhere, the whole frames before that are read, and no other"
    )
    func damage() {
        var file = WireBuffer()
        var ends: [Int] = []
        for batch in 1...3 as ClosedRange<Int64> {
            appendFrame(rowBuffer(0..<Int(batch), batch: batch), to: &file)
            ends.append(file.count)
        }
        let bytes = file.bytes
        for cut in 0...bytes.count {
            let whole = ends.filter { $0 <= cut }.count
            #expect(Array(bytes[..<cut]).withUnsafeBytes { Array(LogFrames($0)).count } == whole)
        }
        for offset in bytes.indices {
            var damaged = bytes
            damaged[offset] ^= 0x10
            let read = damaged.withUnsafeBytes { LogFrames($0).map(\.lastBatch) }
            #expect(read == Array([1, 2, 3].prefix(ends.filter { $0 <= offset }.count)), "byte \(offset)")
        }
    }

    @Test("by way of the log, the table becomes what it is without one", arguments: 0..<4 as Range<UInt64>)
    func sameTable(seed: UInt64) throws {
        let tables = try [StoreLogging.never, .always].map { logging in
            let file = TemporaryFile()
            let merges = HeldExecutor()
            let store = try durableStore(file.path, logging, merges)
            var random = RandomStream(key: seed)
            var load = StoreLoad()
            var batch: Int64 = 0
            for _ in 0..<30 {
                let rows = rowBuffer(0..<1 + Int(random.below(40)), batch: batch + 1)
                #expect(store.commit(rows, after: batch, load: &load) == nil)
                batch += 1
                if random.below(3) == 0 { merges.runOne() }
            }
            store.close()
            #expect(try StoreFiles.suffixes(at: file.path) == [""])
            return try content(file.path)
        }
        #expect(tables[0] == tables[1])
        #expect(tables[0].count > 30)
    }

    @Test(
        "a process that finds a log brings each row into the table once, however far merging was",
        arguments: 0..<8)
    func recovery(merged: Int) throws {
        let (file, left) = (TemporaryFile(), TemporaryFile())
        let merges = HeldExecutor()
        let store = try durableStore(file.path, .always, merges)
        var load = StoreLoad()
        var batch: Int64 = 0
        for round in 0..<8 {
            #expect(store.commit(rowBuffer(0..<5, batch: batch + 1), after: batch, load: &load) == nil)
            batch += 1
            if round < merged { merges.runOne() }
        }
        try copyStore(file.path, to: left.path)
        let log = try LogFile.all(beside: left.path)
        #expect(!log.isEmpty)
        // A frame that was being written when the process died.
        var torn = WireBuffer()
        appendFrame(rowBuffer(0..<5, batch: 9), to: &torn)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: try #require(log.last)))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(torn.bytes.dropLast(1)))
        try handle.close()
        let next = try durableStore(left.path, .always, HeldExecutor())
        let (receipts, last) = try next.load()
        #expect(receipts.received == 40 && last == 8)
        #expect(try LogFile.all(beside: left.path).isEmpty)
        next.close()
        #expect(
            try content(left.path).map { $0["batch"] as Int? }
                == (1...8).flatMap { Array(repeating: $0, count: 5) })
        store.close()
        #expect(try content(file.path) == content(left.path))
    }

    @Test("a log that goes on from more than the store holds is refused, and stays")
    func foreignLog() throws {
        let (file, other) = (TemporaryFile(), TemporaryFile())
        let store = try durableStore(file.path, .always, HeldExecutor())
        var load = StoreLoad()
        #expect(store.commit(rowBuffer(0..<5, batch: 4), after: 3, load: &load) == nil)
        try copyStore(file.path, to: other.path)
        store.close()
        #expect {
            _ = try durableStore(other.path, .always, HeldExecutor())
        } throws: { error in
            guard case CollectorServerError.storeFailure(other.path, let reason) = error else { return false }
            return reason.contains("-log.1") && reason.contains("request 3")
        }
        #expect(try LogFile.all(beside: other.path).count == 1)
    }

    @Test("a file is one of a log's only where its name is what the log would call it")
    func namesOfLogs() throws {
        let file = TemporaryFile()
        let others = ["-log.01", "-log.+1", "-log.0", "-log.1a", "-log."].map { file.path + $0 }
        defer { for path in others { try? FileManager.default.removeItem(atPath: path) } }
        for path in others { try Data("a note".utf8).write(to: URL(fileURLWithPath: path)) }
        #expect(try LogFile.all(beside: file.path).isEmpty)
        let store = try durableStore(file.path, .always, HeldExecutor())
        store.close()
    }

    @Test("a second collector does not get the store of a first")
    func lock() throws {
        let file = TemporaryFile()
        let first = try durableStore(file.path, .whenBehind, HeldExecutor())
        #expect(throws: CollectorServerError.self) {
            _ = try durableStore(file.path, .whenBehind, HeldExecutor())
        }
        first.close()
        try durableStore(file.path, .whenBehind, HeldExecutor()).close()
    }

    @Test("a refused commit leaves nothing, and the next goes on")
    func refusal() throws {
        let file = TemporaryFile()
        let refuses = Mutex(false)
        var configuration = CollectorServerConfiguration()
        configuration.storePath = file.path
        configuration.logging = .always
        let state = Refusal()
        configuration.refusesCommit = { state.isOn.withLock { $0 } }
        let store = try DurableStore(configuration: configuration, merger: HeldExecutor())
        _ = refuses
        var load = StoreLoad()
        #expect(store.commit(rowBuffer(0..<2, batch: 1), after: 0, load: &load) == nil)
        state.isOn.withLock { $0 = true }
        #expect(store.commit(rowBuffer(0..<2, batch: 2), after: 1, load: &load) != nil)
        state.isOn.withLock { $0 = false }
        #expect(store.commit(rowBuffer(0..<2, batch: 3), after: 1, load: &load) == nil)
        store.close()
        #expect(try content(file.path).map { $0["batch"] as Int? } == [1, 1, 3, 3])
    }

    @Test("a server with a log answers, counts and stores as one without")
    func server() async throws {
        var stored: [[String]] = []
        for logging in [StoreLogging.never, .always] {
            let file = TemporaryFile()
            var configuration = CollectorServerConfiguration()
            configuration.storePath = file.path
            configuration.logging = logging
            configuration.clock = CollectorClock { Instant(milliseconds: 1_800_000_000_123) }
            try await withServer(configuration) { (server, port) async throws in
                for request in 0..<20 {
                    let events = (0..<7).map { Requests.event(request % 3, request + $0) }
                    #expect(try await upload(events, to: port).status == 200)
                }
                #expect(server.snapshot().0.received == 140)
                let statistics = try await RawClient.connect(port: port).exchange(Requests.get("/stats"))
                #expect(statistics.body.contains("\"in_log\":"))
                #expect(statistics.headers["date"] == "Fri, 15 Jan 2027 08:00:00 GMT")
            }
            #expect(try StoreFiles.suffixes(at: file.path) == [""])
            stored.append(try content(file.path).map(\.description))
        }
        #expect(stored[0] == stored[1])
        #expect(stored[0].count == 140)
    }

    // MARK: Support

    /// Adds each thirtieth of a text as a row of its own, to one buffer with the text packed.
    private func append(
        _ text: [UInt8], request: Int64, to rows: inout RowBuffer, _ whole: inout RowBuffer
    ) throws {
        var gzip = WireBuffer()
        text.withUnsafeBytes { GzipEncoder(level: 6).compress($0, into: &gzip) }
        let parser = JSONParser()
        try gzip.withUnsafeBytes { gzip in
            try text.withUnsafeBytes { text in
                let empty = UnsafeRawBufferPointer(start: nil, count: 0)
                var start = 0
                for part in 0..<30 {
                    let end = text.count * (part + 1) / 30
                    let event = CollectedEvent(
                        key: .harness(EventID(device: 7, sequence: UInt32(part))), copy: 0, system: .sensors,
                        systemName: "sensors", distinctID: empty, type: empty, name: empty, capturedAt: 4,
                        payload: UnsafeRawBufferPointer(rebasing: text[start..<end]),
                        value: try parser.parse(UnsafeRawBufferPointer(rebasing: text[..<text.count])),
                        packed: PackedText(gzip: gzip, text: text))
                    rows.append(event, receivedAt: 5, batch: request)
                    whole.append(event, receivedAt: 5, batch: request)
                    start = end
                }
            }
        }
    }
}

/// Whether a simulated disk refuses.
private final class Refusal: Sendable {
    let isOn = Mutex(false)
}
