import Glibc

/// What could not be done with a file, and why.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// In words that fit between "cannot" and the path, such as `write`.
    package var action: String
    package var path: String
    /// The system's or the library's own words, such as `No space left on device`.
    package var reason: String

    package init(_ action: String, _ path: String, reason: String) {
        self.action = action
        self.path = path
        self.reason = reason
    }

    /// A failure whose reason is that of the system's last error.
    package init(_ action: String, _ path: String) {
        self.init(action, path, reason: String(cString: strerror(errno)))
    }

    package var description: String { "cannot \(action) \(path): \(reason)" }
}
