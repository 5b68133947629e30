import DeviceSDK
import GrowingSDK
import Scenario
import Synchronization
import Wire

/// The files of events that interceptors of simulated SDKs copy: a line of JSON each, as the event was when it
/// was built.
///
/// Shards write to them at the same time. They grow as `copy-<name>.ndjson.partial` in the run's folder and are
/// renamed at the end.
final class EventCopies: GrowingEventCopySink {
    private struct State {
        var files: [String: AppendingFile] = [:]
        var lines: [String: WireBuffer] = [:]
        var failure: CommandFailure?
    }

    /// Lines are handed to the disk in blocks of about this many bytes.
    private static let blockSize = 1 << 16

    private let folder: RunFolder
    private let redactor: Redactor
    private let state: Mutex<State>

    /// Creates a file for each name that any interceptor of the systems copies to; `nil` if there is none.
    ///
    /// - Parameter redactor: Takes secrets out of every line: the files are in the run's folder.
    init?(_ systems: [any SystemRuleSet], in folder: RunFolder, redactor: Redactor) throws(CommandFailure) {
        var files: [String: AppendingFile] = [:]
        for case let rules as GrowingRules in systems {
            for name in rules.interceptors.compactMap(\.copyTo) where files[name] == nil {
                files[name] = try AppendingFile(path: Self.path(name, in: folder) + ".partial")
            }
        }
        guard !files.isEmpty else { return nil }
        self.folder = folder
        self.redactor = redactor
        state = Mutex(State(files: files))
    }

    private static func fileName(_ name: String) -> String { "copy-\(name).ndjson" }

    private static func path(_ name: String, in folder: RunFolder) -> String {
        folder.file(fileName(name))
    }

    /// What the files are called when they are whole.
    var fileNames: [String] { state.withLock { $0.files.keys.sorted().map(Self.fileName) } }

    /// Adds a line. A failure is kept for ``finish()``; what follows it is dropped.
    func copy(_ event: UnsafeRawBufferPointer, to name: String) {
        // Made before the lock, which all shards want.
        let redacted = redactor.hasSecrets ? redactor.redactSecrets(Array(event)) : nil
        state.withLock { state in
            guard state.failure == nil, state.files[name] != nil else { return }
            if let redacted {
                state.lines[name, default: WireBuffer()].append(contentsOf: redacted)
            } else {
                state.lines[name, default: WireBuffer()].append(contentsOf: event)
            }
            state.lines[name]?.append(UInt8(ascii: "\n"))
            if state.lines[name]?.count ?? 0 >= Self.blockSize { Self.flush(name, &state) }
        }
    }

    /// Adds what the parts of a run copied, one part after the other: no line tells when it was written.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read or written, and with code 105 if the merge is to end.
    func join(_ parts: [PartFolder], _ control: MergeControl) throws(CommandFailure) {
        try state.withLock { state throws(CommandFailure) in
            for name in state.files.keys.sorted() {
                for part in parts {
                    try control.check()
                    try state.files[name]?.append(contentsOf: part.file(Self.fileName(name)))
                }
            }
        }
    }

    private static func flush(_ name: String, _ state: inout State) {
        do throws(CommandFailure) {
            try state.files[name]?.append(state.lines[name]?.bytes ?? [])
        } catch {
            state.failure = error
        }
        state.lines[name]?.removeAll()
    }

    /// Writes what is left and gives the files their final names.
    ///
    /// - Throws: The first failure of any write; the partial files then keep their names.
    func finish() throws(CommandFailure) {
        let failure: CommandFailure? = state.withLock { state in
            for name in state.files.keys.sorted() where state.failure == nil {
                Self.flush(name, &state)
                guard state.failure == nil else { break }
                do throws(CommandFailure) {
                    try state.files[name]?.finish(renamingTo: Self.path(name, in: folder))
                } catch {
                    state.failure = error
                }
            }
            return state.failure
        }
        if let failure { throw failure }
    }
}
