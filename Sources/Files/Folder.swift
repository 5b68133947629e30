import Glibc

/// Folders, and what is in them.
package enum Folder {
    /// Makes a folder with those above it; one that is there already is no failure.
    package static func make(_ path: String) throws(FileFailure) {
        var partial = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            partial += partial.isEmpty || partial == "/" ? component : "/" + component
            guard mkdir(partial, 0o755) == 0 || errno == EEXIST else {
                throw FileFailure("create the folder", partial)
            }
        }
    }

    /// Makes a folder that is not there yet, with those above it.
    ///
    /// - Returns: `false` if something is there already, however lately it came.
    package static func makeNew(_ path: String) throws(FileFailure) -> Bool {
        var bare = path[...]
        while bare.count > 1, let end = ["/", "/."].first(where: bare.hasSuffix) {
            bare.removeLast(end.count)
        }
        try make(split(String(bare)).folder)
        if mkdir(String(bare), 0o755) == 0 { return true }
        guard errno == EEXIST else { throw FileFailure("create the folder", path) }
        return false
    }

    /// The path of something in a folder, whether the folder's own ends with a slash or not, as `TMPDIR` may.
    package static func path(of name: String, in folder: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// The folder that a path's last part lies in, and the name that it has there.
    ///
    /// By hand, because Foundation's `deletingLastPathComponent` ends the process for a name of one character.
    package static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.utf8.index(after: slash)...]))
    }

    /// The names of what is in a folder, in any order; none where there is no such folder.
    package static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        return names(in: directory)
    }

    /// What an open folder has; closes it.
    private static func names(in directory: OpaquePointer) -> [String] {
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The names of what is in a folder, in any order; none where there is no such folder.
    ///
    /// - Throws: ``FileFailure`` for a folder that may not be read, or in which nothing may be looked at.
    package static func readableNames(in path: String) throws(FileFailure) -> [String] {
        guard access("\(path)/.", R_OK | X_OK) == 0, let directory = opendir(path) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw FileFailure("read", path) }
            return []
        }
        return names(in: directory)
    }

    /// The size of the file at a path in bytes; `nil` if no file is there.
    package static func size(of path: String) -> Int? {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(info.st_size)
    }

    /// Removes a file; that there is none is no failure.
    package static func remove(_ path: String) throws(FileFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure("remove", path) }
    }

    /// Makes a file a second time under another name, with the folders above it: the same bytes on the disk where that can
    /// be, else a copy.
    package static func link(_ path: String, as other: String) throws(FileFailure) {
        if let slash = other.lastIndex(of: "/") { try make(String(other[..<slash])) }
        if Glibc.link(path, other) == 0 { return }
        guard [EXDEV, EPERM, EMLINK, ENOTSUP].contains(errno) else { throw FileFailure("create", other) }
        try GrowingFile.write(to: other) { (copy) throws(FileFailure) in try copy.append(contentsOf: path) }
    }

    /// Reads a whole file, or its first bytes up to a limit.
    package static func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8] {
        let descriptor = try FoundFile.open(path)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), limit - filled)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure("read", path) }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }
}
