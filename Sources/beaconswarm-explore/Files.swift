import Exploration
import Glibc
import Wire

/// Standard output, a line at a time.
enum Console {
    static func print(_ line: String) {
        let text = line + "\n"
        var offset = 0
        let bytes = Array(text.utf8)
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            offset += count
        }
    }
}

/// The folder of scenarios that broke something once.
enum Corpus {
    struct Unreadable: Error, CustomStringConvertible {
        var description: String
    }

    /// Reads a scenario.
    static func read(_ path: String) throws -> JSONNode {
        guard let file = fopen(path, "rb") else { throw Unreadable(description: "\(path) cannot be read") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return try JSONReader.read(bytes).0
    }

    /// Writes a shrunk scenario, with its seed and its invariant in the description.
    static func write(
        _ scenario: JSONNode, seed: UInt64, _ violation: Violation, in folder: String
    ) throws -> String {
        var members = (scenario.members ?? []).filter { $0.key != "description" && $0.key != "name" }
        let name = "\(violation.invariant)-\(seed)"
        members.insert(
            .init("description", .text("World \(seed) broke \(violation.invariant): \(violation.text)")),
            at: 0)
        members.insert(.init("name", .text(name)), at: 0)
        makeFolder(folder)
        let path = "\(folder)/\(name).json"
        let text = Array((JSONNode(.object(members)).prettyText() + "\n").utf8)
        guard let file = fopen(path, "wb") else { throw Unreadable(description: "\(path) cannot be written") }
        defer { fclose(file) }
        guard fwrite(text, 1, text.count, file) == text.count else {
            throw Unreadable(description: "\(path) cannot be written")
        }
        return path
    }

    private static func makeFolder(_ path: String) {
        var part = ""
        for name in path.split(separator: "/", omittingEmptySubsequences: false) {
            part += part.isEmpty && path.hasPrefix("/") && name.isEmpty ? "/" : "\(name)/"
            mkdir(part, 0o755)
        }
    }
}
