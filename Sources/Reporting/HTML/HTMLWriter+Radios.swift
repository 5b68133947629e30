import Rendering

/// Which radios the devices were on.
extension HTMLWriter {
    /// The colour of each radio's line, whichever of them a page has.
    private static let radioTones = ["wifi": "a", "5g": "g", "4g": "b", "3g": "d", "2g": "e", "none": "c"]

    static func radioChart(_ report: Report) -> TimeChart? {
        guard let radios = report.radios, radios.seconds.count > 1 else { return nil }
        let chart = TimeChart(
            id: "c-radios", title: radioTitle(radios, of: report.devices), unit: .share,
            points: points(between: radios.seconds), marks: report.marks,
            lines: radios.radios.reversed().map { radio in
                let shares = Dictionary(zip(radios.seconds, radio.shares)) { $1 }
                return TimeChart.Measure(
                    name: radio.name == "none" ? "no radio" : radio.name,
                    tone: radioTones[radio.name] ?? "a", value: { shares[$0.second] })
            }, scale: TimeScale(report))
        return chart.hasSamples ? chart : nil
    }

    private static func radioTitle(_ radios: Report.RadioShares, of devices: Int) -> String {
        radios.devices < devices
            ? "Devices by radio (of \(Numbers.count(radios.devices)) of them)" : "Devices by radio"
    }
}
