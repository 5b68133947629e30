import Accounting
import AppModel
import DeviceSDK
import Generation
import Reporting
import Scenario
import Timebase
import Wire
import World

/// What is known of a device before anything is told of it: who uses it, where, and what the SDK calls its events.
struct DeviceContext {
    let number: UInt32
    let plan: PopulationPlan
    let schedule: RunSchedule
    let populationName: String
    let labels: [EventLabel]
    let life: DeviceLife
    let clock: StoryClock
    /// When the run was over.
    let end: Instant

    init(_ number: UInt32, of run: ExplainedRun) {
        self.number = number
        plan = run.plans.populations.plan(ofDevice: number)
        schedule = run.plans.schedule
        let names = run.scenario.eventNames(run.plans)[plan.index]
        populationName = names.name
        labels = names.labels
        let index = Int(number - plan.firstDevice)
        let stopped = run.record.usersStoppedAt ?? schedule.usersEnd
        life = PopulationLives(plan, until: stopped).life(of: index)
        clock = StoryClock(start: run.record.start, zone: plan.calendar.zone(of: index))
        end =
            run.record.drainEndedAt
            ?? run.record.start + .fractional(seconds: run.report.simulatedSeconds)
    }

    var index: Int { Int(number - plan.firstDevice) }

    /// When the last thing happened that is told: answers are waited for beyond the drain.
    func end(of steps: [TraceStep]) -> Instant {
        steps.reduce(end) { end, step in
            switch step.what {
            case .ended(_, .answered), .ended(_, .failed): max(end, step.at)
            default: end
            }
        }
    }

    /// The radio that the device is on, whatever the SDK knows of it.
    func radio(at instant: Instant) -> NetworkKind {
        var radio = RadioTrace(plan, index: index, schedule: schedule)
        return radio.kind(at: instant)
    }

    /// When it had none, whatever the SDK knew of it, but for what the timeline did.
    var radioGaps: [Range<Instant>] {
        var radio = RadioTrace(plan, index: index, schedule: schedule)
        return radio.gaps(until: end)
    }

    /// An instant that a file tells in whole microseconds, rounded down: within the session that began in that one.
    func exact(_ told: Instant) -> Instant {
        let latest = told + Interval(nanoseconds: 999)
        return life.session(at: told) == nil && life.session(at: latest) != nil ? latest : told
    }

    /// Radio and session of a capture, in words.
    func capture(at instant: Instant) -> String {
        let radio = radio(at: instant)
        return "captured \(radio == .none ? "without a radio" : "on \(radio.name)"), \(session(at: instant))"
    }

    /// Where the user was at an instant: `in session 2 (since +00:01:02.003)`.
    func session(at instant: Instant) -> String {
        guard let session = life.session(at: instant) else { return "while the app was not in front" }
        return "in session \(session.number) (since \(clock.offset(session.from)))"
    }

    /// The version of the app that a process was started of.
    func update(to number: Int) -> String {
        let text = plan.rollOuts.indices.contains(number - 1) ? ": \(plan.rollOuts[number - 1].text)" : ""
        return "the app was launched with the rules of a roll-out\(text)"
    }

    /// How the app's process came to the end that is told of at an instant.
    ///
    /// A live run's machine is late, by little or by much, and by then has done all that was due: the latest end is the one.
    func death(at instant: Instant) -> String {
        switch life.deaths.last(where: { $0.at <= instant })?.cause {
        case .crash: return "the app crashed"
        case .kill: return "the app's process was killed"
        case .uninstall: return "the app was deleted"
        case .background, nil: return "the app's process died in the background"
        }
    }

    /// Type and name of an event.
    func name(_ label: UInt16) -> String {
        let label = labels[Int(label)]
        return label.name.isEmpty ? label.type : "\(label.type) \(label.name)"
    }
}

/// How a story tells times: since the run's start, in UTC, and as the device's user reads them.
struct StoryClock {
    let start: Instant
    let zone: UTCOffsets

    /// Since the run's start: `+00:01:03.250`, `+2d 03:04:05.006`.
    func offset(_ instant: Instant) -> String {
        let (sign, length) = instant < start ? ("-", start - instant) : ("+", instant - start)
        let time = CivilTime(Instant(nanoseconds: length.nanoseconds))
        let days = length.nanoseconds / Interval.hours(24).nanoseconds
        return sign + (days > 0 ? "\(days)d " : "") + StoryClock.time(time)
    }

    /// All three.
    func text(_ instant: Instant) -> String {
        let local = CivilTime(instant, offset: zone.offset(at: instant).offset)
        let civil = CivilTime(instant)
        let date = local.dateText == civil.dateText ? "" : "\(local.dateText) "
        return "\(offset(instant))  \(civil.dateText) \(StoryClock.time(civil))  \(date)\(local.timeText)"
    }

    private static func time(_ civil: CivilTime) -> String {
        String(civil.text.dropFirst(civil.dateText.count + 1))
    }

    /// A length for people: `250 ms`, `17.54 s`, `2m3s`.
    static func words(_ length: Interval) -> String {
        let milliseconds = (length.nanoseconds + 500_000) / 1_000_000
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        guard milliseconds >= 60_000 else {
            return JSONNode.digits(of: Double((milliseconds + 5) / 10) / 100) + " s"
        }
        return Interval.seconds((milliseconds + 500) / 1000).text
    }
}
