import AppModel
import DeviceSDK
import Timebase
import VirtualEngine

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
            for size in sizes {
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
        figures += await memory(devices: isQuick ? 20_000 : 200_000)
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
        let wanted = seconds * (uploads ? 30_000 : 700_000)
        let minutes = min(28 * 24 * 60, max(2, wanted / Double(devices) * 72))
        let (fleet, configuration) = SimulatedRun.prepare(
            .v4, devices: devices, duration: .minutes(Int64(minutes)), uploads: uploads,
            opensAtArrival: false)
        let begin = Machine.seconds
        let result = SimulatedRun.run([fleet], configuration)
        return Double(result.wakes) / (Machine.seconds - begin)
    }

    /// Bytes of memory per device that only exists, and per event in its store.
    private static func memory(devices: Int) async -> [Figure] {
        let before = Machine.residentBytes
        let idle = makeFleet(
            plan: Fixture.plan(.v4, devices: devices, duration: .hours(1)), share: .whole)
        let idleBytes = Double(Machine.residentBytes - before) / Double(idle.deviceCount)
        let perDevice = Figure(
            group: "memory", name: "idle device", unit: "bytes", values: [idleBytes], goal: "≤ 400",
            note: "resident set, \(devices) devices")
        Output.note(perDevice.line)
        let stored = 500
        let filled = Fixture.plan(.v4, devices: devices / 50, duration: .hours(1)) {
            $0.storage.prefill = stored
        }
        let start = Machine.residentBytes
        let fleet = makeFleet(plan: filled, share: .whole)
        var effects = DeviceEffects()
        let made = Machine.residentBytes
        for slot in 0..<fleet.deviceCount {
            _ = fleet.advance(slot, through: Fixture.start, effects: &effects)
            effects.removeAll()
        }
        let rows = max(1, Double(fleet.storedCount))
        let perEvent = Figure(
            group: "memory", name: "stored event", unit: "bytes",
            values: [Double(Machine.residentBytes - max(made, start)) / rows], goal: "≤ 36",
            note: "resident set, \(Int(rows)) rows")
        Output.note(perEvent.line)
        return [perDevice, perEvent]
    }
}
