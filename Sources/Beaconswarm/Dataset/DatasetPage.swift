import CollectorModel
import Datasets
import DeviceSDK
import Generation
import Rendering
import Reporting
import Scenario
import Timebase

/// The `README.md` of a dataset: how it was made, what is in it, how to load it, and how to make it again.
struct DatasetPage {
    let scenario: LoadedScenario
    let options: GenerateOptions
    let schemas: [TableSchema]
    /// Of each table.
    let rows: [Int]
    let answers: [Answer]
    /// Rows of which nothing tells the event.
    let unknownRows: Int64
    /// The sum over all events with their fates.
    let fingerprint: UInt64
    /// Where it ends before the scenario does; `nil` where it is of all of it.
    var cut: Cut?
    /// Where it was made in parts and joined: how many, and the command of each, with `I` for its number.
    var parts: (count: Int, command: String)?

    /// Why a dataset ends before its scenario, and when.
    enum Cut {
        /// At the capture of so many events.
        case rows(Int, at: Instant)
        /// At the last row that a stream sent.
        case stream(at: Instant)
    }

    var text: String {
        [head, files, loading, tables, questions].joined(separator: "\n")
    }

    private var head: String {
        let document = scenario.document
        let start = document.simulatedStart
        return """
            # \(scenario.reference.name)

            Synthetic events of mobile tracking SDKs, and what really became of them: made by beaconswarm \
            \(Beaconswarm.version) in virtual time. No person and no device is real.

            | | |
            | --- | --- |
            | scenario | \(scenario.reference.name), SHA-256 `\(scenario.reference.sha256)` |
            | seed | \(document.seed) |
            | devices | \(devices) |
            | from | \(start.text), for \(document.duration.text), drain \(document.drain.text) |
            | days | of the zone \(options.zone) |
            | changed | \(changes) |
            | fingerprint | `\(ReportBuilder.hexadecimal(fingerprint))`, of the fates in `truth` |\(cutNote)

            \(promise):

            ```sh
            \(document.redact(parts?.command ?? command))
            ```

            """
    }

    private var cutNote: String {
        switch cut {
        case .rows(let rows, let instant):
            "\n| until | \(instant.text), the capture of event number \(rows): what had no fate by then is `pending` |"
        case .stream(let instant):
            "\n| until | \(instant.text), when the stream of its rows was ended: nothing later is in it |"
        case nil: ""
        }
    }

    private var promise: String {
        if case .stream = cut {
            return
                "The same scenario, seed and options send the same rows again, from the first on; how many is up to whoever "
                + "ends the stream"
        }
        return
            "The same scenario, seed and options give the same bytes again, with any number of threads\(commandNote)"
    }

    /// What makes the dataset from the beginning.
    private var command: String {
        GenerateOptions.begins(options.command).map(Escaping.shell).joined(separator: " ")
    }

    private var commandNote: String {
        parts.map {
            "; `I` is the number of a part, from 0 to \($0.count - 1), and `beaconswarm merge` joins them"
        } ?? ""
    }

    private var devices: String {
        let all = scenario.document.deviceCount
        if let parts {
            return
                "\(all), in \(parts.count) parts, each with files of its own: `row_id` and `batch` count in steps of "
                + "\(parts.count) within a part"
        }
        guard let shard = options.shard else { return String(all) }
        return
            "part \(shard) of \(all): of each population, those whose index leaves that remainder. Row numbers are those of "
            + "no other part, `answers.json` is about this part, and `answers.sql` gives the whole's answers where all "
            + "parts are loaded"
    }

    private var changes: String {
        let changes = scenario.publicReference.typedOverrides
        return changes.isEmpty ? "nothing" : changes.map { "`\($0)`" }.joined(separator: ", ")
    }

    private var files: String {
        let list = zip(schemas, rows).map { "| `\($0.name)` | \($1) | \(DatasetPage.meaning(of: $0.name)) |" }
        let note =
            unknownRows == 0
            ? "" : "\n\(unknownRows) rows of `events` bear nothing by which their event could be told.\n"
        return """
            ## What is here

            | Table | Rows | One row is |
            | --- | --- | --- |
            \(list.joined(separator: "\n"))
            \(note)
            Formats: \(options.formats.joined(separator: ", ")). `answers.json` has questions with their answers from \
            the truth, `answers.sql` the queries that give the same. `report.html` shows how days, \
            sessions and columns came out beside what the scenario asks for. `_SUCCESS` is there if the dataset is whole.

            `truth.row_id` is the first row of `events` that an event became, `row_ids` has all of them. Events that \
            never arrived have none.\(namesNote)

            Patterns planted: \(patterns).

            """
    }

    /// Where the two tables may call an event by different names.
    private var namesNote: String {
        let described = CollectorSystem.declared.rawValue
        guard scenario.document.populations.contains(where: { $0.system.systemName == described }) else {
            return ""
        }
        return " A described SDK may make a name of what happens, such as a screen's: `truth.name` is then "
            + "that of the kind."
    }

    private var patterns: String {
        let names = scenario.document.patterns.map { "`\(scenario.document.redact($0.name))` (\($0.kind))" }
        return names.isEmpty
            ? "none" : names.joined(separator: ", ") + "; `answers.json` states each and its size"
    }

    private static func meaning(of table: String) -> String {
        switch table {
        case "events": "an event as it arrived at the collector; copies are rows of their own"
        case "truth": "an event that a device captured, with its fate"
        case "users": "a person"
        case "devices": "a device"
        default: "a time in which the app was in front"
        }
    }

    private var tables: String {
        let parts = schemas.map { schema in
            let lines = schema.columns.map { column in
                "| `\(column.name)` | \(column.type.rawValue)\(column.isNullable ? "?" : "") | \(column.doc) |"
            }
            return """
                ### \(schema.name)

                | Column | Type | Meaning |
                | --- | --- | --- |
                \(lines.joined(separator: "\n"))

                """
        }
        return "## Columns\n\nA question mark: the value may be missing. Times are UTC.\n\n"
            + parts.joined(separator: "\n")
    }

    private var questions: String {
        let lines = answers.map { "- `\($0.name)`: \($0.question)" }
        return "## Questions\n\n" + lines.joined(separator: "\n") + "\n"
    }
}
