import Files
import Foundation

/// What the operating system says went wrong, without its numbers.
enum SystemWords {
    /// The system's words for an error number, such as "No space left on device".
    static func text(_ code: CInt) -> String { String(cString: strerror(code)) }

    /// Why a file cannot be read whole; `nil` if it can be opened and is no folder.
    static func readingProblem(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return text(errno) }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return text(errno) }
        return info.st_mode & S_IFMT == S_IFDIR ? text(EISDIR) : nil
    }

    /// Why SQLite cannot open a file for writing, as far as the file system tells; `nil` where it does not.
    static func storeProblem(_ path: String) -> String? {
        var info = stat()
        if stat(path, &info) == 0 {
            if info.st_mode & S_IFMT == S_IFDIR { return "it is a folder; name a file" }
            if access(path, W_OK) != 0 { return "it cannot be written: \(text(errno))" }
        }
        let parent = Folder.split(path).folder
        guard stat(parent, &info) == 0 else { return "its folder \(parent) cannot be used: \(text(errno))" }
        guard info.st_mode & S_IFMT == S_IFDIR else { return "\(parent) is no folder" }
        return access(parent, W_OK) == 0 ? nil : "its folder \(parent) cannot be written: \(text(errno))"
    }
}
