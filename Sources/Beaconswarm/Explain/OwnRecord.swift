import Accounting
import DeviceSDK
import Timebase
import Wire

/// What a run itself kept of its events' fates, to hold a story against.
struct OwnRecord {
    private let beliefs: DeviceBeliefs
    private let fates: UndeliveredFates.Sorted
    /// The lines of the events that are asked for, where the run kept a file of them.
    private let lines: [EventID: JSONNode]
    /// The file's name; `nil` where there is none, or no line of these events in it.
    let eventFile: String?

    /// - Parameters:
    ///   - lines: Those of the events that are asked for.
    ///   - file: The run's file of events, which has them; `nil` if it is not there.
    init(of run: ExplainedRun, lines: [EventID: [UInt8]], file: String?) {
        beliefs = run.beliefs
        fates = run.beliefs.undelivered.sorted
        self.lines = lines.compactMapValues { try? JSONReader.readStrictly($0) }
        eventFile = self.lines.isEmpty ? nil : file
    }

    /// What the run says of an event instead; `nil` where it says the same.
    ///
    /// - Parameter told: Of all events of the device. Of several that a collector cannot tell apart, the record has the fate
    ///   of one.
    func contradiction(to event: SealedEvent, among told: KeyedFates) -> String? {
        if let line = lines[event.id], let told = difference(of: line, from: event) { return told }
        guard event.disposition.fate != .suppressed else { return nil }
        let code: UInt32?
        if let key = event.naturalKey {
            code =
                beliefs.deliveredNatural.contains(key)
                ? Disposition.delivered.code : beliefs.undeliveredNatural[key]
        } else {
            code =
                beliefs.delivered.contains(event.id) ? Disposition.delivered.code : fates.code(of: event.id)
        }
        if let code, told.codes(like: event).contains(code) { return nil }
        return
            "its devices ended \(event.id.text) as \(code.flatMap(Disposition.init(code:))?.name ?? "nothing")"
    }

    /// What a line of the events' file says that is not so.
    private func difference(of line: JSONNode, from event: SealedEvent) -> String? {
        let acked = event.ackedAt == .distantFuture ? nil : EventFile.timeText(event.ackedAt)
        let same =
            line["fate"]?.string == event.disposition.fate.rawValue
            && line["cause"]?.string == event.disposition.cause
            && line["attempts"]?.digits == String(event.attempts)
            && line["captured_at"]?.digits == EventFile.timeText(event.capturedAt)
            && line["acked_at"]?.digits == acked
        return same ? nil : "its line is \(line.compactText)"
    }

    /// An event as its line tells it, where the run kept one, else as far as its device's beliefs go.
    func event(_ id: EventID) -> (fate: Fate, cause: String?, line: JSONNode?)? {
        if let line = lines[id], let fate = line["fate"]?.string.flatMap(Fate.init) {
            return (fate, line["cause"]?.string, line)
        }
        if beliefs.delivered.contains(id) { return (.delivered, nil, nil) }
        return fates.code(of: id).flatMap(Disposition.init(code:)).map { ($0.fate, $0.cause, nil) }
    }
}

/// The fates of a device's events that bear no id, by their natural keys: rows of a file that was deleted with its app, and
/// of one that took its name, have the same.
struct KeyedFates {
    private var codes: [NaturalKey: Set<UInt32>] = [:]

    init(_ events: some Sequence<SealedEvent>) {
        for event in events {
            if let key = event.naturalKey { codes[key, default: []].insert(event.disposition.code) }
        }
    }

    /// The codes of the fates of all events that a collector cannot tell from one, its own included.
    func codes(like event: SealedEvent) -> Set<UInt32> {
        event.naturalKey.flatMap { codes[$0] } ?? [event.disposition.code]
    }
}

extension Disposition {
    /// Fate and cause.
    var name: String { fate.rawValue + (cause.map { " (\($0))" } ?? "") }
}
