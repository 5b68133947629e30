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
    /// Whether the run finds the users in the midst of their lives, instead of seeing each device arrive. Means
    /// nothing to users of a steady rate.
    package var startsInSteadyState: Bool
    /// How fast time goes by between sessions, or between the events of a steady user; `nil` for
    /// evenly.
    package var activity: ActivityClock?
    /// The same by the hour of the week, where the people are; means nothing beside ``activity``.
    package var week: WeekCurve?
    /// Where they are; see ``TimeZones``.
    package var zones: TimeZones
    /// In order of time.
    package var pushes: [PushNotification]
    /// How long people keep the app; `nil` for ever.
    package var retention: Retention?
    /// Who comes back after that; `nil` for nobody.
    package var reinstall: Reinstallation?
    /// Over how many seconds before the run those installed it whom the run finds in the midst of their lives.
    package var installedOver = 90 * 86_400.0
    /// What planted patterns change in what users do.
    package var patterns = UserPatterns() {
        didSet { pushes = UserCalendar.numbered(pushes.filter { $0.pattern == nil } + patterns.campaigns) }
    }
    /// The stream of a purpose of the device with that index.
    let streams: @Sendable (RandomStream.Purpose, Int) -> RandomStream

    package init(
        start: Instant, deviceCount: Int, arrival: ArrivalSchedule = ArrivalSchedule(),
        startsInSteadyState: Bool = false, activity: ActivityClock? = nil, week: WeekCurve? = nil,
        zones: TimeZones = TimeZones(), pushes: [PushNotification] = [],
        streams: @escaping @Sendable (RandomStream.Purpose, Int) -> RandomStream
    ) {
        self.start = start
        self.deviceCount = deviceCount
        self.arrival = arrival
        self.startsInSteadyState = startsInSteadyState
        self.activity = activity
        self.week = week
        self.zones = zones
        self.pushes = UserCalendar.numbered(pushes)
        self.streams = streams
    }

    /// In order of time; those of patterns are numbered apart, so that they move no draws of others.
    private static func numbered(_ pushes: [PushNotification]) -> [PushNotification] {
        var count: UInt64 = 0
        return pushes.sorted { $0.at < $1.at }.map { push in
            var push = push
            push.number = push.pattern?.stream ?? count
            if push.pattern == nil { count += 1 }
            return push
        }
    }

    /// The first time in which a device is there that ends after an instant, or from the start on;
    /// `nil` if there is none. It ends at ``Timebase/Instant/distantFuture`` if the device stays.
    ///
    /// - Complexity: O(log n) in the number of the arrival's stages.
    package func presence(of index: Int, endingAfter instant: Instant? = nil) -> Range<Instant>? {
        let position = arrival.position(index: index, count: deviceCount, stream: streams(.arrival, index))
        let offset = instant.map { $0 - start } ?? Interval(nanoseconds: -1)
        return arrival.presence(of: position, endingAfter: offset).map { time in
            start + time.lowerBound..<(time.upperBound == .forever ? .distantFuture : start + time.upperBound)
        }
    }

    /// The name of a device's time zone in the IANA database; `nil` where only its offset is known.
    package func zoneName(of index: Int) -> String? {
        zones.isNamed ? zones.names[zoneIndex(of: index)] : nil
    }

    /// The time zone of a device.
    ///
    /// - Complexity: O(log n) in the number of zones.
    package func zone(of index: Int) -> UTCOffsets {
        zones.table(streams(.zone, index))
    }

    /// Seconds for which a device's user has had the app at its arrival; `nil` where nothing tells.
    func ageAtArrival(of index: Int) -> Double? {
        guard let retention else { return startsInSteadyState ? nil : 0 }
        return firstInstallation(of: index, retention).age
    }

    /// Seconds after its arrival at which a device's user deletes the app; `nil` for never.
    func timeToUninstallation(of index: Int) -> Double? {
        retention.map { firstInstallation(of: index, $0).left }
    }

    /// How old the installation is that a device arrives with, and how many seconds it has left.
    private func firstInstallation(of index: Int, _ retention: Retention) -> (age: Double, left: Double) {
        var stream = streams(.installation, index)
        return retention.draw(oldest: startsInSteadyState ? installedOver : 0, &stream)
    }

    /// Whether a second between sessions takes equally long at all times.
    var flowsEvenly: Bool { activity == nil && week == nil }

    /// The instant at which `gap` of a device's user's time between sessions has gone by since another.
    func instant(after instant: Instant, gap: Interval, of index: Int) -> Instant {
        if let activity { return activity.instant(after: instant, activity: gap) }
        if let week { return week.instant(after: instant, activity: gap, in: zone(of: index)) }
        return instant + gap
    }

    /// How fast that time goes by; 1 on average.
    func speed(at instant: Instant, of index: Int) -> Double {
        activity?.speed(at: instant) ?? week?.speed(at: instant, in: zone(of: index)) ?? 1
    }

    /// When a device's user, who has had the app out of sight since `from`, opens it for a
    /// notification sent since then, if that is before `limit`.
    ///
    /// - Complexity: O(notifications until `limit`).
    func opening(of index: Int, since from: Instant, before limit: Instant) -> Instant? {
        var earliest = limit
        for push in pushes where push.at >= from {
            // Nobody answers before it is sent.
            if push.at >= earliest { break }
            var stream = streams(push.pattern == nil ? .push : .pattern, index).child(push.number)
            if let delay = push.reaction(&stream) { earliest = min(earliest, push.at + delay) }
        }
        return earliest < limit ? earliest : nil
    }
}

/// In which time zones a population's people live: each device in one, drawn by weight.
package struct TimeZones: Sendable, Hashable {
    package let tables: [UTCOffsets]
    /// What devices call the zones, by the indices of ``tables``.
    package let names: [String]
    /// Whether these are zones of the IANA database, and not mere offsets.
    package let isNamed: Bool
    package let choice: WeightedChoice
    private let regions: [Region]
    /// That of all zones; `nil` if they differ.
    private let commonRegion: Region?

    /// - Parameter names: Those of the zones, in their order; by default those of their first offsets.
    /// - Precondition: at least one weight is positive and none negative.
    package init(_ zones: [(table: UTCOffsets, weight: Double)], names: [String]? = nil) {
        tables = zones.map(\.table)
        isNamed = names != nil
        self.names =
            names
            ?? zones.map { TimeZones.name(ofOffset: $0.table.offset(at: Instant(nanoseconds: .min)).offset) }
        choice = WeightedChoice(weights: zones.map(\.weight))
        regions = zones.indices.map { index in names.map { Region(zone: $0[index]) } ?? .china }
        commonRegion = Set(regions).count == 1 ? regions[0] : nil
    }

    /// What iOS calls a zone that is a mere offset (`TimeZone.identifier`): `GMT+0800`, `GMT-0530`, `GMT`.
    private static func name(ofOffset offset: Interval) -> String {
        let minutes = offset.nanoseconds / 60_000_000_000
        guard minutes != 0 else { return "GMT" }
        let digits = String(minutes.magnitude / 60 * 100 + minutes.magnitude % 60)
        return "GMT" + (minutes < 0 ? "-" : "+") + String(repeating: "0", count: max(0, 4 - digits.count))
            + digits
    }

    /// Whether local time is not the same for all people at all times.
    package var differ: Bool { tables.count > 1 || tables[0].changes }

    /// The zone of a device.
    ///
    /// - Parameter stream: The device's own, for its zone alone.
    /// - Complexity: O(log n) in the number of zones.
    package func table(_ stream: RandomStream) -> UTCOffsets { tables[index(stream)] }

    /// Where a device's user lives.
    ///
    /// - Parameter stream: As ``table(_:)``.
    @inline(__always)
    package func region(_ stream: @autoclosure () -> RandomStream) -> Region {
        commonRegion ?? regions[index(stream())]
    }

    /// Where those live whose zone is at an index of ``tables``.
    package func region(at index: Int) -> Region { regions[index] }

    /// The index of a device's zone in ``tables`` and ``names``, in the same way.
    package func index(_ stream: RandomStream) -> Int {
        guard choice.count > 1 else { return 0 }
        var stream = stream
        return choice.sample(&stream)
    }

    /// All in one.
    package init(offset: Interval = .zero) {
        self.init([(UTCOffsets(first: offset), 1)])
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
    /// What planted it; `nil` for one of the timeline.
    package var pattern: PatternID?
    /// The child of the users' streams that it is drawn from.
    fileprivate(set) var number: UInt64 = 0

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
