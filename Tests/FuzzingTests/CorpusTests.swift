import CollectorModel
import Foundation
import Testing
import Timebase

@testable import Fuzzing

@Suite("Corpora")
struct CorpusTests {
    /// `Tests/Fuzz`, beside this test's folder.
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz")

    private static func corpus(of target: any FuzzTarget.Type) throws -> [[UInt8]] {
        let folder = folder.appendingPathComponent(target.name)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.map { Array(try Data(contentsOf: folder.appendingPathComponent($0))) }
    }

    /// Tries a target's corpus, or inputs made from it, on a thread of its own: targets wait, and a task's
    /// thread must not.
    ///
    /// - Returns: what was found; `nil` for nothing.
    private static func finding(_ name: String, mutations: Int) async throws -> String? {
        let target = try #require(FuzzTargets.named(name))
        let corpus = try corpus(of: target)
        try #require(!corpus.isEmpty)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: attempt(name, corpus, mutations: mutations))
            }
        }
    }

    private static func attempt(_ name: String, _ corpus: [[UInt8]], mutations: Int) -> String? {
        guard let target = FuzzTargets.named(name) else { return "no target \(name)" }
        do {
            let run = try SeededRun(of: target, corpus: corpus)
            if mutations == 0 { try run.replay() }
            _ = try run.mutate(seed: 1, while: { $0 < mutations })
            return nil
        } catch let failure as SeededRun.Failure {
            let text = String(decoding: failure.input.prefix(400), as: UTF8.self)
            return "\(failure.finding): \(text.debugDescription)"
        } catch { return "\(error)" }
    }

    @Test("every input of a corpus keeps the rules", arguments: FuzzTargets.names)
    func replay(name: String) async throws {
        let finding = try await Self.finding(name, mutations: 0)
        #expect(finding == nil)
    }

    @Test("so do inputs made from them by seed 1", arguments: FuzzTargets.names)
    func mutate(name: String) async throws {
        let finding = try await Self.finding(name, mutations: 50)
        #expect(finding == nil)
    }

    @Test("the corpora are small")
    func size() throws {
        let files = FileManager.default.enumerator(
            at: Self.folder, includingPropertiesForKeys: [.fileSizeKey])
        var bytes = 0
        while let file = files?.nextObject() as? URL {
            bytes += try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        }
        #expect(bytes > 10_000)
        #expect(bytes < 1 << 20)
    }
}

@Suite("Fuzzing")
struct FuzzingTests {
    /// Breaks its rule where three letters follow each other, two of which a corpus has.
    private final class Planted: FuzzTarget {
        static let name = "planted"
        static let dictionary = ["c"]
        init() {}
        func check(_ input: [UInt8]) throws {
            try demand(!input.contains(Array("abc".utf8)), "found")
        }
    }

    @Test("inputs reach every form of every system's uploads", arguments: CollectorSystem.allCases)
    func systems(system: CollectorSystem) {
        let paths = CollectorInput.modes.utf8.compactMap { CollectorInput.upload(of: [$0])?.form }
        #expect(Set(CollectorInput.modes).count == CollectorInput.modes.count)
        for form in system.uploadForms {
            #expect(
                paths.contains { $0.path == form.path && $0.headerLines == form.headerLines },
                "\(system): \(form.path)")
        }
    }

    @Test(
        "the corpus means what it meant: the forms' letters stay",
        arguments: [
            (CollectorSystem.sensors, "f"), (.growing, "gplsxoiq"), (.trackingSDK, "t"), (.kit, "m"),
            (.codeless, "c"), (.declared, "ABCDE"),
        ])
    func letters(system: CollectorSystem, letters: String) {
        for (letter, form) in zip(letters.utf8, system.uploadForms) {
            let found = CollectorInput.upload(of: [letter])?.form
            #expect(found?.path == form.path && found?.headerLines == form.headerLines)
        }
    }

    @Test("a run goes on where another one ended, with the inputs that it would have tried")
    func goesOn() throws {
        func inputs(from first: Int, to last: Int) throws -> [[UInt8]] {
            var tried: [[UInt8]] = []
            let run = try SeededRun(of: WireTarget.self, corpus: [Array("some bytes".utf8)])
            let next = try run.mutate(
                seed: 7, from: first, while: { $0 < last }, willTry: { tried.append($0) })
            #expect(next == last)
            return tried
        }
        let whole = try inputs(from: 0, to: 40)
        #expect(Set(whole).count > 20)
        #expect(try inputs(from: 0, to: 15) + inputs(from: 15, to: 40) == whole)
    }

    @Test("a planted fault is found, and found again by its seed")
    func planted() throws {
        let corpus = [Array("xxabxx".utf8)]
        func find() throws -> [UInt8]? {
            let run = try SeededRun(of: Planted.self, corpus: corpus)
            do {
                _ = try run.mutate(seed: 7, while: { $0 < 20_000 })
                return nil
            } catch let failure {
                #expect(failure.finding == "found")
                return failure.input
            }
        }
        let first = try #require(try find())
        #expect(try find() == first)
    }

    @Test("a fault in the corpus itself is told")
    func replay() throws {
        let run = try SeededRun(of: Planted.self, corpus: [Array("abc".utf8)])
        #expect(throws: SeededRun.Failure.self) { try run.replay() }
    }

    @Test("the values of JSON are found where they are")
    func extents() {
        let text = #"x{"a\"": [1, -2.5e3, null], "b": {"c": "d"}}"#
        let found = JSONMutation.extents(in: Array(text.utf8)).map {
            String(decoding: Array(text.utf8)[$0], as: UTF8.self)
        }
        #expect(
            Set(found) == [
                #""a\"""#, "1", "-2.5e3", "null", "[1, -2.5e3, null]", #""b""#, #""c""#, #""d""#,
                #"{"c": "d"}"#,
                String(text.dropFirst()),
            ])
        for broken in ["", "{", "]", "\"", "\"\\", "[\"a"] {
            _ = JSONMutation.extents(in: Array(broken.utf8))
        }
    }

    @Test("a difference between two readers is told", arguments: [1, 2, 3, 4])
    func comparison(which: Int) {
        let own = ParserTarget.Outcome(end: .complete, status: 200, keepsAlive: true, body: [1])
        var other = own
        #expect(Comparison(own: own, reference: other).difference == nil)
        switch which {
        case 1: other.end = .malformed
        case 2: other.status = 201
        case 3: other.keepsAlive = false
        default: other.body = [2]
        }
        #expect(Comparison(own: own, reference: other).difference != nil)
    }
}
