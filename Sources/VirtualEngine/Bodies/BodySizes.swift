package import CollectorModel
package import DeviceSDK
import Timebase

/// How many bytes the uploads of a run's populations have on the way, without making them: one model each.
///
/// Fitted before the run (``fitted(to:)``), a function of seed, populations and scenario alone.
package struct BodySizes: Sendable {
    private var models: [BodySizeModel?]

    /// - Parameter models: By population; `nil` for those whose requests are written.
    package init(_ models: [BodySizeModel?]) { self.models = models }

    /// The model of a population; `nil` if its requests are written and read.
    package func model(of population: Int) -> BodySizeModel? {
        population < models.count ? models[population] : nil
    }

    /// Populations whose requests are written and read all the same.
    package var written: [Int] { models.indices.filter { models[$0] == nil } }
}

/// The size of one population's uploads: path, query, header lines and body, by what they carry.
///
/// A sum over the events of a body, since what compression makes of an event depends mostly on what it is, and on
/// whether there is one of its kind before it: so much for the request, for each state of the device, and for the
/// first and for each further event by template. Bodies of about as many events then get a factor of their own, by
/// which the sums over the sample come out exact.
///
/// A class, since it is asked for every upload and never changes.
package final class BodySizeModel: Sendable {
    package let system: CollectorSystem
    /// 1/1024 of a byte.
    private let base: Int64
    private let state: Int64
    private let first: [Int64]
    private let further: [Int64]
    /// By the number of binary digits of the number of events, in 1/65536.
    private let factors: [Int64]

    /// What is not known of a template costs as much as others.
    private let otherFirst: Int64
    private let otherFurther: Int64

    /// Templates whose first events are told apart.
    private static let templateLimit = 512

    /// - Parameters:
    ///   - terms: Bytes; see ``BodyTerms``.
    ///   - factors: By the number of binary digits of the number of events.
    init(system: CollectorSystem, terms: BodyTerms, factors: [Double]) {
        func fixed(_ value: Double) -> Int64 { Int64((value * 1024).rounded()) }
        self.system = system
        base = fixed(terms.request)
        state = fixed(terms.state)
        first = terms.first.map { fixed(terms.anyFirst + $0) }
        further = terms.further.map { fixed(terms.anyFurther + $0) }
        otherFirst = fixed(terms.anyFirst)
        otherFurther = fixed(terms.anyFurther)
        self.factors = factors.map { Int64(($0 * 65_536).rounded()) }
    }

    /// Bytes without a factor, in 1/1024.
    private func sum(over events: borrowing CarriedEvents) -> Int64 {
        var seen = InlineArray<8, UInt64>(repeating: 0)
        var sum = base + state * Int64(events.states)
        for template in events.templates {
            let place = Int(template) & (BodySizeModel.templateLimit - 1)
            let bit: UInt64 = 1 << UInt64(place & 63)
            let isFurther = seen[place >> 6] & bit != 0
            seen[place >> 6] |= bit
            if place < first.count {
                sum += isFurther ? further[place] : first[place]
            } else {
                sum += isFurther ? otherFurther : otherFirst
            }
        }
        return sum
    }

    /// The size of an upload in bytes. O(events).
    package func bytes(of events: borrowing CarriedEvents) -> UInt64 {
        let place = min(BodySizeModel.sizeClass(of: events.count), factors.count - 1)
        let factor = place >= 0 ? factors[place] : 65_536
        return UInt64(max(1, ((sum(over: events) >> 4) * factor) >> 22))
    }

    /// Bodies of about as many events: 0, 1, 2 … 3, 4 … 7, and so on.
    static func sizeClass(of count: Int) -> Int { Int.bitWidth - count.leadingZeroBitCount }
}

/// What the parts of an upload add to its size, in bytes.
struct BodyTerms {
    var request = 0.0
    /// Each state of the device that its events were captured in.
    var state = 0.0
    /// The first event of a template, and each further one.
    var anyFirst = 0.0
    var anyFurther = 0.0
    /// By template: what they add beyond that.
    var first: [Double]
    var further: [Double]

    init(templates: Int) {
        first = Array(repeating: 0, count: templates)
        further = first
    }
}
