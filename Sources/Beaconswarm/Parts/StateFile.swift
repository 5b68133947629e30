import Snapshots
import Wire

/// The file of a part's state: a first line that says what it is, a snapshot, and the sum of both at the end.
enum StateFile {
    /// The characters of the sum.
    private static let sumLength = 64

    static func bytes(of state: some Snapshotable, head: String) -> [UInt8] {
        var writer = SnapshotWriter()
        writer.append(Array(head.utf8))
        writer.write(state)
        return writer.bytes + Array(SHA256.hexadecimal(of: writer.bytes).utf8)
    }

    /// Reads a state.
    ///
    /// - Parameters:
    ///   - what: What it is the state of.
    ///   - remedy: What helps where the file is cut or was changed.
    /// - Returns: the state, and the sum of its file.
    /// - Throws: ``CommandFailure`` with code 64 for a file that is cut, was changed, or is none.
    static func read<State: Snapshotable>(
        _ path: String, head: String, of what: String, remedy: String
    ) throws(CommandFailure) -> (state: State, sum: String) {
        let bytes = try OutputFile.read(path, failing: .usage)
        let head = Array(head.utf8)
        guard bytes.starts(with: head), bytes.count > head.count + sumLength else {
            throw CommandFailure(.usage, "\(path): not the state of \(what) of this version")
        }
        let body = bytes.dropLast(sumLength)
        let sum = String(decoding: bytes.suffix(sumLength), as: UTF8.self)
        guard SHA256.hexadecimal(of: Array(body)) == sum else {
            throw CommandFailure(
                .usage, "\(path): the file is cut or was changed: its sum is another; \(remedy)")
        }
        do throws(SnapshotError) {
            var reader = SnapshotReader(body.dropFirst(head.count))
            return (try State(from: &reader), sum)
        } catch {
            throw CommandFailure(.usage, "\(path): \(error)")
        }
    }
}
