import Accounting
import Rendering

/// The ledger as a picture: a stream of captured events that parts into fates, and each fate into
/// its causes. Widths are proportional but for a least width that keeps single events visible.
struct LedgerFlow {
    /// Where things stand; one for wide screens and one for phones.
    struct Geometry {
        var id: String
        var classes: String
        var width: Double
        var nodeWidth: Double
        var fateX: Double
        var causeX: Double
        /// From the baseline of a fate's name down to its band.
        var drop: Double
        /// The height of the whole stream.
        var stream: Double

        /// Where a cause's name begins.
        var textX: Double { causeX + nodeWidth + 7 }
        /// How many letters of a cause there is room for: what is beyond the picture's edge is cut off.
        var letters: Int { Int((width - textX) / ChartFrame.characterWidth) }

        static let wide = Geometry(
            id: "flow-wide", classes: "wide", width: 960, nodeWidth: 14, fateX: 380, causeX: 748, drop: 7,
            stream: 240)
        static let narrow = Geometry(
            id: "flow-narrow", classes: "narrow", width: 360, nodeWidth: 10, fateX: 84, causeX: 176, drop: 11,
            stream: 210)
    }

    private struct Leaf {
        var name: String
        var count: UInt64
        var band: Double
        /// Relative to the group's first leaf.
        var offset: Double
        /// Whether the count stands below the name, for both have no room beside each other: a count without its last digits
        /// reads as another one.
        var hasTwoLines: Bool
        /// Of its own colour where it is not the fate's.
        var tone: String

        var slot: Double { hasTwoLines ? 35 : 19 }
    }

    private struct Group {
        var figures: FateFigures
        var leaves: [Leaf]
        var band: Double
        /// Where fate and first leaf begin.
        var top: Double
    }

    /// Room for a fate's name above its baseline.
    private static let header = 15.0
    private static let gap = 12.0
    private static let leastBand = 3.0
    private static let top = 46.0

    private let geometry: Geometry
    private let captured: UInt64
    private let groups: [Group]
    private let height: Double

    init(_ report: Report, _ geometry: Geometry) {
        self.geometry = geometry
        captured = report.events.captured
        let total = max(1, report.events.captured)
        var groups: [Group] = []
        var y = LedgerFlow.top
        for figures in report.events.fates where figures.count > 0 {
            let causes = figures.fate == .delivered ? report.deliveredAudit : figures.causes
            let leaves = LedgerFlow.leaves(causes, of: figures, total: total, geometry)
            let least = max(LedgerFlow.leastBand, Double(figures.count) / Double(total) * geometry.stream)
            let band = leaves.isEmpty ? least : leaves.reduce(0) { $0 + $1.band }
            let bottom =
                leaves.map { $0.offset + max($0.band, $0.slot) }.max() ?? band
            y += LedgerFlow.header + geometry.drop
            groups.append(Group(figures: figures, leaves: leaves, band: band, top: y))
            y += max(band, bottom) + LedgerFlow.gap
        }
        self.groups = groups
        height = max(y, 120)
    }

    private static func leaves(
        _ causes: [Report.NamedCount], of figures: FateFigures, total: UInt64, _ geometry: Geometry
    ) -> [Leaf] {
        var offset = 0.0
        return causes.map { cause in
            let band = max(leastBand, Double(cause.count) / Double(total) * geometry.stream)
            let letters = cause.name.count + 1 + Numbers.count(cause.count).count
            let leaf = Leaf(
                name: cause.name, count: cause.count, band: band, offset: offset,
                hasTwoLines: letters > geometry.letters,
                tone: cause.name == "acked_not_found" ? "lost" : figures.fate.rawValue)
            offset += max(band + 3, leaf.slot)
            return leaf
        }
    }

    /// What the picture says, in words.
    private var description: String {
        let parts = groups.map { group in
            let causes = group.leaves.map { "\($0.name) \(Numbers.count($0.count))" }.joined(separator: ", ")
            let share = Numbers.percent(group.figures.count, of: captured)
            let inside = causes.isEmpty ? "" : " (\(causes))"
            return "\(group.figures.fate.rawValue) \(Numbers.count(group.figures.count)), \(share)\(inside)"
        }
        return "Of \(Numbers.count(captured)) captured events: " + parts.joined(separator: "; ") + "."
    }

    func write(into html: inout Markup) {
        html.drawing(
            geometry.id, width: geometry.width, height: height, title: "Where every event went",
            description: description, classes: "flow \(geometry.classes)"
        ) { svg in
            svg.label(0, 16, "strong", "Captured")
            svg.label(0, 35, "num", Numbers.count(captured))
            var y = LedgerFlow.top + LedgerFlow.header + geometry.drop
            let source = groups.reduce(0) { $0 + $1.band }
            svg.rectangle(0, y, geometry.nodeWidth, source, "captured")
            for group in groups {
                write(group, from: y, into: &svg)
                y += group.band
            }
        }
    }

    private func write(_ group: Group, from y: Double, into svg: inout Markup) {
        let fate = group.figures.fate.rawValue
        let right = geometry.fateX + geometry.nodeWidth
        ribbon(geometry.nodeWidth, y, geometry.fateX, group.top, group.band, fate, into: &svg)
        svg.rectangle(geometry.fateX, group.top, geometry.nodeWidth, group.band, "node \(fate)")
        header(of: group, into: &svg)
        var start = group.top
        for leaf in group.leaves {
            let leafTop = group.top + leaf.offset
            ribbon(right, start, geometry.causeX, leafTop, leaf.band, leaf.tone, into: &svg)
            svg.rectangle(geometry.causeX, leafTop, geometry.nodeWidth, leaf.band, "node \(leaf.tone)")
            start += leaf.band
            label(of: leaf, at: leafTop, into: &svg)
        }
    }

    private func label(of leaf: Leaf, at top: Double, into svg: inout Markup) {
        let x = Markup.number(geometry.textX)
        let middle = top + leaf.band / 2 + 4.5
        let first = leaf.hasTwoLines ? middle - min(leaf.band / 2, 7.5) : middle
        svg.element("text", ["x": x, "y": Markup.number(first), "class": "leaf"]) { text in
            let name = Columns.shortened(leaf.name, geometry.letters)
            text.element("tspan", ["class": "quiet"], name + " ")
            let count = Numbers.count(leaf.count)
            if leaf.hasTwoLines {
                text.element("tspan", ["class": "num", "x": x, "dy": "15"], count)
            } else {
                text.element("tspan", ["class": "num"], count)
            }
        }
    }

    private func header(of group: Group, into svg: inout Markup) {
        let share = Numbers.percent(group.figures.count, of: captured)
        svg.element(
            "text",
            [
                "x": Markup.number(geometry.fateX), "y": Markup.number(group.top - geometry.drop),
                "class": "fate",
            ]
        ) { text in
            text.element("tspan", ["class": "strong"], group.figures.title + " ")
            text.element("tspan", ["class": "num"], Numbers.count(group.figures.count) + " ")
            text.element("tspan", ["class": "quiet num"], share)
        }
    }

    private func ribbon(
        _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double, _ band: Double, _ fate: String,
        into svg: inout Markup
    ) {
        let n = Markup.number
        let middle = n((x0 + x1) / 2)
        let over = "M\(n(x0)) \(n(y0))C\(middle) \(n(y0)) \(middle) \(n(y1)) \(n(x1)) \(n(y1))"
        let under =
            "V\(n(y1 + band))C\(middle) \(n(y1 + band)) \(middle) \(n(y0 + band)) \(n(x0)) \(n(y0 + band))Z"
        svg.empty("path", ["d": over + under, "class": "ribbon \(fate)"])
    }
}
