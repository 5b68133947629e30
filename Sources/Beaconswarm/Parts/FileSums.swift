import Datasets
import Files
import Snapshots

/// The checksums (CRC-32) of files that lie beside the state of a part, by their names: a file that is cut or was changed
/// since is found before anything is made of it.
struct FileSums: Hashable, Sendable {
    private var sums: [String: UInt32] = [:]

    init() {}

    /// Of those of some files that are there.
    init(of names: [String], in folder: String) throws(FileFailure) {
        for name in names {
            let path = "\(folder)/\(name)"
            if OutputFile.exists(path) { sums[name] = try FileChecksum.crc32(of: path) }
        }
    }

    /// Reads the files, and compares them.
    ///
    /// - Parameter isRead: Whether a file is of interest; by default all are.
    /// - Throws: ``CommandFailure`` with code 64 for one that is not as it was written.
    func check(in folder: String, where isRead: (String) -> Bool = { _ in true }) throws(CommandFailure) {
        do throws(FileFailure) {
            for (name, sum) in sums.sorted(by: { $0.key < $1.key }) where isRead(name) {
                try FileChecksum.check("\(folder)/\(name)", sum)
            }
        } catch {
            throw CommandFailure(.usage, "\(error); nothing was written")
        }
    }
}

extension FileSums: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        let sorted = sums.sorted { $0.key < $1.key }
        writer.write(each: sorted.map(\.key))
        writer.write(WholeNumbers(sorted.map { Int($0.value) }))
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let names: [String] = try reader.values()
        let numbers: WholeNumbers = try reader.value()
        for (name, number) in zip(names, try numbers.exactly(names.count, reader)) {
            guard let sum = UInt32(exactly: number) else { throw reader.impossible }
            sums[name] = sum
        }
    }
}
