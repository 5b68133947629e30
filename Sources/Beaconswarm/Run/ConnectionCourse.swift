import DeviceSDK
import LiveEngine
import Timebase

/// The connections that the devices of a sample keep, over a run, where each has its own.
///
/// A request takes the free connection that was used last, or a new one where none is free. So a device has as many as it
/// had requests side by side within the time for which a connection is kept. How long answers take, no sample knows: each
/// counts as if it took ``answerTime``.
struct ConnectionCourse {
    /// What answers take at most, unless a target is in trouble.
    static let answerTime = Interval.seconds(1)
    /// Intervals of a course; those of longer runs are longer.
    private static let intervalLimit: Int64 = 1 << 16
    /// In how many intervals a connection is kept: as much more than there are at a moment may be counted.
    private static let intervalsKept: Int64 = 16

    private let perDevice: Int
    private let answerTime: Interval
    /// From the beginning of its last request.
    private let keptTime: Interval
    private let width: Interval
    /// Of the first connection of a device, the second and so on: how many more devices have it in an interval than in
    /// the one before.
    private var changes: [[Int]] = []
    private var devices: [Device] = []

    /// A device that is being played, by moments of the run.
    private struct Device {
        /// Requests that may be without an answer.
        var open: [Interval] = []
        /// From when until when it has each connection.
        var kept: [Range<Interval>] = []
    }

    /// - Parameters:
    ///   - perDevice: Connections that a device may have.
    ///   - staysOpen: Whether a connection outlives its request.
    ///   - pace: Seconds of the run in a real one.
    init(perDevice: Int, staysOpen: Bool, schedule: RunSchedule, pace: Int) {
        self.perDevice = perDevice
        answerTime = ConnectionCourse.answerTime.stretched(by: Int64(pace))
        keptTime =
            answerTime + (staysOpen ? LiveConfiguration.idleLimit.stretched(by: Int64(pace)) : .zero)
        var width = keptTime / ConnectionCourse.intervalsKept
        let least = (schedule.duration + schedule.drain) / ConnectionCourse.intervalLimit
        while width < least { width = width * 2 }
        self.width = width
    }

    /// Notes that a device sends a request, in the order of time.
    ///
    /// - Parameter slot: Of the devices that are played together.
    mutating func note(_ slot: Int, at moment: Interval) {
        while devices.count <= slot { devices.append(Device()) }
        devices[slot].open.removeAll { $0 + answerTime <= moment }
        // More cannot be under way: the others wait.
        if devices[slot].open.count < perDevice { devices[slot].open.append(moment) }
        for index in devices[slot].open.indices { keep(index, of: slot, from: moment) }
    }

    private mutating func keep(_ index: Int, of slot: Int, from moment: Interval) {
        let end = moment + keptTime
        guard index < devices[slot].kept.count else { return devices[slot].kept.append(moment..<end) }
        let before = devices[slot].kept[index]
        if moment <= before.upperBound {
            devices[slot].kept[index] = before.lowerBound..<end
        } else {
            count(before, index)
            devices[slot].kept[index] = moment..<end
        }
    }

    /// The devices were played to their end; others follow.
    mutating func endDevices() {
        for device in devices {
            for (index, kept) in device.kept.enumerated() { count(kept, index) }
        }
        devices = []
    }

    private mutating func count(_ kept: Range<Interval>, _ index: Int) {
        while changes.count <= index { changes.append([]) }
        change(index, at: kept.lowerBound, by: 1)
        change(index, at: kept.upperBound + width, by: -1)
    }

    private mutating func change(_ index: Int, at moment: Interval, by count: Int) {
        let interval = Int(moment.nanoseconds / width.nanoseconds)
        while changes[index].count <= interval { changes[index].append(0) }
        changes[index][interval] += count
    }

    /// The most devices of the sample that have a connection at the same time, and the most connections.
    var peak: ConnectionsInUse {
        var peak = ConnectionsInUse(devices: 0, connections: 0)
        var levels = Array(repeating: 0, count: changes.count)
        // A device that has a further connection has its first one.
        for interval in (changes.first ?? []).indices {
            for index in changes.indices where interval < changes[index].count {
                levels[index] += changes[index][interval]
            }
            peak.devices = max(peak.devices, levels[0])
            peak.connections = max(peak.connections, levels.reduce(0, +))
        }
        return peak
    }

    /// The most that devices have of which some were played, but for one case in hundreds.
    ///
    /// - Parameters:
    ///   - all: How many they are.
    ///   - scale: Devices per device played.
    func most(ofDevices all: Int, scale: Double) -> ConnectionsInUse {
        let peak = peak
        guard peak.devices > 0 else { return peak }
        let played = Double(peak.devices)
        // Three standard errors of what comes of a sample; of all devices there is none.
        let error = 3 * (scale * (scale - 1).magnitude * played).squareRoot()
        let devices = min(Double(all), played * scale + error)
        let connections = min(
            Double(all) * Double(perDevice), devices * Double(peak.connections) / played)
        return ConnectionsInUse(
            devices: Int(devices.rounded(.up)), connections: Int(connections.rounded(.up)))
    }
}
