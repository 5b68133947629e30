import DeviceSDK
import Measurement
import Accounting
import Rendering
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
        fileprivate var sums: FileSums
        /// `nil` in virtual time.
        var live: LivePart?
        fileprivate(set) var report: Report.Part
        fileprivate var fingerprint: UInt64
    }

    let identity: PartIdentity
    let reference: Report.ScenarioReference
    /// In order.
    private(set) var members: [Member] = []
    /// Of any part, each once.
    private(set) var warnings: [String] = []
    private(set) var devices = 0
    /// With which the first part was played.
    private let command: [String]
    /// The folder in which it is with others.
    private let shared: String?
    private var unfinished: [PartFolder] = []

    /// Looks at the attempts that were found.
    ///
    /// - Throws: ``CommandFailure`` with code 64 where a part is there twice, or parts are of different runs.
    init(_ found: [PartFolder]) throws(CommandFailure) {
        let whole = found.filter(\.isWhole)
        guard let first = whole.first else {
            let why = found.first?.reason ?? "it was killed, or is still being played"
            throw CommandFailure(.usage, "\(found.first?.path ?? ""): the part is not whole: \(why)")
        }
        let state = try first.read()
        (identity, reference, command) = (state.identity, state.reference, state.command)
        shared = first.shared
        unfinished = found.filter { !$0.isWhole }
        for folder in whole { try add(folder, folder == first ? state : folder.read(), first: first) }
        members.sort { $0.number < $1.number }
        judgeClocks()
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
            try PartFolder.checkOnce(state.number, other.folder, folder)
            // Two attempts at a part of a simulation are the same, as any two runs of one seed. Of a live run they never
            // are: there only a copy is.
            guard other.fingerprint == state.recorder.eventFingerprint,
                other.live?.checksum == state.live?.checksum
            else {
                throw CommandFailure(
                    .usage,
                    "part \(state.number.text) is there twice, and not the same: \(other.folder.path) and \(folder.path); "
                        + "nothing was written")
            }
            return
        }
        devices += state.devices
        warnings += state.warnings.filter { !warnings.contains($0) }
        var report = Report.Part(
            name: state.number.text, devices: state.devices, attempt: folder.attempt, host: state.host,
            wallSeconds: state.wall.fractionalSeconds)
        report.conduct = state.live?.conduct
        report.isInterrupted = state.live?.isInterrupted ?? false
        report.endedBy = state.live?.endedBy
        if let problems = state.live?.problems, !problems.isEmpty { report.problems = problems }
        members.append(
            Member(
                folder: folder, number: state.number, levels: state.levels, hasEvents: state.hasEvents,
                sums: state.sums, live: state.live, report: report,
                fingerprint: state.recorder.eventFingerprint))
    }

    /// Compares the files beside the parts' states with their sums.
    ///
    /// - Parameter readsEvents: Whether the lines of events are read at all.
    /// - Throws: ``CommandFailure`` with code 64 for one that is cut, was changed, or is gone.
    func checkFiles(readsEvents: Bool) throws(CommandFailure) {
        for member in members {
            try member.sums.check(in: member.folder.path) { readsEvents || $0 != PartFolder.eventsName }
        }
    }

    /// Holds the clocks of the machines against each other.
    private mutating func judgeClocks() {
        let clocks = PartClocks(
            members.compactMap { member in
                member.live.map {
                    PartClocks.Part(
                        number: member.number, host: member.report.host,
                        isSynchronised: $0.conduct.clock.isSynchronised, servers: $0.serverClocks)
                }
            })
        warnings += clocks.warnings
        guard let (number, problem) = clocks.problem,
            let index = members.firstIndex(where: { $0.number == number })
        else { return }
        members[index].report.problems = (members[index].report.problems ?? []) + [problem]
    }

    var scenarioPath: String { members[0].folder.file(ReplayRecord.scenarioName) }
    var reportedParts: [Report.Part] { members.map(\.report) }

    /// The longest of all.
    var wall: Interval {
        Interval(nanoseconds: Int64((members.map(\.report.wallSeconds).max() ?? 0) * 1e9))
    }
    var isLive: Bool { identity.at != nil }
    /// Where the events of a live run went.
    var target: String {
        var targets: [String] = []
        for target in members.compactMap(\.live?.target) where !targets.contains(target) {
            targets.append(target)
        }
        return targets.joined(separator: ", ")
    }

    private var missing: [PartNumber] {
        let there = Set(members.map(\.number))
        return (0..<identity.count).map { PartNumber(index: $0, count: identity.count) }
            .filter { !there.contains($0) }
    }

    var introduction: String { "\(members.count) of \(identity.count) parts, \(devices.of("device"))" }

    /// Which parts are missing, with their devices, and how to play them; `nil` if none is.
    func missingText(_ populations: [(name: String, first: UInt32, devices: Int)]) -> String? {
        let missing = missing
        guard !missing.isEmpty else { return nil }
        let shown = PartSet.listed(missing.map { "\($0.text)\(PartSet.devices(of: $0, populations))" })
        let names = Set(missing.map(\.folderName))
        // What is there needs no attempt that did not end.
        let lacking = unfinished.filter { $0.partName.map(names.contains) ?? true }
        let broken = lacking.prefix(3).map { "\($0.path)\($0.reason.map { ": \($0)" } ?? "")" }
        let attempts = broken.isEmpty ? "" : " (attempts that did not end: \(broken.joined(separator: ", ")))"
        let advice =
            isLive
            ? "The other parts' time is over: run all parts again, with a new --at, in another folder: "
                + commandAnew
            : "Play " + PartSet.remedy(command, missing: missing, in: shared)
        return
            "\(introduction): missing \(missing.count == 1 ? "is" : "are") \(shown)\(attempts). What is there has "
            + "its books in order, but says nothing about the whole. \(advice)"
    }

    /// The first ten, and how many more there are.
    static func listed(_ parts: [String]) -> String {
        parts.prefix(10).joined(separator: ", ") + (parts.count > 10 ? " and \(parts.count - 10) more" : "")
    }

    /// What to do about missing parts: what to play or to make, as any of those that are there was.
    ///
    /// - Parameters:
    ///   - missing: At least one.
    ///   - shared: Where the others are now; `nil` for where they were made.
    static func remedy(_ command: [String], missing: [PartNumber], in shared: String?) -> String {
        var words = command
        if let shared { words = LabOutput.words(command, without: ["--out"]) + ["--out", shared] }
        guard missing.count > 1 else {
            return "what is missing, and merge again: \(PartSet.command(words, playing: missing[0].text))"
        }
        let each = PartSet.command(words, playing: "I/\(missing[0].count)")
        return "what is missing, each of them as part I, and merge again: \(each)"
    }

    /// The first devices of a part, by their numbers in the run.
    static func devices(
        of part: PartNumber, _ populations: [(name: String, first: UInt32, devices: Int)]
    ) -> String {
        var texts: [String] = []
        for population in populations {
            let count = part.share.deviceCount(of: population.devices)
            guard count > 0 else { continue }
            let first = (0..<min(count, 3)).map { slot in
                String(Int(population.first) + part.share.populationIndex(ofSlot: slot))
            }
            texts.append(
                "\(count == 1 ? "device" : "devices") \(first.joined(separator: ", "))\(count > 3 ? " …" : "") of "
                    + population.name)
        }
        return texts.isEmpty ? " (no device)" : " (\(texts.joined(separator: "; ")))"
    }

    /// The command line that plays any part of a new run, as the first of this one was played. Its parts meet
    /// in another folder: in this one, those that are there would not be played again.
    private var commandAnew: String {
        var shared = PartSet.value(of: "--out", in: command) ?? "parts"
        while shared.count > 1, shared.hasSuffix("/") { shared.removeLast() }
        var number = 2
        while OutputFile.exists("\(shared)-\(number)") { number += 1 }
        let words = LabOutput.words(command, without: ["--out"])
        return PartSet.command(words, playing: "I/\(identity.count)") + " --at INSTANT --out "
            + Escaping.shell("\(shared)-\(number)")
    }

    private static func value(of option: String, in command: [String]) -> String? {
        if let index = command.lastIndex(of: option), index + 1 < command.count { return command[index + 1] }
        return command.last { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
    }

    /// The command line that plays a part.
    ///
    /// - Parameter command: The words by which another part was played.
    static func command(_ command: [String], playing part: String) -> String {
        let words = LabOutput.words(command, without: ["--shard", "--at"]) + ["--shard", part]
        return words.map(Escaping.shell).joined(separator: " ")
    }
}
