import Accounting
import Glibc
import Reporting
import Wire

extension RunFolder {
    /// Writes `missing.ndjson`: the events that were acknowledged and are not held, so that someone can look for
    /// them behind the collector's answer; a line each, the lowest ids, ``Audit/missingLimit`` at most. A last
    /// line `{"left_out": N}` says how many more there are. Without any there is no such file.
    ///
    /// - Parameter lines: Of the run's event file, which say when an event was captured and acknowledged; of an event
    ///   without one that stays open.
    func write(
        missing audit: Audit, of report: Report, lines: [EventID: [UInt8]]
    ) throws(CommandFailure) {
        let path = file(MissingNames.fileName)
        guard audit.ackedNotFound > 0 else {
            unlink(path)
            return
        }
        var text = WireBuffer()
        for id in audit.missing {
            if let line = lines[id] {
                text.append(contentsOf: line)
            } else {
                text.append("{\"id\":\"\(id.text)\",\"population\":")
                append(report.population(of: id), to: &text)
                text.append("}")
            }
            text.append("\n")
        }
        for key in audit.missingNatural { text.append("{\"id\":\"\(key.text)\",\"population\":null}\n") }
        let named = UInt64(audit.missing.count + audit.missingNatural.count)
        if audit.ackedNotFound > named { text.append("{\"left_out\":\(audit.ackedNotFound - named)}\n") }
        try OutputFile.write(text.bytes, to: path)
    }

    private func append(_ name: String?, to text: inout WireBuffer) {
        if let name { text.appendJSONString(name) } else { text.append("null") }
    }
}

extension Report {
    /// The population of an event's device: devices are numbered through all populations in order.
    fileprivate func population(of id: EventID) -> String? {
        var first = 0
        for population in populations {
            first += population.devices
            if Int(id.device) < first { return population.name }
        }
        return nil
    }
}

/// The names of the events in a `missing.ndjson`.
enum MissingNames {
    static let fileName = "missing.ndjson"

    /// The ids, or natural keys of events that bear none; empty where the file cannot be read.
    static func read(_ path: String) -> Set<String> {
        guard let content = try? OutputFile.read(path, failing: .usage) else { return [] }
        let lines = content.split(separator: UInt8(ascii: "\n"))
        return Set(lines.compactMap { (try? JSONReader.readStrictly(Array($0)))?["id"]?.string })
    }
}
