import DeviceSDK
import SDKDescription
import Timebase
import Wire

/// A fetch of a configuration that is under way.
struct DeclaredFetch {
    var number: RequestNumber
    /// Which of the description's configurations it is.
    var config: UInt8
}

/// Configurations: when they are fetched, and what an answer turns. What was fetched last is kept on the device's disk.
extension DeclaredSystem {
    /// Fetches the configurations of a moment, unless they were fetched too short a time ago.
    mutating func fetchConfigs(
        at moment: DescribedSDK.Config.Moment, _ device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        for (place, config) in sdk.configs.enumerated() where config.moments.contains(moment) {
            if device.fetchedAt.isEmpty {
                device.fetchedAt = ContiguousArray(
                    repeating: Instant(nanoseconds: .min), count: sdk.configs.count)
            }
            let last = device.fetchedAt[place]
            if last > Instant(nanoseconds: .min), now - last < config.every { continue }
            device.fetchedAt[place] = now
            let number = RequestNumber(kind: .config, number: device.fetchCount)
            device.fetchCount += 1
            device.fetches.append(DeclaredFetch(number: number, config: UInt8(place)))
            effects.requests.append(
                OutgoingRequest(
                    slot: device.slot, number: number, plannedAt: now, timeout: config.timeout, eventCount: 0,
                    isRetry: false, network: device.epochs.current.network))
        }
    }

    /// Writes a fetch.
    func encodeFetch(
        _ number: RequestNumber, of device: inout Device, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        let config = Int(device.fetches.first { $0.number == number }?.config ?? 0)
        encoder.encode(
            fetch: config, index: Int(device.index), number: device.number, epoch: device.epochs.current,
            at: now, into: &body)
        return fetchHeads[config]
    }

    mutating func completeFetch(
        _ number: RequestNumber, of device: inout Device, outcome: RequestOutcome, now: Instant,
        effects: inout DeviceEffects
    ) {
        // A fetch of a process that died in between has nobody who waits for it.
        guard let place = device.fetches.firstIndex(where: { $0.number == number }) else { return }
        let config = Int(device.fetches.remove(at: place).config)
        if device.fetches.isEmpty { device.fetches = [] }
        guard case .answered(200, let body, _, _) = outcome,
            let turned = sdk.configs[config].turn(turned(device), by: body)
        else { return }
        let before = interval(of: device)
        device.turned = intern(turned)
        guard let interval = interval(of: device), before != interval, device.flushDue < .distantFuture
        else { return }
        device.flushDue = now + interval
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
