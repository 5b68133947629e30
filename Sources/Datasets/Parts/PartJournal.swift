package import Files
import Glibc
import Wire

/// The list of a dataset's whole parts, `_parts.ndjson`: after a head, a line for each part once it has its final name.
///
/// What is killed leaves the list as it is, so that the next run writes only what is not in it. Names that begin with
/// an underscore are not read as data by readers of such folders.
package final class PartJournal {
    struct Part: Equatable {
        var table: String
        var format: String
        /// From the dataset's folder on.
        var path = ""
        var rows = 0
        var bytes = 0
        /// ``FileChecksum`` of its bytes; `nil` where the list says nothing.
        var crc32: UInt32?
    }

    package static let name = "_parts.ndjson"

    let folder: String
    private let file: GrowingFile
    private let earlier: [Part]
    /// The files of all that it lists.
    private var paths: [String]

    /// Begins the list; where there is one already, with the parts of it that are there.
    ///
    /// - Parameters:
    ///   - identity: What makes the same dataset: another one's parts are refused.
    ///   - settings: By which it is told what differs.
    init(
        in folder: String, identity: String, settings: [(name: String, value: String)] = [],
        isResuming: Bool
    ) throws(FileFailure) {
        self.folder = folder
        let path = "\(folder)/\(PartJournal.name)"
        earlier = isResuming ? try PartJournal.read(path, in: folder, identity, settings) : []
        // Renamed at once: the list grows under its final name, and is never without what it had.
        file = try GrowingFile(path: path + GrowingFile.partialSuffix)
        var text = WireBuffer("{\"dataset\":")
        text.appendJSONString(identity)
        for (name, value) in settings {
            text.append(",")
            text.appendJSONString(name)
            text.append(":")
            text.appendJSONString(value)
        }
        text.append("}\n")
        for part in earlier { PartJournal.append(part, to: &text) }
        paths = earlier.map(\.path)
        try file.append(text.bytes)
        guard rename(file.path, path) == 0 else { throw FileFailure("rename to \(path) the file", file.path) }
    }

    /// The whole parts of an earlier run, in the order in which they were written.
    func parts(of table: String, _ format: DatasetFormat) -> [Part] {
        earlier.filter { $0.table == table && $0.format == format.description }
    }

    /// Notes a part that has its final name.
    func note(_ part: Part) throws(FileFailure) {
        var text = WireBuffer()
        PartJournal.append(part, to: &text)
        try file.append(text.bytes)
        paths.append(part.path)
    }

    /// Removes the files of all parts, which then count no more, whatever the list says.
    func discard() throws(FileFailure) {
        for path in paths { try Folder.remove("\(folder)/\(path)") }
    }

    private static func append(_ part: Part, to text: inout WireBuffer) {
        text.append("{\"table\":")
        text.appendJSONString(part.table)
        text.append(",\"format\":")
        text.appendJSONString(part.format)
        text.append(",\"path\":")
        text.appendJSONString(part.path)
        text.append(",\"rows\":")
        text.appendDecimal(part.rows)
        text.append(",\"bytes\":")
        text.appendDecimal(part.bytes)
        if let crc32 = part.crc32 {
            text.append(",\"crc32\":")
            text.appendDecimal(Int(crc32))
        }
        text.append("}\n")
    }

    /// The files of a dataset's tables, from its folder on, in the order in which they were written.
    ///
    /// - Throws: ``FileFailure`` where there is no list, or a file is not there as it says.
    package static func paths(in folder: String) throws(FileFailure) -> [String] {
        let path = "\(folder)/\(name)"
        guard let size = Folder.size(of: path) else {
            throw FileFailure("read", path, reason: "there is no such file")
        }
        var paths: [String] = []
        for line in try Folder.read(path, limit: size).split(separator: UInt8(ascii: "\n")).dropFirst() {
            guard let part = part(line) else {
                throw FileFailure("read", path, reason: "a line of it is cut or was changed")
            }
            try check(part, in: folder)
            paths.append(part.path)
        }
        return paths
    }

    /// - Throws: ``FileFailure`` where a part's file is not there as it was written.
    private static func check(_ part: Part, in folder: String) throws(FileFailure) {
        let path = "\(folder)/\(part.path)"
        guard Folder.size(of: path) == part.bytes else {
            throw FileFailure("read", path, reason: "it is not there with its \(part.bytes) bytes")
        }
        if let crc32 = part.crc32 { try FileChecksum.check(path, crc32) }
    }

    /// The parts of a list whose files are there as it says.
    private static func read(
        _ path: String, in folder: String, _ identity: String, _ settings: [(name: String, value: String)]
    ) throws(FileFailure) -> [Part] {
        guard let size = Folder.size(of: path) else {
            // A process that ended before it had a list has left nothing.
            if Folder.names(in: folder).isEmpty { return [] }
            throw FileFailure(
                DatasetOutput.goingOn, folder, reason: "there is no \(name), so no dataset was begun there")
        }
        let bytes = try Folder.read(path, limit: size)
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        try check(lines.first ?? [], in: folder, identity, settings)
        // A line that was being written when the process ended is cut; those behind a part that is gone count no more.
        var parts: [Part] = []
        var gone: Set<[String]> = []
        for line in lines.dropFirst() {
            guard let part = part(line) else { continue }
            let isThere = (try? check(part, in: folder)) != nil
            if !isThere { gone.insert([part.table, part.format]) }
            if !gone.contains([part.table, part.format]) { parts.append(part) }
        }
        return parts
    }

    /// Refuses the list of another dataset by its first line.
    private static func check(
        _ head: ArraySlice<UInt8>, in folder: String, _ identity: String,
        _ settings: [(name: String, value: String)]
    ) throws(FileFailure) {
        let head = try? JSONReader.readStrictly(Array(head))
        guard head?["dataset"]?.string != identity else { return }
        let told = head.flatMap { PartJournal.difference(of: settings, from: $0) } ?? ""
        throw FileFailure(
            DatasetOutput.goingOn, folder,
            reason: "it was begun as another dataset, or by other settings\(told)")
    }

    /// Refuses a folder with the list of another dataset.
    ///
    /// - Throws: ``FileFailure`` if there is one, or a list that cannot be read.
    package static func check(
        _ folder: String, identity: String, settings: [(name: String, value: String)]
    ) throws(FileFailure) {
        let path = "\(folder)/\(name)"
        guard let size = Folder.size(of: path) else { return }
        let head = try Folder.read(path, limit: size).prefix { $0 != UInt8(ascii: "\n") }
        try check(head, in: folder, identity, settings)
    }

    /// What differs first, in words; `nil` where the list's head does not say.
    private static func difference(
        of settings: [(name: String, value: String)], from head: JSONNode
    ) -> String? {
        for (name, mine) in settings {
            guard let theirs = head[name]?.string, theirs != mine else { continue }
            let texts = [theirs, mine].map { $0.isEmpty ? "none" : $0 }
            return ": \(name) was \(texts[0]), and is \(texts[1])"
        }
        return nil
    }

    private static func part(_ line: ArraySlice<UInt8>) -> Part? {
        guard let node = try? JSONReader.readStrictly(Array(line)), let table = node["table"]?.string,
            let format = node["format"]?.string, let path = node["path"]?.string,
            let rows = node["rows"]?.digits.flatMap({ Int($0) }),
            let bytes = node["bytes"]?.digits.flatMap({ Int($0) })
        else { return nil }
        let crc32 = node["crc32"]?.digits.flatMap { UInt32($0) }
        return Part(table: table, format: format, path: path, rows: rows, bytes: bytes, crc32: crc32)
    }
}
