import Accounting
import Foundation
import Measurement
import SensorsSDK
import Timebase
import VirtualEngine

/// What a fleet costs as it grows: a day of casual users in `measure`, from a thousand devices to a million, each size in a
/// process of its own. Rates are also told as shares of what the bare queue does in the same process, since those depend
/// little on the machine.
enum ScaleFigures {
    private static let sizes = [1000, 10_000, 100_000, 1_000_000]

    static func measure(_ rounds: Rounds, isQuick: Bool) -> [Figure] {
        let sizes = isQuick ? Array(sizes.dropLast()) : sizes
        let days = sizes.map { size in (0..<rounds.count).compactMap { _ in day(of: size) } }
        var figures: [Figure] = []
        func add(_ name: String, _ unit: String, goal: String = "", _ value: (Day) -> Double) {
            for (size, days) in zip(sizes, days) {
                let label = "\(Output.number(Double(size))) devices"
                figures.append(
                    days.isEmpty
                        ? .skip(name, label, because: "the process failed")
                        : Figure(group: name, name: label, unit: unit, values: days.map(value), goal: goal))
            }
        }
        add("a day, CPU per event", "ns") { $0.seconds * 1e9 / $0.events }
        add("a day, wakes against the bare queue", "×") { $0.wakes / $0.seconds / $0.bareWakes }
        add("a day, most memory per device", "bytes") { $0.peakBytes / Double($0.devices) }
        for figure in figures { Output.note(figure.line) }
        Output.note(picture(figures.filter { $0.skipped == nil && $0.unit == "ns" }))
        return figures
    }

    /// A row of blocks for each figure, the longest for the largest.
    private static func picture(_ figures: [Figure]) -> String {
        let most = figures.map(\.median).max() ?? 1
        return figures.map { figure in
            let length = Int((figure.median / most * 50).rounded())
            let name = String(repeating: " ", count: max(0, 16 - figure.name.count)) + figure.name
            return
                "\(name) \(String(repeating: "█", count: length)) \(Output.number(figure.median)) \(figure.unit)"
        }.joined(separator: "\n")
    }

    /// What one process measured.
    private struct Day {
        var devices: Int
        /// CPU time from the making of the devices to the sealing of the last event.
        var seconds: Double
        var events: Double
        var wakes: Double
        /// By how much the process grew, at most.
        var peakBytes: Double
        /// Wakes per second of the event queue alone.
        var bareWakes: Double
    }

    private static func day(of devices: Int) -> Day? {
        guard let program = Bundle.main.executablePath,
            let output = Programs.run(program, ["scale", "\(devices)"])?.output
        else { return nil }
        let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 5, numbers[1] > 0 else { return nil }
        return Day(
            devices: devices, seconds: numbers[0], events: numbers[1], wakes: numbers[2],
            peakBytes: numbers[3], bareWakes: numbers[4])
    }

    /// Plays a day: seconds, events, wakes, bytes of memory, and wakes per second of the bare queue.
    static func measureDay(devices: Int) -> String {
        // The sizes are fitted, and what is made once is made, before.
        let configuration = SimulatedRun.configuration(
            .v4, devices: devices, duration: .hours(24), uploads: true, opensAtArrival: false,
            measures: true)
        let before = Machine.residentBytes
        let begin = Machine.processSeconds
        let result = SimulatedRun.play(configuration)
        let seconds = Machine.processSeconds - begin
        let peak = Machine.peakResidentBytes - before
        var wheel = TimerWheel(origin: Fixture.start)
        VirtualFigures.fill(devices: devices) { wheel.insert($0) }
        let (clock, processor) = (Machine.seconds, Machine.processSeconds)
        let rate = VirtualFigures.turn(1, take: { wheel.popFirst() }, put: { wheel.insert($0) })
        // By CPU time as above: others may use the machine.
        let bare = rate * (Machine.seconds - clock) / (Machine.processSeconds - processor)
        let events = result.recorder.total.ledger.captured
        return "\(seconds) \(events) \(result.wakes) \(peak) \(bare)"
    }
}
