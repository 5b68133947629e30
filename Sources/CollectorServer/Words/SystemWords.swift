import Files
import Foundation

/// What the operating system says went wrong, without its numbers.
enum SystemWords {
    /// The system's words for an error number, such as "No space left on device".
    static func text(_ code: CInt) -> String { String(cString: strerror(code)) }

    /// Why a file cannot be read whole; `nil` if it can be opened and is a file. A pipe is not opened: its writer would
    /// take this for a reader.
    static func readingProblem(_ path: String) -> String? {
        var info = stat()
        guard stat(path, &info) == 0 else { return text(errno) }
        let kind = info.st_mode & S_IFMT
        guard kind != S_IFDIR else { return text(EISDIR) }
        guard kind == S_IFREG else {
            return "it is a pipe or a device, and may be read twice; write it into a file"
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return text(errno) }
        close(descriptor)
        return nil
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
