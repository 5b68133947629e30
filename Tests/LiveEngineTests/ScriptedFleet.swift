import Accounting
import AppModel
import DeviceSDK
import Measurement
import NIOCore
import NIOPosix
import NIOSSL
import SensorsSDK
import Synchronization
import TestSupport
import Timebase
import Wire
import World

@testable import LiveEngine

/// What the devices of a test do, and when.
enum Step: Sendable {
    case upload(number: UInt32, timeout: Interval = .seconds(10))
    case config(number: UInt32)
    case offlineUpload(number: UInt32)
    case die
    /// Waits until no request is open; the times of what follows count from that moment.
    case awaitAnswers
    /// An event is captured, and sealed as delivered at once.
    case seal
}

/// What was done to the devices of a test.
final class FleetLog: Sendable {
    enum Entry: Equatable, Sendable {
        case encoded(device: UInt32, number: UInt32)
        case completed(device: UInt32, number: UInt32, RequestOutcome)
        case givenBack(device: UInt32, number: UInt32)
        case network(device: UInt32, NetworkChange)
        case usersStopped
        case finished
    }

    private let entries = Mutex<[Entry]>([])
    func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }
    var all: [Entry] { entries.withLock { $0 } }
    var outcomes: [RequestOutcome] {
        all.compactMap { if case .completed(_, _, let outcome) = $0 { outcome } else { nil } }
    }
    /// Numbers of the requests that came back unsent.
    var givenBack: [UInt32] {
        all.compactMap { if case .givenBack(_, let number) = $0 { number } else { nil } }
    }
}

/// Devices that do what a script says.
final class ScriptedFleet: DeviceFleet {
    typealias Script = [(at: Interval, step: Step)]

    private let plan: PopulationPlan
    private let share: ShardShare
    private let log: FleetLog
    private var scripts: [ArraySlice<(at: Interval, step: Step)>]
    private var bases: [Instant]
    private var openRequests: [Int]
    private var captured: [UInt32]
    private var isStopped = false
    let bodySize: Int

    init(
        plan: PopulationPlan, share: ShardShare, log: FleetLog, bodySize: Int, script: (Int) -> Script
    ) {
        self.plan = plan
        self.share = share
        self.log = log
        self.bodySize = bodySize
        let count = share.deviceCount(of: plan.deviceCount)
        scripts = (0..<count).map { script(share.populationIndex(ofSlot: $0))[...] }
        bases = Array(repeating: plan.start, count: count)
        openRequests = Array(repeating: 0, count: count)
        captured = Array(repeating: 0, count: count)
    }

    var deviceCount: Int { scripts.count }
    var populationIndex: Int { plan.index }
    var labels: [EventLabel] { [EventLabel(type: "track", name: "Scripted")] }
    func globalNumber(of slot: Int) -> UInt32 {
        plan.firstDevice + UInt32(share.populationIndex(ofSlot: slot))
    }
    func arrival(of slot: Int) -> Instant { plan.start }

    func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        while let next = scripts[slot].first, wake(slot) <= now {
            let due = wake(slot)
            scripts[slot].removeFirst()
            if case .awaitAnswers = next.step { bases[slot] = now }
            perform(next.step, slot: slot, at: due, effects: &effects)
        }
        return wake(slot)
    }

    private func wake(_ slot: Int) -> Instant {
        guard !isStopped, let next = scripts[slot].first else { return .distantFuture }
        if case .awaitAnswers = next.step { return openRequests[slot] == 0 ? bases[slot] : .distantFuture }
        return bases[slot] + next.at
    }

    private func perform(_ step: Step, slot: Int, at: Instant, effects: inout DeviceEffects) {
        func request(
            _ kind: RequestNumber.Kind, _ number: UInt32, timeout: Interval = .seconds(10),
            network: NetworkKind = .wifi
        ) {
            openRequests[slot] += 1
            effects.requests.append(
                OutgoingRequest(
                    slot: UInt32(slot), number: RequestNumber(kind: kind, number: number), plannedAt: at,
                    timeout: timeout, eventCount: kind == .upload ? 1 : 0, isRetry: false, network: network))
        }
        switch step {
        case .upload(let number, let timeout): request(.upload, number, timeout: timeout)
        case .config(let number): request(.config, number)
        case .offlineUpload(let number): request(.upload, number, network: .none)
        case .awaitAnswers: break
        case .die:
            openRequests[slot] = 0
            effects.died.append(UInt32(slot))
        case .seal:
            effects.sealed.append(
                SealedEvent(
                    id: EventID(device: globalNumber(of: slot), sequence: captured[slot]), label: 0,
                    attempts: 1,
                    disposition: .delivered, capturedAt: at, ackedAt: at))
            captured[slot] += 1
        }
    }

    func encode(_ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer)
        -> RequestHead
    {
        log.note(.encoded(device: globalNumber(of: slot), number: request.number))
        if request.kind == .config { return RequestHead(method: .get, path: "/config", headerLines: "") }
        body.append("device=\(globalNumber(of: slot))&upload=\(request.number)&")
        for _ in 0..<bodySize { body.append(0x78) }
        return RequestHead(
            method: .post, path: "/sa?project=p", headerLines: "User-Agent: Test\r\nX-Env: test\r\n")
    }

    func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        log.note(.completed(device: globalNumber(of: slot), number: request.number, outcome))
        openRequests[slot] -= 1
        if case .answered(let status, _, _, _) = outcome { effects.isAcknowledged = status / 100 == 2 }
        if openRequests[slot] == 0, case .awaitAnswers = scripts[slot].first?.step {
            bases[slot] = now
            scripts[slot].removeFirst()
        }
        return wake(slot)
    }

    func giveBack(_ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant) {
        log.note(.givenBack(device: globalNumber(of: slot), number: request.number))
        openRequests[slot] -= 1
    }

    func setNetwork(_ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects)
        -> Instant
    {
        log.note(.network(device: globalNumber(of: slot), change))
        return wake(slot)
    }

    func stopUsers(at now: Instant) {
        log.note(.usersStopped)
        isStopped = true
    }

    /// Holds the run up until its script is at the end.
    func isDraining(_ slot: Int) -> Bool { !isStopped && !scripts[slot].isEmpty }
    func finish(_ slots: Range<Int>, effects: inout DeviceEffects) { log.note(.finished) }
    var capturedCount: UInt64 { captured.reduce(0) { $0 + UInt64($1) } }
    func capturedCount(of slot: Int) -> UInt32 { captured[slot] }
    var storedCount: UInt64 { UInt64(foregroundCount) }
    var startedCount: Int { deviceCount }
    var foregroundCount: Int { scripts.indices.count { isDraining($0) } }
    var planFingerprint: UInt64 { 7 }
}
