/// How many bytes the uploads of a population have on the way, without making them: path, query, header lines and
/// body, by what they carry.
///
/// A sum over the events of a body, since what compression makes of an event depends mostly on what it is, and on
/// whether there is one of its kind before it: so much for the request, for each state of the device, and for the
/// first and for each further event by template. Bodies of about as many events then get a factor of their own, by
/// which the sums over the sample that the model was fitted to come out exact.
///
/// A class, since it is asked for every upload and never changes.
package final class UploadSizeModel: Sendable {
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
    ///   - terms: Bytes; see ``UploadSizeTerms``.
    ///   - factors: By the number of binary digits of the number of events.
    package init(terms: UploadSizeTerms, factors: [Double] = []) {
        func fixed(_ value: Double) -> Int64 { Int64((value * 1024).rounded()) }
        base = fixed(terms.request)
        state = fixed(terms.state)
        first = terms.first.map { fixed(terms.anyFirst + $0) }
        further = terms.further.map { fixed(terms.anyFurther + $0) }
        otherFirst = fixed(terms.anyFirst)
        otherFurther = fixed(terms.anyFurther)
        self.factors = factors.map { Int64(($0 * 65_536).rounded()) }
    }

    /// 700 bytes, and 130 for each event: what uploads of the systems here have, about, where no sample says more.
    package static let typical: UploadSizeModel = {
        var terms = UploadSizeTerms(templates: 0)
        terms.request = 700
        terms.anyFirst = 130
        terms.anyFurther = 130
        return UploadSizeModel(terms: terms)
    }()

    /// Bytes without a factor, in 1/1024.
    private func sum(over events: borrowing CarriedEvents) -> Int64 {
        var seen = InlineArray<8, UInt64>(repeating: 0)
        var sum = base + state * Int64(events.states)
        for template in events.templates {
            let index = Int(template)
            // Of more templates two may share a place: then the first event of one counts as a further one.
            let place = index & (UploadSizeModel.templateLimit - 1)
            let bit: UInt64 = 1 << UInt64(place & 63)
            let isFurther = seen[place >> 6] & bit != 0
            seen[place >> 6] |= bit
            if index < first.count {
                sum += isFurther ? further[index] : first[index]
            } else {
                sum += isFurther ? otherFurther : otherFirst
            }
        }
        return sum
    }

    /// The size of an upload in bytes. O(events).
    package func bytes(of events: borrowing CarriedEvents) -> UInt64 {
        let sizeClass = min(UploadSizeModel.sizeClass(of: events.count), factors.count - 1)
        let factor = sizeClass >= 0 ? factors[sizeClass] : 65_536
        return UInt64(max(1, ((sum(over: events) >> 4) * factor) >> 22))
    }

    /// Bodies of about as many events: 0, 1, 2 … 3, 4 … 7, and so on.
    package static func sizeClass(of count: Int) -> Int { Int.bitWidth - count.leadingZeroBitCount }
}

/// What the parts of an upload add to its size, in bytes.
package struct UploadSizeTerms: Sendable {
    package var request = 0.0
    /// Each state of the device that its events were captured in.
    package var state = 0.0
    /// The first event of a template, and each further one.
    package var anyFirst = 0.0
    package var anyFurther = 0.0
    /// By template: what they add beyond that.
    package var first: [Double]
    package var further: [Double]

    package init(templates: Int) {
        first = Array(repeating: 0, count: templates)
        further = first
    }
}
