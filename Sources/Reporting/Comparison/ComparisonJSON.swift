import Rendering
import Wire

/// A comparison for programs: schema `beaconswarm.compare/1`.
package enum ComparisonJSON {
    package static let schema = "beaconswarm.compare/1"

    package static func write(_ comparison: Comparison) -> [UInt8] {
        value(of: comparison).bytes(.indented()) + [0x0A]
    }

    static func value(of comparison: Comparison) -> JSONNode {
        .object([
            ("schema", .text(schema)),
            ("verdict", .text(comparison.exitCode == 0 ? "passed" : "failed")),
            ("exit_code", .int(comparison.exitCode)),
            ("summary", .text(ComparisonText.verdict(comparison))),
            ("base", side(comparison.base)), ("candidate", side(comparison.candidate)),
            ("seeds", .list(comparison.seeds.map { .int($0) })), ("paired", .bool(comparison.isPaired)),
            ("differences", .list(comparison.differences.map(difference))),
            ("strict", .bool(comparison.isStrict)),
            ("gates", .list(comparison.gates.map(gate))),
            ("metrics", .object(comparison.rows.map { ($0.figure.name, row($0)) })),
            ("method", .text(comparison.method)), ("warnings", .texts(comparison.warnings)),
        ])
    }

    private static func side(_ side: Comparison.Side) -> JSONNode {
        .object([
            ("name", .text(side.label)), ("variant", .text(side.variant)),
            ("scenario", .text(side.scenario.name)), ("sha256", .text(side.scenario.sha256)),
            ("tool", .object([("version", .text(side.toolVersion))])),
            ("seeds", .list(side.cells.map { .int($0.seed) })),
        ])
    }

    private static func difference(_ difference: ScenarioDifference) -> JSONNode {
        .object([
            ("pointer", .text(difference.pointer)), ("base", difference.base.map(JSONNode.text) ?? .null),
            ("candidate", difference.candidate.map(JSONNode.text) ?? .null),
            ("allowed", .bool(difference.isAllowed)),
        ])
    }

    private static func gate(_ gate: Comparison.GateResult) -> JSONNode {
        .object([
            ("gate", .text(gate.text)), ("outcome", .text(gate.outcome.rawValue)),
            ("reason", .text(gate.reason)),
        ])
    }

    private static func row(_ row: Comparison.Row) -> JSONNode {
        func number(_ value: Double?) -> JSONNode { value.map(JSONNode.number) ?? .null }
        let interval = row.difference?.interval
        return .object([
            ("base", number(row.base)), ("candidate", number(row.candidate)),
            ("difference", number(row.difference?.mean)),
            (
                "interval",
                interval.map { .list([.number($0.lowerBound), .number($0.upperBound)]) } ?? .null
            ),
            ("pairs", .int(row.difference?.count ?? 0)), ("min_effect", .number(row.leastEffect)),
            ("verdict", .text(row.word.rawValue)),
        ])
    }
}

/// A comparison as `junit.xml`: a test case for each gate.
package enum ComparisonJUnit {
    package static func render(_ comparison: Comparison) -> [UInt8] {
        var xml = Markup()
        xml.literal("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        let isFailure = { (gate: Comparison.GateResult) in
            gate.outcome == .fails || comparison.isStrict && gate.outcome == .cannotTell
        }
        let failures = String(comparison.gates.count(where: isFailure))
        let open = comparison.gates.count { $0.outcome == .cannotTell && !isFailure($0) }
        let count = String(comparison.gates.count)
        xml.element(
            "testsuites",
            ["name": "beaconswarm compare", "tests": count, "failures": failures, "errors": "0", "time": "0"]
        ) { xml in
            xml.element(
                "testsuite",
                [
                    "name": comparison.candidate.scenario.name, "tests": count, "failures": failures,
                    "errors": "0", "skipped": String(open), "time": "0",
                ]
            ) { xml in
                for gate in comparison.gates {
                    xml.element(
                        "testcase",
                        [
                            "classname": "\(comparison.candidate.scenario.name).gates", "name": gate.text,
                            "time": "0",
                        ]
                    ) { xml in
                        if isFailure(gate) {
                            xml.element("failure", ["message": gate.reason, "type": "gate"], gate.reason)
                        } else if gate.outcome == .cannotTell {
                            xml.empty("skipped", ["message": gate.reason])
                        }
                    }
                }
            }
        }
        return Array(xml.text.utf8)
    }
}
