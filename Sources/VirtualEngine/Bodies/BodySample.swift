import CollectorModel
import DeviceSDK

/// One upload of a sample: what it carries, and how many bytes it has.
struct BodySample {
    /// Events by template, in the order in which they come first.
    var counts: [(template: Int, count: Int)]
    var states: Int
    var bytes: Int
    /// How much it counts.
    var weight: Double

    init(_ events: borrowing CarriedEvents, bytes: Int, weight: Double) {
        counts = []
        for template in events.templates {
            if let index = counts.firstIndex(where: { $0.template == Int(template) }) {
                counts[index].count += 1
            } else {
                counts.append((Int(template), 1))
            }
        }
        states = events.states
        self.bytes = bytes
        self.weight = weight
    }

    var eventCount: Int { counts.reduce(0) { $0 + $1.count } }

    /// The sum of the parts' terms.
    func size(by terms: UploadSizeTerms) -> Double {
        var size = terms.request + terms.state * Double(states)
        for (template, count) in counts {
            size += terms.anyFirst + terms.first[template]
            size += Double(count - 1) * (terms.anyFurther + terms.further[template])
        }
        return size
    }
}

/// Least squares over a sample, one term after the other until nothing moves any more: additions,
/// multiplications and divisions alone, which come out the same on every machine.
struct BodyFit {
    private let samples: [BodySample]
    private(set) var terms: UploadSizeTerms
    /// What is left of each sample's size.
    private var rest: [Double]

    /// Rounds over all terms.
    private static let rounds = 60
    /// Uploads by which a template must differ before it is believed that it does.
    private static let doubt = 2.0

    /// - Parameter samples: At least one.
    init(_ samples: [BodySample]) {
        self.samples = samples
        let templates = 1 + (samples.flatMap { $0.counts.map(\.template) }.max() ?? 0)
        terms = UploadSizeTerms(templates: templates)
        rest = samples.map { Double($0.bytes) }
        let uses = BodyFit.uses(samples, templates: templates)
        for _ in 0..<BodyFit.rounds {
            move(\.request, in: uses.all, doubt: 0) { _ in 1 }
            move(\.state, in: uses.all, doubt: 0) { Double($0.states) }
            move(\.anyFirst, in: uses.all, doubt: 0) { Double($0.counts.count) }
            move(\.anyFurther, in: uses.all, doubt: 0) { Double($0.eventCount - $0.counts.count) }
            for template in 0..<templates {
                move(\.first[template], in: uses.byTemplate[template], doubt: BodyFit.doubt) { _ in 1 }
                move(\.further[template], in: uses.byTemplate[template], doubt: BodyFit.doubt) { sample in
                    Double((sample.counts.first { $0.template == template }?.count ?? 1) - 1)
                }
            }
        }
    }

    private static func uses(
        _ samples: [BodySample], templates: Int
    ) -> (all: [Int], byTemplate: [[Int]]) {
        var byTemplate = [[Int]](repeating: [], count: templates)
        for (index, sample) in samples.enumerated() {
            for (template, _) in sample.counts { byTemplate[template].append(index) }
        }
        return (Array(samples.indices), byTemplate)
    }

    /// Moves one term to where the squares are least, the others standing still. Large bodies count as much as
    /// small ones.
    private mutating func move(
        _ term: WritableKeyPath<UploadSizeTerms, Double>, in uses: [Int], doubt: Double,
        _ value: (BodySample) -> Double
    ) {
        var (up, down) = (0.0, 0.0)
        for index in uses {
            let x = value(samples[index])
            let weight = samples[index].weight / Double(max(1, samples[index].bytes))
            up += weight * x * rest[index]
            down += weight * x * x
        }
        guard down > 0 else { return }
        let mean = down / Double(max(1, uses.count))
        let penalty = doubt * mean
        let step = (up - penalty * terms[keyPath: term]) / (down + penalty)
        terms[keyPath: term] += step
        for index in uses { rest[index] -= step * value(samples[index]) }
    }

    /// By the number of binary digits of the number of events: what the sums of the terms are to be multiplied with.
    /// Classes that the sample hardly has take the factor of the one below.
    func factors() -> [Double] {
        var (real, summed) = ([Double](), [Double]())
        var seen: [Int] = []
        for sample in samples {
            let sizeClass = UploadSizeModel.sizeClass(of: sample.eventCount)
            while real.count <= sizeClass {
                real.append(0)
                summed.append(0)
                seen.append(0)
            }
            real[sizeClass] += sample.weight * Double(sample.bytes)
            summed[sizeClass] += sample.weight * max(1, sample.size(by: terms))
            seen[sizeClass] += 1
        }
        var factors: [Double] = []
        var last = 1.0
        for sizeClass in real.indices {
            if seen[sizeClass] >= BodyFit.enough { last = real[sizeClass] / summed[sizeClass] }
            factors.append(last)
        }
        return factors
    }

    /// Uploads of a class that say something.
    private static let enough = 8
}
