package import Datasets
import DeviceSDK
package import Files

/// Writes the table `events`, and notes which event became which row.
package final class ArrivalWriter {
    /// What brings revenue: an event's name, and the field of its price.
    private struct Price {
        var name: [UInt8]
        var field: Int
        var key: RevenueKey
    }

    private let table: EventTable
    private let sink: TableSink
    private let copies: BucketSpool<CopyRecord>
    private let buckets: DeviceBuckets
    private let part: ShardShare
    private let answers: AnswerKey
    /// Of each population.
    private let prices: [[Price]]
    private let raw: RawLines?
    /// The bytes of the events' own JSON so far.
    package var rawBytes: Int { raw?.size ?? 0 }
    private var upload: (at: Int64, device: UInt32, request: UInt32)?
    package private(set) var rows: Int64 = 0
    private(set) var uploads: Int64 = 0
    /// Rows of which nothing tells the event.
    package private(set) var unknown: Int64 = 0
    package private(set) var sample = RowSample()

    package init(
        _ table: EventTable, _ plans: DatasetPlans, into sink: TableSink, copies: BucketSpool<CopyRecord>,
        answers: AnswerKey, raw: RawLines? = nil
    ) {
        self.raw = raw
        self.table = table
        self.sink = sink
        self.copies = copies
        self.answers = answers
        buckets = plans.buckets
        part = plans.part
        prices = answers.facts.prices.map { keys in
            keys.compactMap { key in
                table.field(named: key.column).map { Price(name: Array(key.name.utf8), field: $0, key: key) }
            }
        }
    }

    package func write(_ row: ArrivalRow) throws(FileFailure) {
        let head = row.head
        rows += 1
        if upload.map({ $0 != (head.at, head.device, head.request) }) ?? true { uploads += 1 }
        upload = (head.at, head.device, head.request)
        let price = prices[Int(head.population)].first { price in
            price.name.count == row.name.count && price.name.elementsEqual(row.name)
        }
        let number = part.number(of: rows)
        let cents = table.put(
            row, number: number, upload: part.number(of: uploads), amount: price?.field, into: &sink.batch)
        // Of rows that nothing tells the event of, the truth does not know.
        if let price, let cents, head.copy == 0, head.sequence != ArrivalHead.unknown {
            answers.note(cents, of: price.key)
        }
        if head.sequence == ArrivalHead.unknown {
            unknown += 1
        } else {
            let copy = CopyRecord(row: number, at: head.at, device: head.device, sequence: head.sequence)
            try copies.append(copy, to: buckets[head.device])
        }
        sample.add(row)
        try raw?.write(row)
        try sink.flushIfFull()
    }
}

/// A table that is being filled: rows come together in a batch.
package final class TableSink {
    var batch: TableBatch
    private let output: DatasetOutput
    private let number: Int

    package init(_ schema: TableSchema, number: Int, of output: DatasetOutput) {
        batch = TableBatch(schema)
        self.number = number
        self.output = output
    }

    /// Fills a row: the batch is looked up once for all of its values.
    func fill(_ row: (inout TableBatch) -> Void) { row(&batch) }

    func flushIfFull() throws(FileFailure) {
        if batch.isFull { try flush() }
    }

    package func flush() throws(FileFailure) {
        try output.write(batch, table: number)
        batch.removeAll()
    }
}

extension ShardShare {
    /// The number of the share's n-th row, from 1, that no other share gives to one of its own; of a whole, n.
    fileprivate func number(of ordinal: Int64) -> Int64 { (ordinal - 1) * Int64(count) + Int64(index) + 1 }
}
