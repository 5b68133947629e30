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
        /// Not a number where there is none.
        var value: Double

        /// Which series it is of; a summary's quantiles are of one.
        var series: [String: String] {
            Dictionary(labels.filter { $0.0 != "quantile" }, uniquingKeysWith: { $1 })
        }
    }

    struct Family {
        var name: String
        var kind: Kind
        var help: String
        /// Whether what is not told is 0: parts of a whole, and states of which one holds.
        var isComplete: Bool
        var samples: [Sample] = []

        /// What it tells once its series are over.
        fileprivate var ended: Family {
            var family = self
            var known: Set<[String: String]> = []
            family.samples = samples.filter { known.insert($0.series).inserted }.map { sample in
                let labels = sample.labels.filter { $0.0 != "quantile" }
                return Sample(name: name, labels: labels, value: isComplete ? 0 : .nan)
            }
            return family
        }
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

    /// Tells each series that was told before and is not any more: 0 in families that say that this is what it means, and
    /// that there is no value in the others.
    ///
    /// - Parameter told: The families that were told, with a sample for each of their series; takes in those of now.
    mutating func addEnded(told: inout [Family]) {
        for before in told {
            let index = families.firstIndex { $0.name == before.name } ?? families.endIndex
            if index == families.endIndex {
                families.append(before)
            } else {
                let now = Set(families[index].samples.map(\.series))
                families[index].samples += before.samples.filter { !now.contains($0.series) }
            }
        }
        told = families.map(\.ended)
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
