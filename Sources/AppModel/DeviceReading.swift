package import Timebase

/// What an app's callback reads off its device each time that the SDK asks for dynamic super properties.
package enum DeviceReading: String, CaseIterable, Hashable, Sendable {
    /// Per cent, rounded down.
    case batteryLevel
    /// The system's appearance.
    case isDarkMode
    /// Somebody has signed up or logged in, and not logged out since.
    case isSignedIn

    package enum Value: Hashable, Sendable {
        case number(UInt64)
        case flag(Bool)
    }
}

/// A device at the moment of an event, as far as readings tell of it.
///
/// A function of the device's stream and of its local time: nothing is kept on a device, and an event reads
/// the same each time that it is encoded. All numbers are assumptions; see the Models article.
package struct DeviceMoment: Hashable, Sendable {
    /// The device's own stream, of which children tell its owner's habits.
    private let device: RandomStream
    /// What a clock on the wall shows.
    private let localTime: Instant
    private let isSignedIn: Bool

    /// - Parameters:
    ///   - device: The device's stream of properties.
    ///   - capturedAt: The time on the device's clock.
    ///   - zone: How far local time is ahead of UTC.
    package init(device: RandomStream, capturedAt: Instant, zone: Interval, isSignedIn: Bool) {
        self.device = device
        localTime = capturedAt + zone
        self.isSignedIn = isSignedIn
    }

    package func value(of reading: DeviceReading) -> DeviceReading.Value {
        switch reading {
        case .batteryLevel: .number(UInt64(batteryLevel))
        case .isDarkMode: .flag(isDarkMode)
        case .isSignedIn: .flag(isSignedIn)
        }
    }

    /// Far from the children that belong to events and to registered properties.
    private static let habits: UInt64 = 3 << 40

    /// Seconds of some hours.
    private static func hours(_ count: Double) -> Double { count * 3600 }

    /// The local day, counted from 1970, and the seconds that have gone by of it.
    private var clock: (day: Int64, seconds: Double) {
        let length = Interval.hours(24).nanoseconds
        let rest = localTime.nanoseconds % length
        let since = rest < 0 ? rest + length : rest
        return ((localTime.nanoseconds - since) / length, Double(since) / 1e9)
    }

    /// Full when its owner gets up, falls evenly over the day, and is charged from the evening on, half of it
    /// in an hour: so it never jumps.
    private var batteryLevel: Double {
        let habits = device.child(DeviceMoment.habits)
        var own = habits
        let morning = DeviceMoment.hours(6 + 2.5 * own.uniform())
        let evening = DeviceMoment.hours(21.5 + 2.25 * own.uniform())
        var (day, seconds) = clock
        let isNight = seconds < morning
        // What is left of the night belongs to the day before.
        if isNight { (day, seconds) = (day - 1, seconds + DeviceMoment.hours(24)) }
        var thatDay = habits.child(UInt64(bitPattern: day))
        let lowest = 5 + 50 * thatDay.uniform()
        if isNight || seconds >= evening {
            return min(100, lowest + (seconds - evening) * 100 / DeviceMoment.hours(2))
        }
        return 100 - (100 - lowest) * (seconds - morning) / (evening - morning)
    }

    /// On a quarter of all devices always, on a fifth from seven in the evening to seven in the morning, else
    /// never.
    private var isDarkMode: Bool {
        var own = device.child(DeviceMoment.habits + 1)
        let habit = own.uniform()
        guard habit < 0.45 else { return false }
        let seconds = clock.seconds
        return habit < 0.25 || seconds < DeviceMoment.hours(7) || seconds >= DeviceMoment.hours(19)
    }
}
