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
        let sizes = isQuick ? [1000, 100_000] : [1000, 100_000, 1_000_000]
        for size in sizes {
            figures.append(
                await rounds.figure("event queue alone", "\(size) devices", unit: "wakes/s") { seconds in
                    var wheel = TimerWheel(origin: Fixture.start)
                    fill(devices: size) { wheel.insert($0) }
                    return turn(seconds, take: { wheel.popFirst() }, put: { wheel.insert($0) })
                })
            figures.append(
                await rounds.figure(
                    "bare 4-ary heap, to compare", "\(size) devices", unit: "wakes/s"
                ) { seconds in
                    var heap = MinHeap<Wake>()
                    fill(devices: size) { heap.insert($0) }
                    return turn(seconds, take: { heap.popFirst() }, put: { heap.insert($0) })
                })
        }
        for mode in Mode.allCases {
            // A million devices that upload would take minutes a round.
            for size in sizes where mode != .written || size <= 100_000 {
                figures.append(
                    await rounds.figure(
                        mode.group, "\(size) devices", unit: "wakes/s", goal: mode.goal(devices: size),
                        note: mode.note
                    ) { seconds in
                        wakes(devices: size, seconds: seconds, mode)
                    })
            }
        }
        figures += await simPy(rounds)
        for mode in [Mode.written, .measured] {
            figures.append(
                await rounds.figure(
                    "a week", mode.note, unit: "events/s",
                    goal: mode == .measured ? "≥ 11 × written" : "", note: "1000 devices"
                ) { _ in week(mode) })
        }
        figures += memory(devices: isQuick ? 20_000 : 200_000)
        return figures
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

        func goal(devices: Int) -> String {
            switch self {
            case .offline: devices == 100_000 ? "≥ 0.35 × the queue" : devices == 1_000_000 ? "≥ 1 M" : ""
            case .measured: devices <= 100_000 ? "≥ 10 × written" : ""
            case .written: ""
            }
        }
    }

    /// The same kind of fleet in SimPy 4, without bytes and books: see `.ci/bench-simpy.py`.
    private static func simPy(_ rounds: Rounds) async -> [Figure] {
        guard let python = Programs.find("python"),
            let script = ProcessInfo.processInfo.environment["BENCH_SIMPY"]
        else { return [.skip("SimPy", "steps", because: "it is not installed")] }
        var figures: [Figure] = []
        for part in ["offline", "with uploads"] {
            figures.append(
                await rounds.figure("SimPy 4", "1000 devices \(part)", unit: "wakes/s") { seconds in
                    let output = Programs.run(python, [script, "1000", "\(seconds)", part])?.output ?? ""
                    return Double(output.split(separator: "\n").last ?? "") ?? 0
                })
        }
        return figures
    }

    /// Events captured per second by 1000 casual users' devices in a week, the fitting of sizes included.
    private static func week(_ mode: Mode) -> Double {
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
