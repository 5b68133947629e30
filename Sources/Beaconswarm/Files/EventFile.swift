import Accounting
import Files
import Glibc
import Synchronization
import Timebase
import Wire

/// The file of `--events`: one JSON line per event, written when its fate is sealed.
///
/// Shards write to it at the same time; lines of one call stay together. Grows as `FILE.partial`
/// and is renamed at the end.
final class EventFile: Sendable {
    /// What a population's lines say besides the event.
    struct PopulationNames: Sendable {
        var name: String
        var system: String
        var labels: [EventLabel]
    }

    private struct State {
        var file: AppendingFile
        var line = WireBuffer()
        var packed = WireBuffer()
        var encoder: GzipEncoder?
        var failure: CommandFailure?
        var isFailureTold = false
        var lines: UInt64 = 0
    }

    /// Lines are handed to the disk in blocks of about this many bytes.
    private static let blockSize = 1 << 18

    let path: String
    /// Whether each line comes after the time at which its event was sealed.
    private let isOfPart: Bool
    private let prefixes: [[LinePrefix]]
    private let state: Mutex<State>
    private let lock: PathLock

    /// The constant middle of a line, per population and label.
    private struct LinePrefix: Sendable {
        var bytes: [UInt8]
    }

    /// Creates `path.partial`; `.gz` at the end of the path packs it.
    ///
    /// - Parameter isOfPart: Whether the file is that of a part of a run, to be joined with others: nobody else reads it.
    init(path: String, populations: [PopulationNames], isOfPart: Bool = false) throws(CommandFailure) {
        try EventFile.check(path, isOfPart: isOfPart)
        self.path = path
        self.isOfPart = isOfPart
        prefixes = populations.map { population in population.labels.map { EventFile.prefix(population, $0) }
        }
        let partial = path + ".partial"
        lock = try EventFile.lock(partial)
        let file = try AppendingFile(path: partial, failing: .usage)
        let encoder = path.hasSuffix(".gz") ? GzipEncoder(level: 6) : nil
        state = Mutex(State(file: file, encoder: encoder))
    }

    /// Takes the file for this process: two that wrote into it would both end with lines of each.
    private static func lock(_ partial: String) throws(CommandFailure) -> PathLock {
        // What a process left that is gone is emptied, and nothing else is.
        close(open(partial, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
        guard let lock = PathLock(partial) else {
            throw CommandFailure(
                .usage, "another process writes into \(partial); name another file with --events")
        }
        return lock
    }

    /// Refuses a name that is taken, or does not say what the file is.
    ///
    /// - Throws: ``CommandFailure`` with code 64.
    static func check(_ path: String, isOfPart: Bool = false) throws(CommandFailure) {
        guard !OutputFile.exists(path) else {
            throw CommandFailure(.usage, "--events \(path) exists already; name another file or remove it")
        }
        guard isOfPart || path.hasSuffix(".ndjson") || path.hasSuffix(".ndjson.gz") else {
            throw CommandFailure(.usage, "--events \(path): the name must end in .ndjson or .ndjson.gz")
        }
    }

    private static func prefix(_ population: PopulationNames, _ label: EventLabel) -> LinePrefix {
        var buffer = WireBuffer()
        buffer.append(",\"population\":")
        buffer.appendJSONString(population.name)
        buffer.append(",\"system\":")
        buffer.appendJSONString(population.system)
        buffer.append(",\"type\":")
        buffer.appendJSONString(label.type)
        buffer.append(",\"name\":")
        buffer.appendJSONString(label.name)
        buffer.append(",\"captured_at\":")
        return LinePrefix(bytes: buffer.bytes)
    }

    /// Writes the lines of sealed events. A failure is kept for ``finish()``; what follows it is dropped.
    ///
    /// - Parameter now: When they were sealed; only parts of runs want to know.
    func write(_ events: some Collection<SealedEvent>, population: Int, at now: Instant = .distantFuture) {
        state.withLock { state in
            guard state.failure == nil else { return }
            for event in events {
                if isOfPart { state.line.append("\(now.nanoseconds)\t") }
                append(event, population: population, to: &state.line)
            }
            state.lines += UInt64(events.count)
            if state.line.count >= EventFile.blockSize { EventFile.flush(&state) }
        }
    }

    /// Writes a line that is one already, its end included.
    func write(line: [UInt8]) {
        state.withLock { state in
            guard state.failure == nil else { return }
            state.line.append(contentsOf: line)
            state.lines += 1
            if state.line.count >= EventFile.blockSize { EventFile.flush(&state) }
        }
    }

    private func append(_ event: SealedEvent, population: Int, to line: inout WireBuffer) {
        line.append("{\"id\":\"")
        line.appendDecimal(UInt64(event.id.device))
        line.append(UInt8(ascii: "-"))
        line.appendDecimal(UInt64(event.id.sequence))
        line.append(UInt8(ascii: "\""))
        line.append(contentsOf: prefixes[population][Int(event.label)].bytes)
        EventFile.appendTime(event.capturedAt, to: &line)
        line.append(",\"fate\":\"")
        line.append(event.disposition.fate.rawValue)
        line.append("\",\"cause\":")
        if let cause = event.disposition.cause { line.appendJSONString(cause) } else { line.append("null") }
        line.append(",\"attempts\":")
        line.appendDecimal(UInt64(event.attempts))
        line.append(",\"acked_at\":")
        if event.ackedAt == .distantFuture {
            line.append("null")
        } else {
            EventFile.appendTime(event.ackedAt, to: &line)
        }
        line.append("}\n")
    }

    /// Milliseconds since the epoch with up to three decimals.
    static func timeText(_ instant: Instant) -> String {
        var text = WireBuffer()
        appendTime(instant, to: &text)
        return text.text
    }

    private static func appendTime(_ instant: Instant, to line: inout WireBuffer) {
        line.appendFixed(instant.nanoseconds / 1000, decimals: 3, trimmingZeros: true)
    }

    /// Why lines are being dropped, the first time that it is asked after it happened.
    func newWarning() -> String? {
        state.withLock { state in
            guard let failure = state.failure, !state.isFailureTold else { return nil }
            state.isFailureTold = true
            return "\(failure.message); the run goes on, without further lines in the event file"
        }
    }

    /// Hands what is written so far to the disk, so that a process that dies leaves it behind.
    func flush() {
        state.withLock { state in
            if state.failure == nil && !state.line.isEmpty { EventFile.flush(&state) }
        }
    }

    private static func flush(_ state: inout State) {
        do throws(CommandFailure) {
            if let encoder = state.encoder {
                state.packed.removeAll(keepingCapacity: true)
                encoder.compress(state.line, into: &state.packed)
                try state.file.append(state.packed.bytes)
            } else {
                try state.file.append(state.line.bytes)
            }
        } catch {
            state.failure = error
        }
        state.line.removeAll(keepingCapacity: true)
    }

    /// Removes the partial file: the run did not come to be.
    func discard() { unlink(path + ".partial") }

    /// Writes what is left and gives the file its final name.
    ///
    /// - Throws: the first failure of any write; the partial file then keeps its name.
    func finish() throws(CommandFailure) {
        let failure: CommandFailure? = state.withLock { state in
            if state.failure == nil && !state.line.isEmpty { EventFile.flush(&state) }
            if let failure = state.failure { return failure }
            do throws(CommandFailure) {
                try state.file.finish(renamingTo: path)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }
}
