import Foundation

/// How far a zone's clocks are ahead of UTC, over time.
package struct ZoneOffsets: Hashable, Sendable {
    /// From a moment on, in seconds since 1970, clocks are so many seconds ahead.
    package struct Change: Hashable, Sendable {
        package var from: Int64
        package var offset: Int64

        package init(from: Int64, offset: Int64) {
            self.from = from
            self.offset = offset
        }
    }

    /// By time, from the beginning of it on.
    package let changes: [Change]

    /// - Precondition: `changes` has something, and its times ascend.
    package init(changes: [Change]) {
        precondition(!changes.isEmpty && zip(changes, changes.dropFirst()).allSatisfy { $0.from < $1.from })
        self.changes = changes
    }

    package static let utc = ZoneOffsets(changes: [Change(from: .min, offset: 0)])

    /// What the machine's database knows of a zone, for some years.
    ///
    /// - Parameters:
    ///   - name: Such as `Asia/Shanghai`.
    ///   - years: Before and after them, clocks stay as they are at either end.
    /// - Returns: `nil` if there is no such zone.
    package init?(name: String, years: ClosedRange<Int> = 1970...2261) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        let begin = Date(timeIntervalSince1970: Double(years.lowerBound - 1970) * 31_556_952)
        let end = Date(timeIntervalSince1970: Double(years.upperBound + 1 - 1970) * 31_556_952)
        var changes = [Change(from: .min, offset: Int64(zone.secondsFromGMT(for: begin)))]
        var moment = begin
        while let next = zone.nextDaylightSavingTimeTransition(after: moment), next < end, next > moment {
            let offset = Int64(zone.secondsFromGMT(for: next))
            if offset != changes[changes.count - 1].offset {
                changes.append(Change(from: Int64(next.timeIntervalSince1970), offset: offset))
            }
            moment = next
        }
        self.init(changes: changes)
    }

    /// The change that holds at a time, and how long: up to the next change.
    package func span(at seconds: Int64) -> (offset: Int64, from: Int64, until: Int64) {
        // The first change that is later.
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].from <= seconds { low = middle + 1 } else { high = middle }
        }
        let until = low < changes.count ? changes[low].from : .max
        return (changes[low - 1].offset, changes[low - 1].from, until)
    }
}
