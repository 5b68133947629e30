import DeviceSDK
import Scenario
import TestSupport
import Timebase
import World

/// No device holds more, or has more in the air, than its system's rules say; none answers for another.
enum BoundsHold: Invariant {
    static let name = "bounds"
    static func violations(in trial: Trial) -> [String] { trial.outcome.trespasses }
}

/// A drain that ends before its limit leaves nothing in the air and no foreground app with rows.
enum DrainIsNotCut: Invariant {
    static let name = "drain-is-not-cut"
    static func violations(in trial: Trial) -> [String] {
        let (document, outcome) = (trial.document, trial.outcome)
        guard !outcome.wasCut, outcome.simulated < document.duration + document.drain else { return [] }
        if let device = outcome.undrained.first {
            return [
                "the drain ended after \(outcome.simulated.text), with rows on device \(device) in the foreground"
            ]
        }
        guard outcome.openRequests > 0 else { return [] }
        return [
            "the drain ended after \(outcome.simulated.text), with \(outcome.openRequests) requests in the air"
        ]
    }
}

/// A drain that has nothing left to wait for is over within seconds.
enum DrainIsNoLonger: Invariant {
    static let name = "drain-is-no-longer"
    static func violations(in trial: Trial) -> [String] {
        let (document, outcome) = (trial.document, trial.outcome)
        guard !outcome.wasCut, document.pace == 1, outcome.undrained.isEmpty, outcome.openRequests == 0,
            outcome.openFetches == 0
        else { return [] }
        let quiet = max(outcome.lastStep, document.duration)
        guard outcome.simulated - quiet > .seconds(2) else { return [] }
        return [
            "the drain lasted until \(outcome.simulated.text), and nothing was left to do after \(quiet.text)"
        ]
    }
}

/// After the faults end, everything that is alive drains: where a system uploads by a timer, the network carries, and
/// nothing fails by chance, no app in the foreground keeps rows for days.
enum WhatIsAliveDrains: Invariant {
    static let name = "alive-drains"
    static func violations(in trial: Trial) -> [String] {
        let (document, outcome) = (trial.document, trial.outcome)
        guard !outcome.wasCut, outcome.heals, isPeaceful(document) else { return [] }
        var first: UInt32 = 0
        var stuck: [String] = []
        for population in document.populations {
            let devices = first..<first + UInt32(population.devices)
            first = devices.upperBound
            // Where radios come and go, or links lose something, nothing says how long it takes.
            guard population.network.isIdeal else { continue }
            for device in outcome.undrained where devices.contains(device) {
                let captured = Int(outcome.world.captured[Int(device)])
                let rules = [population.system] + population.rollOuts.map(\.rules)
                let waits = rules.map { $0.longestDrain(ofRows: captured, on: population.network.kind) }
                guard waits.allSatisfy({ $0.map { $0 * 2 < document.drain } ?? false }) else { continue }
                stuck.append(
                    "device \(device) of \(population.name) is in the foreground with rows after \(document.drain.text)"
                )
            }
        }
        return stuck
    }

    /// Whether all that goes wrong is over when the drain begins.
    private static func isPeaceful(_ document: ScenarioDocument) -> Bool {
        // A server that turns requests away goes on doing so.
        document.server == nil
            && document.timeline.allSatisfy { entry in
                switch entry.change {
                case .remoteConfig: false
                case .disk, .consent: false
                case .push, .rollOut: true
                case .collector, .client, .network: entry.until.map { $0 < document.duration } ?? false
                }
            }
    }
}

/// When every entry of the timeline that changes networks is over, each device is on its own again.
enum NetworksReturn: Invariant {
    static let name = "networks-return"
    static func violations(in trial: Trial) -> [String] {
        let (document, outcome) = (trial.document, trial.outcome)
        guard !outcome.wasCut else { return [] }
        let areOver = document.timeline.allSatisfy { entry in
            guard case .network = entry.change else { return true }
            return entry.until.map { $0 < document.duration } ?? false
        }
        guard areOver, let device = outcome.displaced.first else { return [] }
        return ["device \(device) is not on its own network, and nothing of the timeline lasts"]
    }
}
