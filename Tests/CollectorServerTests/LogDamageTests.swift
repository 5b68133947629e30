import Accounting
import Foundation
import GRDB
import Testing
import Wire

@testable import CollectorModel
@testable import CollectorServer

@Suite("Logs that are damaged, or another store's", .serialized, .timeLimit(.minutes(2)))
struct LogDamageTests {
    @Test("whatever an append that was broken off leaves is no damage", arguments: [1, 2])
    func brokenOff(kind: UInt8) {
        let log = Log(kind: kind, batches: 3)
        for cut in 0...log.bytes.count {
            Array(log.bytes[..<cut]).withUnsafeBytes { bytes in
                switch LogContent(bytes) {
                case .unmade: #expect(cut < log.headerBytes)
                case .damaged: Issue.record("\(cut) bytes")
                case .frames(let part):
                    #expect(part.damage == nil, "\(cut) bytes")
                    #expect(part.requests == log.starts.dropFirst().filter { $0 <= cut }.count)
                }
            }
        }
    }

    @Test("whichever byte is another, it is noticed, and where its frame begins is told")
    func everyByte() {
        let log = Log(kind: 2, batches: 3)
        for offset in log.bytes.indices {
            var bytes = log.bytes
            bytes[offset] ^= 0x10
            bytes.withUnsafeBytes { bytes in
                switch LogContent(bytes) {
                case .unmade: Issue.record("byte \(offset)")
                case .damaged: #expect(offset < 8)
                case .frames(let part) where offset < 16: #expect(part.base != 0)
                case .frames(let part) where offset < log.headerBytes: #expect(!part.belongs(to: 7))
                case .frames(let part):
                    #expect(part.damage == log.starts.last { $0 <= offset }, "byte \(offset)")
                }
            }
        }
    }

    @Test("in a log of the first kind, damage that others follow is noticed, a wrong length too")
    func firstKind() {
        let log = Log(kind: 1, batches: 3)
        for offset in log.starts[0]..<log.starts[2] {
            var bytes = log.bytes
            bytes[offset] ^= 0x40
            bytes.withUnsafeBytes { (bytes) -> Void in
                guard case .frames(let part) = LogContent(bytes) else {
                    Issue.record("byte \(offset)")
                    return
                }
                #expect(part.identity == nil && part.belongs(to: 7) && part.belongs(to: nil))
                #expect(part.damage == log.starts.last { $0 <= offset }, "byte \(offset)")
            }
        }
    }

    @Test(
        "of a damaged log the beginning is brought in once, it stays as it is, and without it the store goes on"
    )
    func damagedLog() throws {
        let file = TemporaryFile()
        let log = try leftLog(beside: file.path)
        let path = file.path + "-log.1"
        #expect(try LogFile.all(beside: file.path) == [path])
        var bytes = log
        bytes[bytes.count / 2] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        for _ in 0..<2 {
            #expect {
                _ = try durableStore(file.path, .always, HeldExecutor())
            } throws: { error in
                let text = "\(error)"
                return text.contains("\(path) is damaged from byte ") && text.contains("1 request was read")
                    && text.contains("move it away")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
            #expect(try content(file.path).map { $0["batch"] as Int? } == [1, 1])
        }
        #expect(throws: ForeignReceiptsError.self) { _ = try ForeignReceipts.read(path: file.path) }
        try FileManager.default.removeItem(atPath: path)
        let next = try durableStore(file.path, .always, HeldExecutor())
        #expect(try next.load().lastBatch == 1)
        next.close()
    }

    @Test("no name is too short to be that of a store", arguments: ["x", "/", "a/b", "//"])
    func shortName(path: String) throws { #expect(try LogFile.all(beside: path).isEmpty) }

    @Test("of a folder that cannot be listed, it is not taken that there is no log")
    func unlistedFolder() {
        let path = "/\(String(repeating: "x", count: 300))/store.sqlite"
        #expect(throws: (any Error).self) { _ = try LogFile.all(beside: path) }
        #expect(throws: CollectorServerError.self) { try LogRecovery.checkStore(path) }
        #expect(throws: ForeignReceiptsError.self) { _ = try LoggedReceipts(beside: path) }
    }

    @Test(
        "a log that a collector went on without is neither brought in nor deleted once it is back",
        arguments: [StoreLogging.never, .always])
    func returnedLog(logging: StoreLogging) throws {
        let file = TemporaryFile()
        let log = try leftLog(beside: file.path)
        let path = file.path + "-log.1"
        try FileManager.default.removeItem(atPath: path)
        // Its requests have the numbers of those in the log.
        let next = try durableStore(file.path, logging, HeldExecutor())
        var load = StoreLoad()
        for batch in 1...3 as ClosedRange<Int64> {
            #expect(next.commit(rowBuffer(0..<1, batch: batch), after: batch - 1, load: &load) == nil)
        }
        next.close()
        let held = try content(file.path)
        try Data(log).write(to: URL(fileURLWithPath: path))
        #expect {
            _ = try durableStore(file.path, logging, HeldExecutor())
        } throws: {
            "\($0)".contains("\(path) belongs to another store, or to this one as it was")
        }
        #expect(throws: ForeignReceiptsError.self) { _ = try ForeignReceipts.read(path: file.path) }
        #expect(try content(file.path) == held)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(log))
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("what is no log is not deleted", arguments: ["notes", "BSWMLOG9 of days to come"])
    func noLog(text: String) throws {
        let file = TemporaryFile()
        try durableStore(file.path, .never, HeldExecutor()).close()
        let path = file.path + "-log.3"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect {
            _ = try durableStore(file.path, .always, HeldExecutor())
        } throws: {
            "\($0)".contains("\(path) is damaged from byte 0 on: 0 requests were read")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("another store's log is neither merged nor counted nor deleted")
    func otherStore() throws {
        let (file, other) = (TemporaryFile(), TemporaryFile())
        let log = try leftLog(beside: file.path)
        for logging in [StoreLogging.never, .always] {
            let own = try durableStore(other.path, logging, HeldExecutor())
            var load = StoreLoad()
            let base = try own.load().lastBatch
            #expect(own.commit(rowBuffer(0..<2, batch: base + 5), after: base, load: &load) == nil)
            own.close()
            let held = try content(other.path)
            let path = other.path + "-log.1"
            try Data(log).write(to: URL(fileURLWithPath: path))
            #expect {
                _ = try durableStore(other.path, logging, HeldExecutor())
            } throws: {
                "\($0)".contains("\(path) belongs to another store")
            }
            #expect(throws: ForeignReceiptsError.self) { _ = try ForeignReceipts.read(path: other.path) }
            #expect(try content(other.path) == held)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(log))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("a log of the first kind is brought into the store beside it")
    func oldLog() throws {
        let file = TemporaryFile()
        for logging in [StoreLogging.never, .always] {
            try durableStore(file.path, logging, HeldExecutor()).close()
            let log = Log(kind: 1, batches: 3)
            try Data(log.bytes).write(to: URL(fileURLWithPath: file.path + "-log.1"))
            let store = try durableStore(file.path, logging, HeldExecutor())
            #expect(try store.load().lastBatch == 3)
            #expect(try LogFile.all(beside: file.path).isEmpty)
            store.close()
            #expect(try content(file.path).count == 6)
        }
    }

    @Test("beside a log without a store, none is made")
    func noStore() throws {
        let (file, empty) = (TemporaryFile(), TemporaryFile())
        let log = try leftLog(beside: file.path)
        let path = empty.path + "-log.1"
        try Data(log).write(to: URL(fileURLWithPath: path))
        #expect {
            _ = try durableStore(empty.path, .always, HeldExecutor())
        } throws: {
            "\($0)".contains(path)
        }
        #expect(try StoreFiles.suffixes(at: empty.path) == ["-log.1"])
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("beside SQLite's log of a store that is gone, none is made")
    func noStoreButItsLog() throws {
        let file = TemporaryFile()
        let path = file.path + "-wal"
        try Data("SQLite's".utf8).write(to: URL(fileURLWithPath: path))
        #expect {
            _ = try durableStore(file.path, .never, HeldExecutor())
        } throws: {
            "\($0)".contains(path)
        }
        #expect(try StoreFiles.suffixes(at: file.path) == ["-wal"])
    }

    @Test(
        "a store whose file is removed or replaced takes nothing more, and touches nothing there",
        arguments: [StoreLogging.never, .always], [false, true])
    func goneStore(logging: StoreLogging, isReplaced: Bool) throws {
        let file = TemporaryFile()
        let merges = HeldExecutor()
        let store = try durableStore(file.path, logging, merges)
        var load = StoreLoad()
        #expect(store.commit(rowBuffer(0..<1, batch: 1), after: 0, load: &load) == nil)
        #expect(!store.isGone)
        let log = try LogFile.all(beside: file.path)
        try FileManager.default.removeItem(atPath: file.path)
        if isReplaced { try file.write("another") }
        #expect(store.commit(rowBuffer(0..<1, batch: 2), after: 1, load: &load) == DurableStore.goneReason)
        merges.runOne()
        store.close()
        #expect(store.isGone)
        #expect(try LogFile.all(beside: file.path) == log)
        for path in log { try FileManager.default.removeItem(atPath: path) }
        let left = try? String(contentsOfFile: file.path, encoding: .utf8)
        #expect(left == (isReplaced ? "another" : nil))
    }

    @Test("of a store in use, another name makes no files")
    func hardLink() throws {
        let (file, other) = (TemporaryFile(), TemporaryFile())
        let first = try durableStore(file.path, .whenBehind, HeldExecutor())
        try FileManager.default.linkItem(atPath: file.path, toPath: other.path)
        #expect(throws: CollectorServerError.self) {
            _ = try durableStore(other.path, .whenBehind, HeldExecutor())
        }
        for suffix in ["-wal", "-shm"] {
            #expect(!FileManager.default.fileExists(atPath: other.path + suffix))
        }
        first.close()
    }

    // MARK: Support

    /// A log as its file holds it, of store 7.
    private struct Log {
        var bytes: [UInt8]
        /// Where its frames begin, and where the last ends.
        var starts: [Int] = []
        let headerBytes: Int

        /// - Parameter batches: Each is a frame, with two rows.
        init(kind: UInt8, batches: Int64) {
            var file = WireBuffer("BSWMLOG\(kind)")
            withUnsafeBytes(of: Int64(0)) { file.append(contentsOf: $0) }
            if kind > 1 { withUnsafeBytes(of: Int64(7)) { file.append(contentsOf: $0) } }
            headerBytes = file.count
            starts.append(file.count)
            for batch in 1...batches {
                appendFrame(rowBuffer(0..<2, batch: batch), to: &file)
                starts.append(file.count)
            }
            bytes = file.bytes
        }
    }

    /// Makes a store whose process died with three requests in the log and none in the table.
    ///
    /// - Returns: the log's bytes.
    private func leftLog(beside path: String) throws -> [UInt8] {
        let file = TemporaryFile()
        let store = try durableStore(file.path, .always, HeldExecutor())
        var load = StoreLoad()
        for batch in 1...3 as ClosedRange<Int64> {
            #expect(store.commit(rowBuffer(0..<2, batch: batch), after: batch - 1, load: &load) == nil)
        }
        try copyStore(file.path, to: path)
        store.close()
        return Array(try Data(contentsOf: URL(fileURLWithPath: path + "-log.1")))
    }
}

extension LogPart {
    /// Where its whole frames end in something else than the part of one; `nil` where they do not.
    fileprivate var damage: Int? {
        var walk = LogFrames(frames)
        while walk.next() != nil {}
        return damage(in: walk.rest)
    }
}
