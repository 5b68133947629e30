import Rendering
import Wire

/// Figures with names, labels and meanings, as monitoring systems take them: in Prometheus's text format, or as a push
/// of OpenTelemetry.
struct Exposition {
    enum Kind: String {
        case gauge
        /// Never goes down while a process lives.
        case counter
        /// Quantiles of what was seen so far, with its sum and count.
        case summary
    }

    struct Sample {
        var name: String
        var labels: [(String, String)]
        var value: Double
    }

    struct Family {
        var name: String
        var kind: Kind
        var help: String
        /// Whether what is not told is 0: parts of a whole, and states of which one holds.
        var isComplete: Bool
        var samples: [Sample] = []
    }

    /// In the order in which they are told.
    private(set) var families: [Family] = []

    /// Begins a family; the samples that follow are of it.
    mutating func family(
        _ name: String, _ kind: Kind, _ help: String, isComplete: Bool = false, unless skip: Bool = false
    ) {
        guard !skip else { return }
        families.append(Family(name: name, kind: kind, help: help, isComplete: isComplete))
    }

    /// Tells 0 of each series that was told before and is not any more, of families that say that this is what it means.
    ///
    /// - Parameter told: The labels that were told of each family; takes in those of now.
    mutating func addZeros(told: inout [String: [[String: String]]]) {
        for index in families.indices where families[index].isComplete {
            let now = families[index].samples.map { Dictionary($0.labels, uniquingKeysWith: { $1 }) }
            let before = told[families[index].name] ?? []
            for sample in before where !now.contains(sample) {
                let labels = sample.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
                families[index].samples.append(Sample(name: families[index].name, labels: labels, value: 0))
            }
            told[families[index].name] = before + now.filter { !before.contains($0) }
        }
    }

    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Double) {
        guard !families.isEmpty else { return }
        families[families.count - 1].samples.append(Sample(name: name, labels: labels, value: value))
    }

    /// A family of one sample without labels.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample(name, [], value)
    }

    /// Prometheus's text format 0.0.4.
    var text: String {
        var text = ""
        for family in families {
            text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples {
                let inner = sample.labels.map { "\($0.0)=\"\(Escaping.prometheus($0.1))\"" }
                    .joined(separator: ",")
                let number = sample.value.isFinite ? JSONNode.digits(of: sample.value) : "NaN"
                text += sample.name + (inner.isEmpty ? "" : "{\(inner)}") + " " + number + "\n"
            }
        }
        return text
    }
}
