import Scenario
import Timebase
import Wire

/// A scenario to begin with, whose comments say what each part is for.
struct FirstScenario {
    let name: String
    var sdk = SDK.all[0]
    /// From 1.
    var devices = 100
    /// How long users act.
    let duration: Interval
    /// Where events go; `nil` for the embedded collector.
    var target: String?

    /// Whose devices are played.
    struct SDK: Equatable {
        /// A system, or a preset of a described SDK.
        let name: String
        let isPreset: Bool

        /// All of them, the default first.
        static let all: [SDK] = SimulatedSystems.all.flatMap { system in
            // The versions of described SDKs are presets, each a name and a version.
            guard system.name == described else { return [SDK(name: system.name, isPreset: false)] }
            return system.versions.compactMap { $0.split(separator: " ").first }
                .map { SDK(name: String($0), isPreset: true) }
        }

        static let described = "declared"
        /// Presets whose configuration is fetched from a path with the target's key in it.
        private static let keyed = ["amplitude-ios", "posthog-ios", "segment-ios"]
        var needsKey: Bool { isPreset && SDK.keyed.contains(name) }
    }

    /// The file.
    ///
    /// - Parameter path: What its own comments call it.
    func text(path: String) -> String {
        """
        // A scenario to begin with. Change it, check it, play it:
        //   beaconswarm validate \(path)    every problem, or the load that it will offer
        //   beaconswarm simulate \(path)    in virtual time: nothing leaves the process
        //   beaconswarm run \(path)         on the real clock, against \(target == nil ? "an embedded collector" : "your collector")
        {
          // Editors that read this file suggest keys, presets and metrics, and mark mistakes.
          "\(SchemaFile.key)": "./\(SchemaFile.name)",
          "name": \(JSONNode.quoted(name)),

          // The same seed repeats what every user does.
          "seed": 1,
          // How long users act, and how long devices may then take to send what is left.
          "duration": "\(duration.text)",
          "drain": "30s",
        \(targetLines)
          // Devices of one kind; a scenario may have several populations.
          "populations": [
            {
              "name": "ios",
              "devices": \(devices),
        \(sdkLines)
              // What the app has in it, who uses it, and over what.
              "app": "shop",
              "persona": "casual",
              "network": "mobile-mix",
              // They do not all come at once.
              "arrival": {"over": "\(part(6, 10).text)"}
            }
          ],

          // What goes wrong, and when.
          "timeline": [
        \(timelineLines)
          ],

          // What has to hold: if it does not, the exit code is 99.
          "thresholds": {
            "events_captured": ["count>0"],
            "events_lost": ["rate<0.05"]
          }
        }

        """
    }

    private var targetLines: String {
        let key = sdk.needsKey ? "\"apiKey\": \"key\"" : nil
        guard let target else {
            if let key {
                return """
                      // Under its key, the SDK fetches a configuration. Without a URL, `run` starts a collector of its
                      // own. Yours would be: "url": "http://127.0.0.1:8106/where/uploads/go"
                      "target": {\(key)},

                    """
            }
            return """
                  // Without a target, `run` starts a collector of its own. Yours would be:
                  // "target": {"url": "http://127.0.0.1:8106/where/uploads/go"},

                """
        }
        return """
              // Where events go. Only loopback and private addresses may be loaded as they are: see --i-own.
              "target": {"url": \(JSONNode.quoted(target))\(key.map { ", \($0)" } ?? "")},

            """
    }

    private var sdkLines: String {
        let choice = "// Other SDKs: \(SDK.all.filter { $0 != sdk }.map(\.name).joined(separator: ", "))."
        if sdk.isPreset {
            return """
                      \(choice)
                      "system": "\(SDK.described)",
                      // A published SDK as data; what else stands here changes it.
                      "sdk": {"preset": "\(sdk.name)"},
                """
        }
        guard SimulatedSystems.sendsDailyArchives(sdk.name) else {
            return """
                      \(choice)
                      "system": "\(sdk.name)",
                """
        }
        return """
                  \(choice)
                  "system": "\(sdk.name)",
                  // This one sends a day's events on a later day: those that devices bring along.
                  "sdk": {"storage": {"prefill": 20}},
            """
    }

    private var timelineLines: String {
        let times = "\"at\": \"\(part(3).text)\", \"for\": \"\(part(6).text)\""
        guard target == nil else {
            return """
                    // Faults of the devices' side work with any collector: three in ten have no network.
                    {\(times), "share": 0.3, "device": {"network": "none"}}
                """
        }
        return """
                // Nobody answers. Others: "status" with "status": 503, "latency" with "latency": "2s", "acceptThenDie".
                {\(times), "collector": {"fault": "outage"}}
            """
    }

    /// A fraction of the duration, in whole seconds where it has some.
    ///
    /// - Parameter limit: The most seconds that it may have.
    private func part(_ number: Int64, _ limit: Int64 = Int64.max / 1_000_000_000) -> Interval {
        let unit: Int64 = duration < .seconds(number) ? 1000 : 1_000_000_000
        let whole = Interval(nanoseconds: max(1, duration.nanoseconds / number / unit) * unit)
        return min(whole, .seconds(limit))
    }
}
