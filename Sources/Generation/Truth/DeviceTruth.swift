import Accounting
import Datasets
import DeviceSDK
import Timebase
import World

/// What became of an event, as tables and answers tell it.
struct TruthEvent {
    /// The population's index in the scenario.
    var population: Int
    /// Index into the labels of its system.
    var label: Int
    /// Milliseconds since 1970, on the run's clock.
    var capturedAt: Int64
    /// Counted from 1970-01-01 in the dataset's zone.
    var day: Int64
    var radio: NetworkKind
    var disposition: Disposition
    /// Its rows in `events`.
    var copies: Int
    /// Milliseconds until the first of them arrived.
    var lateness: Int64?

    /// Whether it was recorded at all.
    var counts: Bool { disposition.fate != .suppressed }
    var hasArrived: Bool { copies > 0 }
    /// Whether it is gone for good.
    var isLost: Bool { [.evicted, .rejected, .lost].contains(disposition.fate) }
}

/// A device while its truth is being written.
struct DeviceTruth {
    let number: UInt32
    let index: Int
    let plan: PopulationPlan
    let life: DeviceLife
    let skew: Interval
    var radio: RadioTrace
    let user: String
    let system: String
    let identity: DeviceIdentity

    /// Days with events that count.
    private(set) var activeDays: Set<Int64> = []
    /// By session.
    private(set) var counts: [Int: (captured: Int, arrived: Int)] = [:]
    private(set) var captured = 0
    private(set) var delivered = 0
    private(set) var suppressed = 0
    private(set) var lost = 0
    private(set) var pending = 0
    private(set) var arrived = 0
    private(set) var copies = 0
    /// The day of the event before.
    private var lastDay: Int64?
    /// The session of the event before, and its events so far: they join ``counts`` when another one comes.
    private var current: (number: Int, name: String, captured: Int, arrived: Int)?

    init(
        number: UInt32, index: Int, plan: PopulationPlan, system: String, life: DeviceLife, skew: Interval,
        radio: RadioTrace
    ) {
        self.number = number
        self.index = index
        self.plan = plan
        self.life = life
        self.skew = skew
        self.radio = radio
        user = "u\(number)"
        self.system = system
        identity = plan.system.identity(ofDevice: index, in: plan)
    }

    /// What a session is called.
    func text(of session: DeviceLife.Session) -> String { "\(number)-\(session.number)" }

    /// What the session of the event that was noted last is called.
    func name(of session: DeviceLife.Session?) -> String? {
        guard let session else { return nil }
        if let current, current.number == session.number { return current.name }
        return text(of: session)
    }

    mutating func note(_ event: TruthEvent, in session: DeviceLife.Session?) {
        captured += 1
        switch event.disposition.fate {
        case .delivered: delivered += 1
        case .suppressed: suppressed += 1
        case .evicted, .rejected, .lost: lost += 1
        case .pending: pending += 1
        }
        copies += event.copies
        if event.hasArrived { arrived += 1 }
        if event.counts, lastDay != event.day {
            activeDays.insert(event.day)
            lastDay = event.day
        }
        guard let session else { return }
        if current?.number != session.number {
            endSession()
            current = (session.number, text(of: session), 0, 0)
        }
        current?.captured += 1
        if event.hasArrived { current?.arrived += 1 }
    }

    /// Adds the events of the session that they were noted in last.
    mutating func endSession() {
        guard let current else { return }
        counts[current.number, default: (0, 0)].captured += current.captured
        counts[current.number, default: (0, 0)].arrived += current.arrived
        self.current = nil
    }
}

extension TableBatch {
    mutating func putOptional(_ text: String?) {
        if let text { put(text) } else { putNull() }
    }

    mutating func putOptional(_ number: Int64?) {
        if let number { put(number) } else { putNull() }
    }
}
