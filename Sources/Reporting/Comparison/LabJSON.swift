import Measurement
import Wire

/// `report.json` of several simulations: schema `beaconswarm.comparison/1`. Metrics are as in `beaconswarm.report/1`; a
/// line holds a metric or a few figures, so that two files of a repository differ in lines that can be read.
package enum LabJSON {
    package static let schema = "beaconswarm.comparison/1"

    /// Writes a result.
    package static func write(_ report: LabReport) -> [UInt8] {
        bytes(of: value(of: report))
    }

    static func value(of report: LabReport) -> JSONNode { codec.write(report) }

    /// A document in this hand.
    static func bytes(of node: JSONNode) -> [UInt8] {
        var text = ""
        append(node, to: &text, depth: 0)
        return Array((text + "\n").utf8)
    }

    /// Writes one simulation alone.
    package static func write(_ cell: LabReport.Cell) -> [UInt8] {
        let own = ReportCodec<[LabReport.Cell]>.cells.write([cell])
        return bytes(of: own)
    }

    /// Reads what was written of one simulation alone.
    ///
    /// - Throws: ``ReportReadError`` if it is none.
    package static func readCell(_ bytes: [UInt8]) throws(ReportReadError) -> LabReport.Cell {
        let node: JSONNode
        do { node = try JSONReader.readStrictly(bytes) } catch {
            throw ReportReadError(key: "", message: "no JSON: \(error)")
        }
        let cells = try ReportCodec<[LabReport.Cell]>.cells.read(ReportNode(key: "", value: node))
        guard cells.count == 1 else { throw ReportReadError(key: "", message: "expected one simulation") }
        return cells[0]
    }

    /// Reads what ``write(_:)`` wrote; writing it again gives the same bytes.
    ///
    /// - Throws: ``ReportReadError`` naming the key that is missing or wrong.
    package static func read(_ bytes: [UInt8]) throws(ReportReadError) -> LabReport {
        var report = try codec.read(ReportNode(bytes, schema: schema))
        report.nameOnlyPopulations()
        return report
    }

    /// Objects and lists of plain values stay on one line.
    private static func append(_ node: JSONNode, to text: inout String, depth: Int) {
        guard let members = node.members, !members.allSatisfy(\.value.isFlat) || depth == 0 else {
            text += node.compactText
            return
        }
        let indent = String(repeating: "  ", count: depth + 1)
        for (index, member) in members.enumerated() {
            text += (index == 0 ? "{\n" : ",\n") + indent + JSONNode.quoted(member.key) + ": "
            append(member.value, to: &text, depth: depth + 1)
        }
        text += "\n" + String(repeating: "  ", count: depth) + "}"
    }

    private static var codec: ReportCodec<LabReport> {
        let blank = LabReport(toolVersion: "", scenario: .blank, mode: .virtual, seeds: [], variants: [])
        return .object(
            blank,
            [
                .derived("schema") { _ in .text(schema) },
                ReportField("tool", \.toolVersion, .tool),
                ReportField("scenario", \.scenario, .scenario),
                .later("resolved", \.resolved, .json),
                ReportField("mode", \.mode, .choice),
                ReportField("bodies", \.bodies, .text),
                ReportField("verdict", \.verdict, .choice),
                ReportField("exit_code", \.exitCode, .clamped),
                .later("partial", \.isPartial, .boolean),
                .rare("missing_parts", \.missingParts, .text),
                .rare("unfinished", \.unfinished, .unfinished),
                .rare("ended_by", \.endedBy, .earlyEnd),
                .later("warnings", \.warnings, .texts),
                ReportField("seeds", \.seeds, .list(.unsigned)),
                ReportField("variants", \.variants, .named(\.name, .variant)),
            ])
    }
}

extension JSONNode {
    /// Plain, or a list of plain values.
    fileprivate var isFlat: Bool {
        isPlain || (elements?.allSatisfy(\.isPlain) ?? (members?.isEmpty ?? false))
    }
}

extension ReportCodec<JSONNode> {
    /// A value as it is.
    static var json: ReportCodec { ReportCodec({ $0 }) { node throws(ReportReadError) in node.value.bare } }
}

extension JSONNode {
    /// The same value without the places where it stood.
    fileprivate var bare: JSONNode {
        switch content {
        case .array(let elements): .list(elements.map(\.bare))
        case .object(let members): .object(members.map { ($0.key, $0.value.bare) })
        default: JSONNode(content)
        }
    }
}

extension ReportCodec<[LabReport.Change]> {
    /// By their pointers.
    static var changes: ReportCodec {
        let blank = LabReport.Change(pointer: "", value: .null)
        return named(\.pointer, .property(\.value, .json, of: blank))
    }
}

extension ReportCodec<LabReport.Unfinished> {
    fileprivate static var unfinished: ReportCodec {
        object(
            LabReport.Unfinished(variant: "", seed: 0),
            [
                ReportField("variant", \.variant, .text),
                ReportField("seed", \.seed, .unsigned),
                ReportField("verdict", \.verdict, .choice),
                ReportField("exit_code", \.exitCode, .clamped),
            ])
    }
}

extension ReportCodec<LabReport.Variant> {
    /// Under its name.
    static var variant: ReportCodec {
        object(
            LabReport.Variant(name: ""),
            [
                .later("changes", \.changes, .changes), .rare("target", \.target, .text),
                ReportField("seeds", \.cells, .cells),
            ])
    }
}

extension ReportCodec<[LabReport.Cell]> {
    /// By their seeds.
    static var cells: ReportCodec {
        ReportCodec({ cells in
            .object(cells.map { (String($0.seed), ReportCodec<LabReport.Cell>.cell.write($0)) })
        }) { node throws(ReportReadError) in
            var cells: [LabReport.Cell] = []
            for (name, member) in try node.members() {
                guard let seed = UInt64(name) else {
                    throw ReportReadError(key: member.key, message: "expected a seed as the key")
                }
                var cell = try ReportCodec<LabReport.Cell>.cell.read(member)
                cell.seed = seed
                cells.append(cell)
            }
            return cells
        }
    }
}

extension ReportCodec<LabReport.Cell> {
    fileprivate static var cell: ReportCodec {
        object(
            LabReport.Cell(seed: 0),
            [
                ReportField("verdict", \.verdict, .choice),
                ReportField("exit_code", \.exitCode, .clamped),
                .rare("reason", \.reason, .text),
                ReportField("fingerprint", \.fingerprint, .text),
                ReportField("devices", \.devices, .whole),
                ReportField("simulated_seconds", \.simulatedSeconds, .real),
                ReportField("events", \.events, .events),
                ReportField("metrics", \.metrics, .metrics),
                .later("measures", \.measures, .measures),
                .later("populations", \.populations, .named(\.name, .population)),
                .later("entries", \.entries, .named(\.name, .entry)),
            ])
    }
}

extension ReportCodec<[LabReport.NamedValue]> {
    static var measures: ReportCodec {
        ReportCodec({ .object($0.map { ($0.name, $0.value.map(JSONNode.number) ?? .null) }) }) {
            node throws(ReportReadError) in
            var values: [LabReport.NamedValue] = []
            for (name, member) in try node.members() {
                values.append(
                    LabReport.NamedValue(name, member.value.content == .null ? nil : try member.real()))
            }
            return values
        }
    }
}
