/// What a user overrides on the command line. Texts are kept as written, so that a wrong one is
/// reported like any other value.
package struct ScenarioOptions: Hashable, Sendable {
    /// `--seed`.
    package var seed: String?
    /// `--devices`: devices of all populations together.
    package var devices: String?
    /// `--duration`.
    package var duration: String?
    /// `--target`: overrides every target URL of the scenario.
    package var target: String?
    /// `--insecure`: no target's certificate is verified.
    package var insecure = false
    /// `--set path=value`, in order.
    package var sets: [String] = []
    /// `--vary`: a point of a grid, `path=value` each, in order after ``sets``.
    package var varied: [String] = []
    /// `--start`.
    package var start: String?
    /// `--variant`: the variant that is meant; `nil` and ``VariantName/base`` mean the scenario itself.
    package var variant: String?
    /// Whether problems of the other variants count too.
    package var checksVariants = true

    package init() {}

    /// The same from the environment: `BEACONSWARM_SEED`, `BEACONSWARM_DEVICES`, `BEACONSWARM_DURATION`,
    /// `BEACONSWARM_TARGET`, `BEACONSWARM_VARIANT`, and `BEACONSWARM_SET` with an assignment `path=value` on each line:
    /// any other sign may be part of a value.
    ///
    /// Empty variables count as unset, but for those of the target and of the devices: where one of them was to be said
    /// and was not, a run would send elsewhere, or more, than whoever set the variable meant.
    package init(environment: [String: String]) {
        func value(_ name: String) -> String? {
            environment["BEACONSWARM_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
        }
        seed = value("SEED")
        devices = environment["BEACONSWARM_DEVICES"]
        duration = value("DURATION")
        target = environment["BEACONSWARM_TARGET"]
        variant = value("VARIANT")
        sets = (value("SET") ?? "").split { $0 == "\n" || $0 == "\r\n" }
            .map { String($0.drop(while: \.isWhitespace)) }.filter { !$0.isEmpty }
    }
}

/// One value that did not come from the file, for the report.
package struct ScenarioOverride: Hashable, Sendable {
    /// JSON pointer, or `--devices` for the scaling of all populations.
    package var path: String
    /// JSON text, without secrets.
    package var value: String
    /// How the user wrote it: `--seed`, `BEACONSWARM_SEED`, `--set`.
    package var origin: String

    /// Whether an origin is written with the path of what it changes, `--set path=value`.
    package static func namesPath(_ origin: String) -> Bool {
        ["set", "SET", "vary"].contains { origin.hasSuffix($0) }
    }
}
