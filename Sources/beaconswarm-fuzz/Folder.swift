import ArgumentParser
import Glibc

/// Files of inputs.
enum Folder {
    /// Makes a folder with those that it lies in, as far as they are missing.
    ///
    /// - Throws: `ValidationError` if nothing can be written there.
    static func make(_ path: String) throws {
        for end in path.indices where path[end] == "/" && end > path.startIndex {
            mkdir(String(path[..<end]), 0o755)
        }
        mkdir(path, 0o755)
        guard access(path, W_OK | X_OK) == 0 else {
            throw ValidationError("cannot write into the folder \(path): \(String(cString: strerror(errno)))")
        }
    }

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
