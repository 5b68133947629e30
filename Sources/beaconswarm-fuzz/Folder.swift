import ArgumentParser
import Glibc

/// Files of inputs.
enum Folder {
    /// The contents of a folder's files in the order of their names; none if there is no such folder.
    static func files(in path: String) throws -> [[UInt8]] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return try names.sorted().map { try read("\(path)/\($0)") }
    }

    /// A file's content.
    static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw ValidationError("cannot read \(path)") }
        defer { fclose(file) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return content }
            content += buffer[..<count]
        }
    }
}
