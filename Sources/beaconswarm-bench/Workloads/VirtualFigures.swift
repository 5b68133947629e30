import Accounting
import AppModel
import DeviceSDK
import Foundation
import Measurement
import SensorsSDK
import Timebase
import VirtualEngine
import World

/// Virtual time: the event queue alone, and whole devices behind it; one core.
enum VirtualFigures {
    static func measure(_ rounds: Rounds, isQuick: Bool) async -> [Figure] {
        var figures: [Figure] = []
        for size in isQuick ? [1000, 100_000] : [1000, 100_000, 1_000_000] {
            figures += await turns(devices: size).measure(rounds)
        }
        if simPy == nil { figures.append(.skip("SimPy 4", "wakes", because: "it is not installed")) }
        figures += await weeks().measure(rounds)
        figures += memory(devices: isQuick ? 20_000 : 200_000)
        return figures
    }

    /// The queue, whole devices and SimPy's, in turn.
    private static func turns(devices: Int) -> Turns {
        var turns = Turns()
        let queue = turns.add(
            wakes("event queue alone", devices) { seconds in
                var wheel = TimerWheel(origin: Fixture.start)
                fill(devices: devices) { wheel.insert($0) }
                return turn(seconds, take: { wheel.popFirst() }, put: { wheel.insert($0) })
            })
        _ = turns.add(
            wakes("bare 4-ary heap, to compare", devices) { seconds in
                var heap = MinHeap<Wake>()
                fill(devices: devices) { heap.insert($0) }
                return turn(seconds, take: { heap.popFirst() }, put: { heap.insert($0) })
            })
        let offline = turns.add(wakes(of: .offline, devices))
        let measured = turns.add(wakes(of: .measured, devices))
        turns.compare(offline, to: queue, goal: devices == 100_000 ? "≥ 0.35" : "")
        // A million devices that upload, or that Python has, would take minutes a round.
        guard devices <= 100_000 else { return turns }
        let written = turns.add(wakes(of: .written, devices))
        turns.compare(measured, to: written, goal: "≥ 10")
        guard let simPy else { return turns }
        for (own, part, goal) in [(offline, "offline", "≥ 10"), (measured, "with uploads", "≥ 3")] {
            let peer = turns.add(
                wakes("SimPy 4, \(part)", devices) { seconds in
                    let output = Programs.run(
                        simPy.python, [simPy.script, "\(devices)", "\(seconds)", part])?.output
                    return output.flatMap { Double($0.split(separator: "\n").last ?? "") }
                })
            turns.compare(own, to: peer, goal: goal)
        }
        return turns
    }

    private static func wakes(
        _ group: String, _ devices: Int, note: String = "", _ round: @escaping (Double) -> Double?
    ) -> Turns.Workload {
        Turns.Workload(group: group, name: "\(devices) devices", unit: "wakes/s", note: note, round: round)
    }

    private static func wakes(of mode: Mode, _ devices: Int) -> Turns.Workload {
        wakes(mode.group, devices, note: mode.note) { wakes(devices: devices, seconds: $0, mode) }
    }

    /// The same kind of fleet in SimPy 4, without bytes and books: see `.ci/bench-simpy.py`. `nil` where it is not
    /// installed.
    private static var simPy: (python: String, script: String)? {
        guard let python = Programs.find("python"),
            let script = ProcessInfo.processInfo.environment["BENCH_SIMPY"]
        else { return nil }
        return (python, script)
    }

    private static func weeks() -> Turns {
        var turns = Turns()
        let (measured, written) = (turns.add(week(.measured)), turns.add(week(.written)))
        turns.compare(measured, to: written, goal: "≥ 11")
        return turns
    }

    private static func week(_ mode: Mode) -> Turns.Workload {
        Turns.Workload(
            group: "a week, \(mode.note)", name: "1000 devices", unit: "events/s",
            round: { _ in weekRate(mode) })
    }

    /// What becomes of what devices capture.
    private enum Mode: CaseIterable {
        case offline, measured, written

        var group: String {
            switch self {
            case .offline: "virtual time, devices offline"
            case .measured: "virtual time, with uploads measured"
            case .written: "virtual time, with uploads"
            }
        }

        var note: String {
            switch self {
            case .offline: "4.9.1, casual users of the shop"
            case .measured: "events pass by reference"
            case .written: "each body is made and read"
            }
        }
    }

    /// Events captured per second by 1000 casual users' devices in a week, the fitting of sizes included.
    private static func weekRate(_ mode: Mode) -> Double {
        let begin = Machine.seconds
        let (fleet, configuration) = SimulatedRun.prepare(
            .v4, devices: 1000, duration: .hours(7 * 24), uploads: true, opensAtArrival: false,
            measures: mode == .measured)
        let result = SimulatedRun.run([fleet], configuration)
        return Double(result.recorder.total.ledger.captured) / (Machine.seconds - begin)
    }

    private static let span = UInt64(Interval.seconds(20).nanoseconds)

    /// One entry for each device, within 20 s.
    static func fill(devices: Int, _ put: (Wake) -> Void) {
        var stream = RandomStream(key: 1)
        for device in 0..<devices {
            let delay = Interval(nanoseconds: Int64(stream.below(span)))
            put(Wake(time: Fixture.start + delay, device: UInt32(device), sequence: 0))
        }
    }

    /// Takes the earliest entry and puts one for the same device up to 20 s later.
    static func turn(_ seconds: Double, take: () -> Wake?, put: (Wake) -> Void) -> Double {
        var stream = RandomStream(key: 2)
        return EventFigures.perSecond(seconds, items: 1000) {
            for _ in 0..<1000 {
                guard var wake = take() else { return }
                wake.time = wake.time + Interval(nanoseconds: Int64(stream.below(span)))
                wake.sequence &+= 1
                put(wake)
            }
        }
    }

    /// Wakes per second from the start of a run to the sealing of its last event; making the devices
    /// apart. All devices are there from the start, and the simulated time is so long that the wakes
    /// take about the given seconds, four weeks at most.
    private static func wakes(devices: Int, seconds: Double, _ mode: Mode) -> Double {
        let uploads = mode != .offline
        // A casual user's device wakes some twenty times a day.
        // The first wake of each, at its arrival, does nothing: it must be one among several.
        let wanted = max(
            seconds * (mode == .written ? 30_000 : 700_000), Double(devices) * (mode == .written ? 3 : 10))
        let minutes = min(28 * 24 * 60, max(2, wanted / Double(devices) * 72))
        let (fleet, configuration) = SimulatedRun.prepare(
            .v4, devices: devices, duration: .minutes(Int64(minutes)), uploads: uploads,
            opensAtArrival: false, measures: mode == .measured)
        let begin = Machine.seconds
        let result = SimulatedRun.run([fleet], configuration)
        return Double(result.wakes) / (Machine.seconds - begin)
    }

    /// Bytes of memory per device that only exists, and per event in its store; each measured by a
    /// process of its own, whose memory nothing else has used before.
    private static func memory(devices: Int) -> [Figure] {
        guard let program = Bundle.main.executablePath else { return [] }
        func figure(_ name: String, _ mode: String, _ count: Int, goal: String, _ note: String) -> Figure {
            let output = Programs.run(program, ["memory", mode, "\(count)"])?.output
            let value = output.flatMap { Double($0.split(separator: "\n").first ?? "") }
            guard let value else { return .skip("memory", name, because: "the process failed") }
            let figure = Figure(
                group: "memory", name: name, unit: "bytes", values: [value], goal: goal, note: note)
            Output.note(figure.line)
            return figure
        }
        return [
            figure("idle device", "idle", devices, goal: "≤ 400", "resident set, \(devices) devices"),
            figure(
                "stored event", "stored", devices / 100, goal: "≤ 36",
                "resident set, \(devices / 100) devices of 1000 rows"),
        ]
    }

    /// The resident bytes per device or per stored event.
    static func measureMemory(_ mode: String, devices: Int) -> Double {
        let rows = 1000
        let plan = Fixture.plan(.v4, devices: devices, duration: .hours(1)) {
            if mode == "stored" { $0.storage.prefill = rows }
        }
        // What is made once is made before.
        _ = makeFleet(plan: Fixture.plan(.v4, devices: 1), share: .whole)
        let before = Machine.residentBytes
        let fleet = makeFleet(plan: plan, share: .whole)
        if mode != "stored" { return Double(Machine.residentBytes - before) / Double(fleet.deviceCount) }
        let made = Machine.residentBytes
        var effects = DeviceEffects()
        for slot in 0..<fleet.deviceCount {
            // To the moment before its user acts.
            _ = fleet.setNetwork(.to(.none), of: slot, at: Fixture.start, effects: &effects)
            _ = fleet.advance(slot, through: Fixture.start, effects: &effects)
            effects.removeAll()
        }
        return Double(Machine.residentBytes - made) / max(1, Double(fleet.storedCount))
    }
}
