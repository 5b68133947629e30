package import AppModel
package import Timebase

/// A device that knows where in the app its user is, as UIKit sees it.
package protocol HookedDevice: TrackedDevice {
    var trace: UIKitTrace { get set }
}

/// A system that learns what users do from UIKit's calls alone.
package protocol HookingSystem: TrackingSystem where Device: HookedDevice {
    var streams: PopulationStreams { get }
    var views: AppViews { get }

    /// UIKit, or the system, calls what the SDK or its app has hooked.
    mutating func handle(
        _ call: UIKitCall, on device: inout Device, at now: Instant, effects: inout DeviceEffects)
}

extension HookingSystem {
    /// Lets UIKit make the calls of an action, in its order.
    package mutating func trace(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        // Out of the device meanwhile, which the calls change.
        var trace = device.trace
        let draws = streams.stream(.screens, index: Int(device.index)).child(UInt64(device.nextSequence))
        trace.forEachCall(of: action, in: views, draws: draws) { call in
            handle(call, on: &device, at: now, effects: &effects)
        }
        device.trace = trace
    }
}
