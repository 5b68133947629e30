import Measurement
import Accounting
import Reporting
import Timebase
import VirtualEngine

/// The parts of a run that are there: of one run, each once.
struct PartSet {
    /// A part, without what takes memory.
    struct Member {
        var folder: PartFolder
        var number: PartNumber
        var levels: PartLevels
        var hasEvents: Bool
        fileprivate var report: Report.Part
        fileprivate var fingerprint: UInt64
    }

    let identity: PartIdentity
    let reference: Report.ScenarioReference
    /// In order.
    private(set) var members: [Member] = []
    /// Of any part, each once.
    private(set) var warnings: [String] = []
    private(set) var devices = 0
    private var unfinished: [PartFolder] = []

    /// Looks at the attempts that were found.
    ///
    /// - Throws: ``CommandFailure`` with code 64 where a part is there twice and not the same, or parts are of different runs.
    init(_ found: [PartFolder]) throws(CommandFailure) {
        let whole = found.filter(\.isWhole)
        guard let first = whole.first else {
            throw CommandFailure(
                .usage,
                "\(found.first?.path ?? ""): the part is not whole: it was killed, or is still being played")
        }
        let state = try first.read()
        (identity, reference) = (state.identity, state.reference)
        unfinished = found.filter { !$0.isWhole }
        for folder in whole { try add(folder, folder == first ? state : folder.read(), first: first) }
        members.sort { $0.number < $1.number }
    }

    private mutating func add(_ folder: PartFolder, _ state: PartState, first: PartFolder)
        throws(CommandFailure)
    {
        if let difference = state.identity.difference(from: identity) {
            throw CommandFailure(
                .usage,
                "\(folder.path) is no part of the run that \(first.path) is of: \(difference); nothing was written"
            )
        }
        if let other = members.first(where: { $0.number == state.number }) {
            // Two attempts at a part of a simulation are the same, as any two runs of one seed.
            guard other.fingerprint == state.recorder.eventFingerprint else {
                throw CommandFailure(
                    .usage,
                    "part \(state.number.text) is there twice, and not the same: \(other.folder.path) and \(folder.path); "
                        + "nothing was written")
            }
            return
        }
        devices += state.devices
        warnings += state.warnings.filter { !warnings.contains($0) }
        members.append(
            Member(
                folder: folder, number: state.number, levels: state.levels, hasEvents: state.hasEvents,
                report: Report.Part(
                    name: state.number.text, devices: state.devices, attempt: folder.attempt,
                    host: state.host,
                    wallSeconds: state.wall.fractionalSeconds),
                fingerprint: state.recorder.eventFingerprint))
    }

    var scenarioPath: String { members[0].folder.file(ReplayRecord.scenarioName) }
    var reportedParts: [Report.Part] { members.map(\.report) }

    private var missing: [PartNumber] {
        let there = Set(members.map(\.number))
        return (0..<identity.count).map { PartNumber(index: $0, count: identity.count) }
            .filter { !there.contains($0) }
    }

    var introduction: String { "\(members.count) of \(identity.count) parts, \(devices) devices" }

    /// Which parts are missing and how to play them; `nil` if none is.
    var missingText: String? {
        let missing = missing
        guard !missing.isEmpty else { return nil }
        let shown = missing.prefix(10).map(\.text).joined(separator: ", ")
        let rest = missing.count > 10 ? " and \(missing.count - 10) more" : ""
        let broken =
            unfinished.isEmpty
            ? "" : " (attempts that did not end: \(unfinished.map(\.path).prefix(3).joined(separator: ", ")))"
        return
            "\(introduction): missing \(missing.count == 1 ? "is" : "are") \(shown)\(rest)\(broken). What is there has its books "
            + "in order, but says nothing about the whole: play what is missing with the same command and --shard "
            + "\(missing[0].text), and merge again."
    }
}
