import Reporting
import Timebase

/// How far the clocks of the machines of a live run are apart, by the servers that answered several of them.
///
/// A server whose clock is ahead of A's by a at least, and of B's by b at most, shows that B's is ahead of A's by a − b at
/// least. Nobody has to know which of the three is right.
struct PartClocks {
    struct Part {
        var number: PartNumber
        var host: String
        var isSynchronised: Bool?
        var servers: [LivePart.Server]
    }

    /// From here on a run warns: its parts began, and its timeline happened, so far apart.
    private static let warningLimit = Interval.milliseconds(100)
    /// From here on it is invalid: what is told of a second is not of the same one everywhere.
    private static let limit = Interval.seconds(1)

    private(set) var warnings: [String] = []
    /// The part whose clock is ahead too far, and of whose.
    private(set) var problem: (PartNumber, Report.PartProblem)?

    init(_ parts: [Part]) {
        if let (early, late, distance) = PartClocks.furthest(parts), distance > PartClocks.warningLimit {
            let milliseconds = distance.nanoseconds / 1_000_000
            let text =
                "The clock of part \(late.number.text) (\(late.host)) is at least \(milliseconds) ms ahead of that of part "
                + "\(early.number.text) (\(early.host)), by the Date of the same server's answers"
            if distance > PartClocks.limit {
                problem = (
                    late.number,
                    Report.PartProblem(
                        cause: .clocksApart,
                        text: text
                            + ": they did not begin together, and the run is no whole. Synchronise the clocks."
                    )
                )
            } else {
                warnings.append(text)
            }
        }
        let unknown = parts.filter { $0.isSynchronised != true && $0.servers.isEmpty }
        if !unknown.isEmpty, Set(parts.map(\.host)).count > 1 {
            let numbers = unknown.prefix(5).map(\.number.text).joined(separator: ", ")
            warnings.append(
                unknown.count == 1
                    ? "nothing tells how right the clock of part \(numbers) is: its kernel does not call it synchronised, and "
                        + "answers had no Date"
                    : "nothing tells how right the clocks of \(unknown.count) parts are (\(numbers)"
                        + "\(unknown.count > 5 ? " …" : "")): their kernels do not call them synchronised, and answers had no "
                        + "Date")
        }
    }

    /// Two parts whose clocks are certainly apart, the furthest of all.
    private static func furthest(_ parts: [Part]) -> (early: Part, late: Part, distance: Interval)? {
        var found: (early: Part, late: Part, distance: Interval)?
        for origin in Set(parts.flatMap { $0.servers.map(\.origin) }).sorted() {
            let told = parts.compactMap { part in
                part.servers.first { $0.origin == origin }.map { (part: part, server: $0) }
            }
            guard let early = told.max(by: { $0.server.least < $1.server.least }),
                let late = told.min(by: { $0.server.most < $1.server.most })
            else { continue }
            let distance = early.server.least - late.server.most
            if distance > found?.distance ?? .zero { found = (early.part, late.part, distance) }
        }
        return found
    }
}
