import AppModel
import DeviceSDK
import Foundation
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
                    queue(devices: size, seconds: seconds)
                })
        }
        for uploads in [false, true] {
            let group = uploads ? "virtual time, with uploads" : "virtual time, devices offline"
            // A million devices that upload would take minutes a round.
            for size in sizes where !uploads || size <= 100_000 {
                let goal = size == 100_000 ? "≥ 3 M" : size == 1_000_000 ? "≥ 1 M" : ""
                figures.append(
                    await rounds.figure(
                        group, "\(size) devices", unit: "wakes/s", goal: uploads ? "" : goal,
                        note: uploads ? "each body is made and read" : "4.9.1, casual users of the shop"
                    ) { seconds in
                        wakes(devices: size, seconds: seconds, uploads: uploads)
                    })
            }
        }
        figures += memory(devices: isQuick ? 20_000 : 200_000)
        return figures
    }

    /// Takes the earliest entry and puts one for the same device up to 20 s later.
    private static func queue(devices: Int, seconds: Double) -> Double {
        var wheel = TimerWheel(origin: Fixture.start)
        var stream = RandomStream(key: 1)
        let span = UInt64(Interval.seconds(20).nanoseconds)
        for device in 0..<devices {
            let delay = Interval(nanoseconds: Int64(stream.below(span)))
            wheel.insert(Wake(time: Fixture.start + delay, device: UInt32(device), sequence: 0))
        }
        return EventFigures.perSecond(seconds, items: 1000) {
            for _ in 0..<1000 {
                guard var wake = wheel.popFirst() else { return }
                wake.time = wake.time + Interval(nanoseconds: Int64(stream.below(span)))
                wake.sequence &+= 1
                wheel.insert(wake)
            }
        }
    }

    /// Wakes per second from the start of a run to the sealing of its last event; making the devices
    /// apart. All devices are there from the start, and the simulated time is so long that the wakes
    /// take about the given seconds, four weeks at most.
    private static func wakes(devices: Int, seconds: Double, uploads: Bool) -> Double {
        // A casual user's device wakes some twenty times a day.
        // The first wake of each, at its arrival, does nothing: it must be one among several.
        let wanted = max(seconds * (uploads ? 30_000 : 700_000), Double(devices) * (uploads ? 3 : 10))
        let minutes = min(28 * 24 * 60, max(2, wanted / Double(devices) * 72))
        let (fleet, configuration) = SimulatedRun.prepare(
            .v4, devices: devices, duration: .minutes(Int64(minutes)), uploads: uploads,
            opensAtArrival: false)
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
            _ = fleet.setNetwork(.none, of: slot, at: Fixture.start, effects: &effects)
            _ = fleet.advance(slot, through: Fixture.start, effects: &effects)
            effects.removeAll()
        }
        return Double(Machine.residentBytes - made) / max(1, Double(fleet.storedCount))
    }
}
