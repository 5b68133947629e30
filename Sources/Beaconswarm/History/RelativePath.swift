import Glibc
import Wire

/// The way from a page to other files, as a link that still leads there when both are moved together.
struct RelativePath {
    private let folder: [Substring]

    /// - Parameter page: The file that has the links.
    init(from page: String) { folder = Array(RelativePath.parts(page).dropLast()) }

    /// What leads to a file: `../run/report.html`, percent-encoded.
    func text(to file: String) -> String {
        let parts = RelativePath.parts(file)
        let common = zip(folder, parts.dropLast()).prefix { $0 == $1 }.count
        let up = Array(repeating: "..", count: folder.count - common)
        // A first part with a colon would be a scheme.
        return (["."] + up + parts[common...].map(RelativePath.encoded)).joined(separator: "/")
    }

    /// The parts of a path from the root on, without those that lead nowhere.
    private static func parts(_ path: String) -> [Substring] {
        let whole = path.hasPrefix("/") ? path : "\(workingFolder)/\(path)"
        return whole.split(separator: "/").reduce(into: []) { parts, part in
            if part == ".." {
                _ = parts.popLast()
            } else if part != "." {
                parts.append(part)
            }
        }
    }

    private static var workingFolder: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }

    private static func encoded(_ part: Substring) -> String {
        var text = WireBuffer()
        Array(part.utf8).withUnsafeBytes { PercentEncoding.unreserved.encode($0, into: &text) }
        return text.text
    }
}
