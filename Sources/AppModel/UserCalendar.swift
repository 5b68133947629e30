package import Timebase

/// What is decided about a population's users from outside: when their devices are there, how active
/// they are over time, and which notifications they get. One value for all devices.
///
/// Like everything about users it is a function of the seed and of the device's index; nothing that
/// an SDK or a collector does reaches it.
package struct UserCalendar: Sendable {
    /// The run's start.
    package var start: Instant
    package var deviceCount: Int
    package var arrival: ArrivalSchedule
    /// How fast time goes by between sessions, or between the events of a steady user; `nil` for
    /// evenly.
    package var activity: ActivityClock?
    /// In order of time.
    package var pushes: [PushNotification]
    /// The stream of a purpose of the device with that index.
    let streams: @Sendable (RandomStream.Purpose, Int) -> RandomStream

    package init(
        start: Instant, deviceCount: Int, arrival: ArrivalSchedule = ArrivalSchedule(),
        activity: ActivityClock? = nil, pushes: [PushNotification] = [],
        streams: @escaping @Sendable (RandomStream.Purpose, Int) -> RandomStream
    ) {
        self.start = start
        self.deviceCount = deviceCount
        self.arrival = arrival
        self.activity = activity
        self.pushes = pushes.sorted { $0.at < $1.at }
        self.streams = streams
    }

    /// The first time in which a device is there that ends after an instant, or from the start on;
    /// `nil` if there is none. It ends at ``Timebase/Instant/distantFuture`` if the device stays.
    ///
    /// - Complexity: O(log n) in the number of the arrival's stages.
    package func presence(of index: Int, endingAfter instant: Instant? = nil) -> Range<Instant>? {
        let place = arrival.position(index: index, count: deviceCount, stream: streams(.arrival, index))
        let offset = instant.map { $0 - start } ?? Interval(nanoseconds: -1)
        return arrival.presence(of: place, endingAfter: offset).map { time in
            start + time.lowerBound..<(time.upperBound == .forever ? .distantFuture : start + time.upperBound)
        }
    }

    /// When a device's user, who has had the app out of sight since `from`, opens it for a
    /// notification sent since then, if that is before `limit`.
    ///
    /// - Complexity: O(notifications until `limit`).
    func opening(of index: Int, since from: Instant, before limit: Instant) -> Instant? {
        var earliest = limit
        for (number, push) in pushes.enumerated() where push.at >= from {
            // Nobody answers before it is sent.
            if push.at >= earliest { break }
            var stream = streams(.push, index).child(UInt64(number))
            if let delay = push.reaction(&stream) { earliest = min(earliest, push.at + delay) }
        }
        return earliest < limit ? earliest : nil
    }
}

/// A notification that is sent to all devices of a population at once, and that makes a share of the
/// users open the app.
package struct PushNotification: Hashable, Sendable {
    package var at: Instant
    /// Share of the users who open the app for it, 0…1.
    package var share: Double
    /// The longest time after which somebody does.
    package var within: Interval

    package init(at: Instant, share: Double, within: Interval) {
        self.at = at
        self.share = share
        self.within = within
    }

    /// How many times the mean of the uncut reaction time fits into ``within``.
    private static let steepness = 3.0

    /// Draws whether a user opens the app, and how long that takes. Always two draws.
    ///
    /// The reaction time is exponential with a mean of a third of ``within``, cut there: half of those
    /// who come do so within 21.5 % of the time. The shape is an assumption; measured delays are
    /// skewed to the right like it, but over hours (Stach et al., Sensors 24, 2024, 2612).
    func reaction(_ stream: inout RandomStream) -> Interval? {
        let isConcerned = stream.chance(share)
        let steepness = PushNotification.steepness
        let uncut = 1 - DeterministicMath.exp(-steepness)
        let part = -DeterministicMath.log(1 - stream.uniform() * uncut) / steepness
        return isConcerned ? Interval(nanoseconds: Int64(Double(within.nanoseconds) * min(1, part))) : nil
    }
}
