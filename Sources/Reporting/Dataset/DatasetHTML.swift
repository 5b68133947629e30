import Rendering

/// `report.html` of a dataset: what came out beside what was asked for, without network or script.
package enum DatasetHTML {
    package static func write(_ report: DatasetReport) -> [UInt8] {
        Markup.page(
            title: "\(report.name): dataset",
            header: { html in
                html.element("p", ["class": "eyebrow"], "Beaconswarm · dataset · seed \(report.seed)")
                html.element("h1", report.name)
                let events = Numbers.count(report.captured, of: "event")
                let rows = Numbers.count(report.rows, of: "row")
                html.element(
                    "p", ["class": "lead"],
                    "\(events) captured, \(rows) arrived. What came out stands beside what the scenario asks for; "
                        + "whether that is like people is for you to say.")
            }, footer: "Beaconswarm \(report.toolVersion)"
        ) { html in
            for (number, population) in report.populations.enumerated() {
                section(population, number, into: &html)
            }
            columns(report, into: &html)
        }
    }

    private static func section(
        _ population: DatasetReport.Population, _ number: Int, into html: inout Markup
    ) {
        let bots =
            population.bots == 0
            ? "" : ", and \(Numbers.count(population.bots)) of bots, of which nothing counts here"
        HTMLWriter().section("population-\(number)", population.name, &html) { html in
            html.element(
                "p",
                "\(Numbers.devices(population.devices)), persona \(population.persona)\(bots). "
                    + "Asked for is what the persona says by itself: people who install the app late or delete "
                    + "it, notifications and an app whose screens end a session early change what comes out.")
            html.element("h3", "Per device and day")
            html.table(
                "Per device and day", ["", "found", "asked for"],
                population.rates.map { rate in
                    [rate.name, Numbers.fixed(rate.found, 3), rate.asked.map { Numbers.fixed($0, 3) } ?? "–"]
                })
            times(population, into: &html)
            day(population, into: &html)
        }
    }

    private static func times(_ population: DatasetReport.Population, into html: inout Markup) {
        let names = DatasetReport.percentiles.map { "p(\(Numbers.plain($0)))" }
        let rows = population.times.flatMap { times -> [[String]] in
            let cells = { (values: [Double]) in values.map { Numbers.duration(seconds: $0) } }
            let dashes = names.map { _ in "–" }
            return [
                [times.name + ", found", Numbers.count(times.count)]
                    + (times.count > 0 ? cells(times.found) : dashes),
                [times.name + ", asked for", "–"] + (times.asked.map(cells) ?? dashes),
            ]
        }
        html.element("h3", "Times")
        html.table("Times", ["", "values"] + names, rows)
    }

    private static func day(_ population: DatasetReport.Population, into html: inout Markup) {
        let total = population.hours.reduce(0, +)
        guard total > 0 else { return }
        let shares = population.hours.map { Double($0) / Double(total) }
        let most = max(shares.max() ?? 1, population.askedHours.max() ?? 1, 1e-9)
        let title = "Sessions by the hour of people's own day"
        html.element("h3", title)
        html.bars(
            title, ["hour", "sessions", "found", "asked for", "of the largest share"],
            picture: 4,
            population.hours.indices.map { hour in
                Bar(
                    cells: [
                        "\(hour):00", Numbers.count(population.hours[hour]), Numbers.percent(shares[hour]),
                        hour < population.askedHours.count
                            ? Numbers.percent(population.askedHours[hour]) : "–",
                    ], parts: [("delivered", shares[hour] / most)])
            })
    }

    private static func columns(_ report: DatasetReport, into html: inout Markup) {
        HTMLWriter().section("columns", "Columns of events", &html) { html in
            html.element(
                "p",
                "In \(Numbers.count(report.sampledRows)) rows of \(Numbers.count(report.rows)), drawn evenly. Entropy "
                    + "is what a value tells on average if each came as often as in the sample; asked for is the most "
                    + "that the app's description allows. Packed is zstd's level 3, 2,048 rows of a column at a time."
            )
            html.table(
                "Entropy and compression",
                ["column", "values", "distinct", "bits a value", "asked for", "bytes a value", "packed to"],
                report.columns.filter { $0.values > 0 }.map { column in
                    [
                        column.name, Numbers.count(column.values), Numbers.count(column.distinct),
                        Numbers.fixed(column.entropy, 2),
                        column.askedEntropy.map { "≤ " + Numbers.fixed($0, 2) } ?? "–",
                        Numbers.fixed(Double(column.bytes) / Double(column.values), 1),
                        column.bytes > 0
                            ? Numbers.percent(Double(column.packedBytes) / Double(column.bytes)) : "–",
                    ]
                })
        }
    }
}
