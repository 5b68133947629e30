import Accounting
import DeviceSDK
import Rendering
import Reporting
import Timebase
import Wire

/// What `explain` says of an event.
struct EventExplanation {
    private let id: EventID
    private let run: ExplainedRun
    private let options: ExplainOptions
    private let context: DeviceContext
    private let own: OwnRecord
    private let loss: AuditedLoss
    private let story: EventStory?

    init(_ id: EventID, in run: ExplainedRun, _ options: ExplainOptions) throws(CommandFailure) {
        self.id = id
        self.run = run
        self.options = options
        context = DeviceContext(id.device, of: run)
        own = try run.ownRecord(of: [id], options.events)
        loss = AuditedLoss(of: run)
        story = try run.trace(of: context).map { [context] steps in
            EventStory(of: id.sequence, in: steps, context)
        }
    }

    func tell() throws(CommandFailure) -> CommandStatus {
        guard let story, let sealed = story.sealed else { return try tellLine() }
        let contradiction = own.contradiction(to: sealed, among: story.fates)
        if options.json {
            Console.output(json(story.lines, sealed, agrees: contradiction == nil).prettyText() + "\n")
        } else {
            var text = head(context.name(sealed.label)) + StoryText.lines(story.lines, context.clock)
            text += "\n  fate: \(sealed.disposition.name), \(sealed.attempts.of("upload")) carried it\n"
            if loss.has(sealed) { text += AuditedLoss.sentence }
            StoryText.output(text + StoryText.verdict(contradiction, run, own))
        }
        return contradiction == nil ? .success : .internalError
    }

    private func head(_ name: String) -> String {
        "event \(id.text), \(name)\n" + StoryText.head(context, run)
    }

    /// As far as the run's own record goes.
    private func tellLine() throws(CommandFailure) -> CommandStatus {
        guard let event = own.event(id) else {
            throw CommandFailure(
                .usage, "\(run.folder) kept nothing of event \(id.text): \(StoryText.remedy(run, id.device))")
        }
        var lines: [StoryLine] = []
        if let at = try time("captured_at", of: event.line).map(context.exact) {
            lines.append(StoryLine(at: at, text: context.capture(at: at)))
        }
        if let at = try time("acked_at", of: event.line) {
            lines.append(StoryLine(at: at, text: "acknowledged"))
        }
        let fate = Escaping.line(event.fate.rawValue + (event.cause.map { " (\($0))" } ?? ""))
        if options.json {
            let held = heldJSON(loss.has(id))
            Console.output(json(lines, fate: event.fate, cause: event.cause, more: held).prettyText() + "\n")
            return .success
        }
        let names = ["type", "name"].compactMap { event.line?[$0]?.string }.filter { !$0.isEmpty }
        let uploads =
            event.line?["attempts"]?.digits.flatMap { Int($0) }.map { ", \($0.of("upload")) carried it" }
            ?? ""
        StoryText.output(
            head(names.isEmpty ? "of an unknown name" : Escaping.line(names.joined(separator: " ")))
                + StoryText.lines(lines, context.clock)
                + "\n  fate: \(fate)\(uploads)\n" + (loss.has(id) ? AuditedLoss.sentence : "")
                + "  no more is known: \(Escaping.line(StoryText.remedy(run, id.device)))\n")
        return .success
    }

    /// A time in the event's line; `nil` where there is none.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for one that no run tells.
    private func time(_ key: String, of line: JSONNode?) throws(CommandFailure) -> Instant? {
        guard let value = line?[key], value != .null else { return nil }
        guard let at = value.digits.flatMap(Double.init).flatMap(Instant.init(exactMilliseconds:)) else {
            throw CommandFailure(
                .invalidScenario,
                "\(own.eventFile ?? "the event file"): \(key) of event \(id.text): found \(value.compactText), "
                    + "expected milliseconds since 1970")
        }
        return at
    }

    private func json(_ lines: [StoryLine], _ event: SealedEvent, agrees: Bool) -> JSONNode {
        json(
            lines, fate: event.disposition.fate, cause: event.disposition.cause,
            more: [
                ("attempts", .int(event.attempts)), ("agrees", .bool(agrees)),
            ] + heldJSON(loss.has(event)))
    }

    /// A member that is there only for an event that the audit did not find.
    private func heldJSON(_ isLost: Bool) -> [(String, JSONNode)] { isLost ? [("held", .bool(false))] : [] }

    private func json(
        _ lines: [StoryLine], fate: Fate, cause: String?, more: [(String, JSONNode)] = []
    ) -> JSONNode {
        .object(
            [
                ("schema", .text(StoryText.schema)), ("run", .text(run.folder)), ("event", .text(id.text)),
                ("device", .int(id.device)), ("population", .text(context.populationName)),
                ("fate", .text(fate.rawValue)), ("cause", cause.map(JSONNode.text) ?? .null),
            ] + more + [("story", StoryText.json(lines))])
    }
}

/// What `explain` says of a device.
struct DeviceExplanation {
    /// Sentences that are told without `--all`, half of them from the beginning.
    private static let limit = 200

    private let device: UInt32
    private let run: ExplainedRun
    private let options: ExplainOptions
    private let context: DeviceContext
    private let own: OwnRecord
    private let story: DeviceStory

    init(_ device: UInt32, in run: ExplainedRun, _ options: ExplainOptions) throws(CommandFailure) {
        self.device = device
        self.run = run
        self.options = options
        context = DeviceContext(device, of: run)
        let captured = run.capturedCount(of: device)
        let ids = Set((0..<captured).map { EventID(device: device, sequence: $0) })
        own = try run.ownRecord(of: ids, options.events)
        guard let steps = try run.trace(of: context) else {
            throw CommandFailure(
                .usage, "\(run.folder) kept no story of device \(device): \(StoryText.remedy(run, device))")
        }
        story = DeviceStory(steps, context, joins: !options.all)
    }

    func tell() -> CommandStatus {
        let fates = KeyedFates(story.sealed)
        var contradiction = story.sealed.lazy.compactMap { own.contradiction(to: $0, among: fates) }.first
        let captured = Int(run.capturedCount(of: device))
        if captured != story.sealed.count {
            contradiction = "it captured \(captured.of("event")), and not \(story.sealed.count)"
        }
        if options.json {
            Console.output(json(agrees: contradiction == nil).prettyText() + "\n")
        } else {
            var text = "device \(device)\n" + StoryText.head(context, run) + shortened
            text += "\n  in all: \(story.sums.joined(separator: ", "))\n"
            text += AuditedLoss(of: run).sentence(of: story.sealed)
            if options.all { text += events }
            StoryText.output(text + StoryText.verdict(contradiction, run, own))
        }
        return contradiction == nil ? .success : .internalError
    }

    private var shortened: String {
        let lines = story.lines
        let half = DeviceExplanation.limit / 2
        guard lines.count > DeviceExplanation.limit, !options.all else {
            return StoryText.lines(lines, context.clock)
        }
        return StoryText.lines(Array(lines.prefix(half)), context.clock)
            + "  … \(lines.count - 2 * half) more; --all tells them\n"
            + StoryText.lines(Array(lines.suffix(half)), context.clock)
    }

    /// A line for each event.
    private var events: String {
        story.sealed.map { event in
            let after =
                event.ackedAt == .distantFuture
                ? "" : " after \(StoryClock.words(event.ackedAt - event.capturedAt))"
            return
                "  \(context.clock.offset(event.capturedAt))  \(event.id.text)  \(context.name(event.label))  "
                + "\(event.disposition.name)\(after), \(event.attempts.of("upload"))\n"
        }.joined()
    }

    private func json(agrees: Bool) -> JSONNode {
        .object([
            ("schema", .text(StoryText.schema)), ("run", .text(run.folder)), ("device", .int(device)),
            ("population", .text(context.populationName)), ("captured", .int(story.sealed.count)),
            ("agrees", .bool(agrees)), ("story", StoryText.json(story.lines)),
            (
                "events",
                .list(
                    story.sealed.map { event in
                        .object([
                            ("event", .text(event.id.text)), ("fate", .text(event.disposition.fate.rawValue)),
                            ("cause", event.disposition.cause.map(JSONNode.text) ?? .null),
                            ("attempts", .int(event.attempts)),
                        ])
                    })
            ),
        ])
    }
}

/// What explanations have in common.
enum StoryText {
    static let schema = "beaconswarm.explain/1"

    /// Writes a story to standard output. What it quotes of files may have come from anywhere, and moves no cursor.
    static func output(_ text: String) { Console.output(Escaping.lines(text)) }

    static func head(_ context: DeviceContext, _ run: ExplainedRun) -> String {
        let rules = context.plan.system
        let how = run.report.mode == .live ? "live" : "simulated"
        return
            "  device \(context.number) of \(context.populationName) (\(rules.systemName) \(rules.versionName)), "
            + "number \(context.index) of its population; \(how), seed \(run.report.seed)\n"
            + "  times: since the run's start; UTC; as its user reads them\n\n"
    }

    static func lines(_ lines: [StoryLine], _ clock: StoryClock) -> String {
        let times = lines.map { clock.text($0.at) }
        let width = times.map(\.count).max() ?? 0
        return zip(times, lines).map { time, line in
            "  \(time)\(String(repeating: " ", count: width - time.count))  \(line.text)\n"
        }.joined()
    }

    /// Whether the run's own record says the same.
    static func verdict(_ contradiction: String?, _ run: ExplainedRun, _ own: OwnRecord) -> String {
        let files = ["beliefs.txt"] + (own.eventFile.map { [$0] } ?? [])
        guard let contradiction else {
            return "  ✓ as the run itself has it in \(files.joined(separator: " and "))\n"
        }
        let missing = run.report.mode == .virtual ? KeptScenario.missing(in: run.scenario) : nil
        return "  ✗ the run itself has it differently, so this is not what happened in it: \(contradiction)"
            + (missing.map { "; of the scenario that the run keeps, \($0)" } ?? "") + "\n"
    }

    /// What keeps more of a run.
    static func remedy(_ run: ExplainedRun, _ device: UInt32) -> String {
        let why = run.whyNotAgain ?? "it has no fate"
        let events =
            run.record.events == nil
            ? "--events keeps a line for each event" : "its events are in \(run.record.events ?? "")"
        return run.report.mode == .live
            ? "\(why); \(events), --trace-devices \(device) all that happens on the device"
            : "\(why); \(events)"
    }

    static func json(_ lines: [StoryLine]) -> JSONNode {
        .list(
            lines.map { line in
                var at = WireBuffer()
                at.appendFixed(line.at.nanoseconds / 1000, decimals: 3, trimmingZeros: true)
                return .object([("at", JSONNode(.number(at.text))), ("text", .text(line.text))])
            })
    }
}
