import Accounting
package import DeviceSDK
import SDKDescription
import Timebase
import Wire

/// A fetch of a configuration that is under way.
struct DeclaredFetch {
    var number: RequestNumber
    /// Which of the description's configurations it is.
    var config: UInt8
}

/// What a moment fetches: a configuration, and what of it matters when that begins.
struct DeclaredFetchRule {
    var config: UInt8
    var every: Interval
    var timeout: Interval
    var holds: Bool
}

extension DescribedSDK.Config.Moment {
    /// Its index among the moments.
    fileprivate var index: Int {
        switch self {
        case .launch: 0
        case .foreground: 1
        case .session: 2
        case .login: 3
        case .logout: 4
        }
    }
}

extension DescribedSDK {
    /// By the index of a moment, what it fetches.
    var fetches: [[DeclaredFetchRule]] {
        let moments = Config.Moment.allCases.sorted { $0.index < $1.index }
        return moments.map { moment in
            configs.enumerated().filter { $1.moments.contains(moment) }.map { index, config in
                DeclaredFetchRule(
                    config: UInt8(index), every: config.every, timeout: config.timeout,
                    holds: config.holds != nil)
            }
        }
    }
}

/// Configurations: when they are fetched, and what an answer turns. What was fetched last is kept on the device's disk.
extension DeclaredSystem {
    /// Fetches the configurations of a moment, unless they were fetched too short a time ago.
    mutating func fetchConfigs(
        at moment: DescribedSDK.Config.Moment, _ device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        guard !fetches[moment.index].isEmpty else { return }
        for fetch in fetches[moment.index] {
            let index = Int(fetch.config)
            if device.fetchedAt.isEmpty {
                device.fetchedAt = ContiguousArray(
                    repeating: Instant(nanoseconds: .min), count: sdk.configs.count)
            }
            let last = device.fetchedAt[index]
            if last > Instant(nanoseconds: .min), now - last < fetch.every { continue }
            device.fetchedAt[index] = now
            if fetch.holds { device.volatileFrom = min(device.volatileFrom, device.nextSequence) }
            let number = RequestNumber(kind: .config, number: device.fetchCount)
            device.fetchCount += 1
            device.fetches.append(DeclaredFetch(number: number, config: UInt8(index)))
            effects.requests.append(
                OutgoingRequest(
                    slot: device.slot, number: number, plannedAt: now, timeout: fetch.timeout, eventCount: 0,
                    isRetry: false, network: device.epochs.current.network))
        }
    }

    /// Writes a fetch.
    func encodeFetch(
        _ number: RequestNumber, of device: inout Device, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        let config = Int(device.fetches.first { $0.number == number }?.config ?? 0)
        encoders[0].encode(
            fetch: config, index: Int(device.index), number: device.number, epoch: device.epochs.current,
            at: now, into: &body)
        return fetchHeads[config]
    }

    package func askedConfig(_ request: RequestNumber, of device: borrowing Device) -> AskedConfig? {
        guard let fetch = device.fetches.first(where: { $0.number == request }) else { return nil }
        let config = Int(fetch.config)
        return AskedConfig(number: config, neutral: Array(sdk.configs[config].fallback.utf8))
    }

    mutating func completeFetch(
        _ number: RequestNumber, of device: inout Device, outcome: RequestOutcome, now: Instant,
        effects: inout DeviceEffects
    ) {
        // A fetch of a process that died in between has nobody who waits for it.
        guard let index = device.fetches.firstIndex(where: { $0.number == number }) else { return }
        let config = Int(device.fetches.remove(at: index).config)
        if device.fetches.isEmpty { device.fetches = [] }
        if case .answered(200, let body, _, _) = outcome,
            let turned = sdk.configs[config].turn(turned(device), by: body)
        {
            turn(&device, to: turned, now: now)
        }
        if sdk.configs[config].holds != nil, heldLimit(of: device) == nil {
            releaseHeld(of: &device, now: now, effects: &effects)
        }
    }

    private mutating func turn(_ device: inout Device, to turned: DescribedSDK.Turned, now: Instant) {
        let before = interval(of: device)
        device.turned = intern(turned)
        guard let interval = interval(of: device), before != interval, device.flushDue < .distantFuture
        else { return }
        device.flushDue = now + interval
    }

    // MARK: Events that wait for an answer

    /// How many events may wait for the fetches that are under way; `nil` where none has to.
    func heldLimit(of device: borrowing Device) -> Int? {
        guard holdsCaptures, !device.fetches.isEmpty else { return nil }
        return device.fetches.compactMap { sdk.configs[Int($0.config)].holds }.min()
    }

    /// What has waited goes on its way into the store, unless the answer forbids to capture, or nothing can be written.
    private mutating func releaseHeld(
        of device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        if !turned(device).captures {
            remove(heldRows(of: device), as: .suppressed(.sdkDisabled), of: &device, effects: &effects)
        } else if !canWrite(device) {
            remove(heldRows(of: device), as: .lost(.storageError), of: &device, effects: &effects)
        } else if sdk.storage.evictAt == .insert, let limit = sdk.storage.limit, device.log.count > limit {
            evict(max(device.log.count - limit, sdk.storage.evict), on: &device, effects: &effects)
        }
        if sdk.storage.evictAt == .insert, canWrite(device) { tidyBytes(&device, effects: &effects) }
        if sdk.storage.persist == .each { device.volatileFrom = .max }
        device.trimEpochs()
        if isEnough(device) { beginFlush(&device, .count, due: now, now: now, effects: &effects) }
    }

    /// Rows that are in memory alone.
    func heldRows(of device: borrowing Device) -> ContiguousArray<EventRecord> {
        let first = device.volatileFrom
        return device.allRows.filter { $0.sequence >= first }
    }

    // MARK: What is turned

    @inline(__always)
    func turned(_ device: borrowing Device) -> DescribedSDK.Turned { turnedStates[Int(device.turned)] }

    /// From one tick of the timer to the next; `nil` for no timer.
    @inline(__always)
    func interval(of device: borrowing Device) -> Interval? {
        guard device.turned > 0 else { return sdk.upload.flushInterval }
        return sdk.upload.flushInterval == nil
            ? nil : turnedStates[Int(device.turned)].flushInterval ?? sdk.upload.flushInterval
    }

    /// The number of a state in the system's table. There are as many as the collector serves.
    private mutating func intern(_ turned: DescribedSDK.Turned) -> UInt16 {
        if let known = turnedStates.firstIndex(of: turned) { return UInt16(known) }
        guard turnedStates.count < Int(UInt16.max) else { return 0 }
        turnedStates.append(turned)
        return UInt16(turnedStates.count - 1)
    }
}
