import Snapshots
import World

// Tables go in the order of their keys, so that the same totals are the same bytes.
extension AnswerTotals: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(each: names.map { List($0.map { .init([$0.captured, $0.arrived, $0.rows]) }) })
        writer.write(each: funnel.map { WholeNumbers([$0.captured, $0.arrived]) })
        writer.write(each: radios.map { WholeNumbers([$0.captured, $0.lost]) })
        writer.write(users.map { ($0, [$1.captured, $1.arrived]) })
        writer.write(sessions.map { ($0, [$1.count, Int($1.length)]) })
        writer.write(dayTexts.map { ($1, [Int($0)]) })
        writer.write(returned.map { ($0, [$1]) })
        writer.write(firstDays.map { ($0, [$1]) })
        writer.write(fates.map { (Int64($0), [$1]) })
        writer.write(lateness.map { ($0, [$1]) })
        let sums = revenue.sorted { $0.key < $1.key }
        writer.write(each: sums.flatMap { [$0.key.name, $0.key.column] })
        writer.write(
            each: sums.map { WholeNumbers([$0.value.events, Int($0.value.cents), Int($0.value.size)]) })
        writer.write(each: lastDay.map { [WholeNumbers([Int($0)])] } ?? [])
        writer.write(WholeNumbers([copied, arrived]))
        writer.write(fingerprint)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let lists: [List] = try reader.values()
        names = []
        for list in lists {
            var counts: [NameCounts] = []
            for numbers in list.items {
                let own = try numbers.exactly(3, reader)
                counts.append(NameCounts(captured: own[0], arrived: own[1], rows: own[2]))
            }
            names.append(counts)
        }
        funnel = try reader.rows(2).map { Users(captured: $0[0], arrived: $0[1]) }
        radios = try reader.rows(2).map { Radio(captured: $0[0], lost: $0[1]) }
        users = try reader.table(2).mapValues { Users(captured: $0[0], arrived: $0[1]) }
        sessions = try reader.texts(2).mapValues { Sessions(count: $0[0], length: Int64($0[1])) }
        for (text, day) in try reader.texts(1) { dayTexts[Int64(day[0])] = text }
        returned = try reader.table(1).mapValues { $0[0] }
        firstDays = try reader.table(1).mapValues { $0[0] }
        for (code, count) in try reader.table(1) {
            guard let code = UInt32(exactly: code) else { throw reader.impossible }
            fates[code] = count[0]
        }
        lateness = try reader.table(1).mapValues { $0[0] }
        let texts: [String] = try reader.values()
        let sums = try reader.rows(3)
        guard texts.count == 2 * sums.count else { throw reader.impossible }
        for (index, sum) in sums.enumerated() {
            let key = RevenueKey(name: texts[2 * index], column: texts[2 * index + 1])
            revenue[key] = Revenue(events: sum[0], cents: Int64(sum[1]), size: Int64(sum[2]))
        }
        lastDay = try reader.rows(1).first.map { Int64($0[0]) }
        let rest: WholeNumbers = try reader.value()
        let counts = try rest.exactly(2, reader)
        (copied, arrived) = (counts[0], counts[1])
        fingerprint = try reader.unsigned()
    }
}

/// The numbers of several things.
private struct List: Snapshotable {
    let items: [WholeNumbers]

    init(_ items: [WholeNumbers]) { self.items = items }

    func write(to writer: inout SnapshotWriter) { writer.write(each: items) }

    init(from reader: inout SnapshotReader) throws(SnapshotError) { items = try reader.values() }
}

extension SnapshotWriter {
    fileprivate mutating func write(_ table: [(key: Int64, numbers: [Int])]) {
        let sorted = table.sorted { $0.key < $1.key }
        write(each: sorted.map { WholeNumbers([Int($0.key)] + $0.numbers) })
    }

    fileprivate mutating func write(_ table: [(key: String, numbers: [Int])]) {
        let sorted = table.sorted { $0.key < $1.key }
        write(each: sorted.map(\.key))
        write(each: sorted.map { WholeNumbers($0.numbers) })
    }
}

extension SnapshotReader {
    /// Things with so many numbers each.
    fileprivate mutating func rows(_ count: Int) throws(SnapshotError) -> [[Int]] {
        let rows: [WholeNumbers] = try values()
        for row in rows { _ = try row.exactly(count, self) }
        return rows.map(\.values)
    }

    fileprivate mutating func table(_ count: Int) throws(SnapshotError) -> [Int64: [Int]] {
        var table: [Int64: [Int]] = [:]
        for row in try rows(count + 1) { table[Int64(row[0])] = Array(row.dropFirst()) }
        return table
    }

    fileprivate mutating func texts(_ count: Int) throws(SnapshotError) -> [String: [Int]] {
        let keys: [String] = try values()
        let rows = try rows(count)
        guard keys.count == rows.count, Set(keys).count == keys.count else { throw impossible }
        return Dictionary(uniqueKeysWithValues: zip(keys, rows))
    }
}
