package import Files
import Glibc

/// A dataset's folder: tables, each in every format that is asked for.
///
/// Each file has an unfinished name until it is whole, and `_SUCCESS` comes last: a folder without it is not to be used,
/// whatever ended the process that wrote it. Confined to one thread at a time.
package final class DatasetOutput {
    /// The empty file that says that everything is there.
    package static let successName = "_SUCCESS"
    /// The action of a ``FileFailure`` where a folder holds no dataset that can be gone on with.
    package static let goingOn = "go on with"
    /// The database of all tables.
    package static let databaseName = "dataset.sqlite"

    package let folder: String
    /// The rows of each table so far.
    package private(set) var rows: [Int]
    private let journal: PartJournal
    private let sequences: [[PartSequence]]
    private let database: SQLiteFile?
    private var databaseWriters: [any DatasetWriter] = []
    private var hasEnded = false

    /// Makes the folder with those above it.
    ///
    /// - Parameters:
    ///   - identity: What makes the dataset what it is, such as the sum of its scenario, seed and settings: what was
    ///     begun can be gone on with if it is the same.
    ///   - settings: The same for people, so that what differs can be named.
    ///   - isResuming: Whether whole parts in the folder are kept. The same rows are then to come again, from the
    ///     first on; those of whole parts are passed over. A database is written anew.
    package init(
        _ folder: String, tables: [DatasetTable], layout: DatasetLayout, identity: String = "",
        settings: [(name: String, value: String)] = [], isResuming: Bool = false
    ) throws(FileFailure) {
        self.folder = folder
        rows = tables.map { _ in 0 }
        try Folder.make(folder)
        try Folder.remove("\(folder)/\(DatasetOutput.successName)")
        let journal = try PartJournal(
            in: folder, identity: identity, settings: settings, isResuming: isResuming)
        self.journal = journal
        sequences = tables.map { table in
            layout.formats.filter { $0 != .sqlite }.map { PartSequence(table, $0, layout, journal) }
        }
        guard layout.formats.contains(.sqlite) else {
            database = nil
            return
        }
        let schemas = tables.map(\.schema)
        let database = try SQLiteFile("\(folder)/\(DatasetOutput.databaseName)", tables: schemas)
        self.database = database
        for schema in schemas { databaseWriters.append(try database.writer(of: schema)) }
    }

    /// The bytes so far, whole parts of an earlier run among them.
    package var size: Int {
        sequences.joined().reduce(database?.size ?? 0) { $0 + $1.size }
    }

    /// Appends the rows of a batch to a table, by its number.
    package func write(_ batch: borrowing TableBatch, table: Int) throws(FileFailure) {
        for sequence in sequences[table] { try sequence.write(batch) }
        if database != nil { try databaseWriters[table].write(batch, rows: 0..<batch.count) }
        rows[table] += batch.count
    }

    /// Ends every file; no row may come after it.
    package func endFiles() throws(FileFailure) {
        guard !hasEnded else { return }
        hasEnded = true
        for sequence in sequences.joined() { try sequence.finish() }
        for writer in databaseWriters { try writer.finish() }
        databaseWriters.removeAll()
        try database?.finish()
    }

    /// Removes the files of an unfinished dataset whose rows are not what they should be: whoever goes on with it keeps
    /// none of them. No row may come after it.
    package func discard() throws(FileFailure) {
        try journal.discard()
        for sequence in sequences.joined() { try sequence.discard() }
    }

    /// Ends every file that is not ended yet, and says that everything is there.
    package func finish() throws(FileFailure) {
        try endFiles()
        try FileSink("\(folder)/\(DatasetOutput.successName)").finish()
    }
}
