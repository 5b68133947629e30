/// A population of a scenario: a system in one of its versions.
struct SystemMember {
    var name: String
    var system: String
    var version: String
    /// The members of `sdk`, as JSON.
    var sdk: String
}

/// The systems beside Sensors, with intervals that suit runs of seconds.
extension SystemMember {
    /// The timer ticks every second, by default in the middle between two actions of `metronome`, so that no
    /// answer is open at a tick that would find its channel busy.
    ///
    /// - Parameters:
    ///   - name: `growing` and the version's digits by default.
    ///   - firstFlush: The first tick, from the start of the process.
    ///   - upload: Further members of `sdk.upload`, after a comma.
    ///   - more: Further members of `sdk`, after a comma.
    static func growing(
        _ version: String, name: String? = nil, firstFlush: String = "778ms", upload: String = "",
        more: String = ""
    ) -> SystemMember {
        SystemMember(
            name: name ?? "growing-\(version.filter { $0 != "." })", system: "growing", version: version,
            sdk: """
                "autotrack": {"pages": "all"},
                         "upload": {"firstFlush": "\(firstFlush)", "flushInterval": "1s"\(upload)}\(more)
                """)
    }

    static func trackingSDK(_ name: String = "trackingsdk", sdk: String = "") -> SystemMember {
        SystemMember(name: name, system: "trackingsdk", version: "document", sdk: sdk)
    }

    /// With some rows of the day before, for nothing else leaves within a day.
    static func kit(_ version: String, name: String? = nil, sdk: String = "") -> SystemMember {
        let prefill = #""storage": {"prefill": 5}"#
        return SystemMember(
            name: name ?? "kit-\(version.filter { $0 != "." })", system: "kit", version: version,
            sdk: sdk.isEmpty ? prefill : "\(prefill), \(sdk)")
    }

    static func codeless(
        _ name: String = "codeless", upload: String = #""flushBulkSize": 6, "batch": 6"#, more: String = ""
    ) -> SystemMember {
        SystemMember(
            name: name, system: "codeless", version: "document", sdk: "\"upload\": {\(upload)}\(more)")
    }

    static let corrected = #", "retryFailedParts": true, "persistEventsID": true"#

    /// GrowingIO's versions under the same rules.
    static let allGrowing = [growing("3.2.1"), growing("4.11.0"), growing("document")]

    /// Every system and version. GrowingIO's ticks come 138 ms after a return of `visitor`, which sends a VISIT.
    static func every(sensors: [SystemMember]) -> [SystemMember] {
        sensors
            + SystemMatrix.rows.filter { $0.system != "sensors" }.map { row in
                switch row.system {
                case "growing": growing(row.version, firstFlush: "850ms")
                case "trackingsdk": trackingSDK()
                case "kit": kit(row.version)
                case "codeless": codeless()
                default:
                    SystemMember(
                        name: "\(row.system)-\(row.version.filter { $0 != "." })", system: row.system,
                        version: row.version, sdk: "")
                }
            }
    }
}
