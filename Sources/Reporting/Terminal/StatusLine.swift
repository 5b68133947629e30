import Rendering

/// The state of a running run, as its one line shows it.
package struct StatusSnapshot: Hashable, Sendable {
    /// What the run is doing: `running`, `draining` …
    package var phase = "running"
    /// Seconds since the start, and of the whole run where that is known.
    package var elapsed = 0.0
    package var total: Double?
    /// How long it will still take, in real seconds; `nil` where nobody can say.
    package var left: Double?
    /// Seconds of ``elapsed`` in a real second; rates are by real seconds.
    package var pace = 1
    package var devices = 0
    package var eventsPerSecond = 0.0
    package var requestsPerSecond = 0.0
    /// Milliseconds; `nil` before the first answer.
    package var freshnessP95: Double?
    /// Failed uploads so far.
    package var errors: UInt64 = 0
    package var rowsStored: UInt64 = 0
    /// The generator's lag, p(99), milliseconds; `nil` in virtual time, which has none.
    package var lagP99: Double?
    package init() {}
}

/// One live line, or plain lines where nobody watches.
package enum StatusLine {
    /// The line for a terminal of `width` columns, without a line end: the caller returns to the
    /// first column and clears the rest.
    package static func render(_ snapshot: StatusSnapshot, color: Bool, width: Int) -> String {
        let paint = Paint(isOn: color)
        var line = ""
        var used = 0
        let head = clock(snapshot, bar: bar(snapshot))
        for (index, part) in ([head] + figures(snapshot).map { "\($0.value) \($0.name)" }).enumerated() {
            let text = index == 0 ? Columns.clipped(part, max(1, width - 1)) : "  " + part
            guard used + text.count < width else { break }
            used += text.count
            let isBad = index > 0 && part.hasSuffix(" errors") && snapshot.errors > 0
            line += isBad ? paint(text, .bad) : index == 0 ? paint(text, .bold) : text
        }
        return line
    }

    /// A whole line for logs: everything, with names first.
    package static func plain(_ snapshot: StatusSnapshot) -> String {
        let figures = figures(snapshot).map { "\($0.name) \($0.value)" }.joined(separator: ", ")
        return "\(clock(snapshot)): \(figures)"
    }

    /// What it is doing, how far it is and how long it will still take: `running 12s/1m, 48 s left`.
    package static func clock(_ snapshot: StatusSnapshot) -> String { clock(snapshot, bar: "") }

    private static func clock(_ snapshot: StatusSnapshot, bar: String) -> String {
        let phase = Escaping.line(snapshot.phase)
        let whole = snapshot.elapsed.rounded(.down)
        let elapsed = whole > 0 ? Numbers.duration(seconds: whole) : "0 s"
        let pace = snapshot.pace > 1 ? " ×\(snapshot.pace)" : ""
        // What has no length of its own, such as a drain, does not begin at the start either.
        guard let total = snapshot.total else { return "\(phase), \(elapsed)\(pace) since the start" }
        let left = snapshot.left.map { ", \(Numbers.duration(seconds: $0.rounded(.up))) left" } ?? ""
        return "\(phase) \(bar)\(elapsed)/\(Numbers.duration(seconds: total))\(pace)\(left)"
    }

    private static func bar(_ snapshot: StatusSnapshot) -> String {
        guard let total = snapshot.total, total > 0 else { return "" }
        let done = Int(min(1, max(0, snapshot.elapsed / total)) * 12)
        return "[" + String(repeating: "=", count: done) + String(repeating: "-", count: 12 - done) + "] "
    }

    private static func figures(_ snapshot: StatusSnapshot) -> [(name: String, value: String)] {
        var figures = [
            ("devices", Numbers.count(snapshot.devices)),
            ("events/s", Numbers.short(snapshot.eventsPerSecond)),
            ("requests/s", Numbers.short(snapshot.requestsPerSecond)),
            ("fresh p(95)", snapshot.freshnessP95.map { Numbers.duration(milliseconds: $0) } ?? "–"),
            ("errors", Numbers.count(snapshot.errors)), ("rows", Numbers.count(snapshot.rowsStored)),
        ]
        if let lag = snapshot.lagP99 { figures.append(("lag", Numbers.duration(milliseconds: lag))) }
        return figures
    }
}
