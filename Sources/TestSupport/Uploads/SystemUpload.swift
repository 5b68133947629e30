package import CollectorModel

/// A request of one system, as its client sends it: made by hand, apart from every line of the simulation.
package struct SystemUpload {
    package var system: CollectorSystem
    package var path: String
    package var query = ""
    package var headers: [CollectedHeader: String] = [:]
    package var body: [UInt8]

    package init(
        system: CollectorSystem, path: String, query: String = "", headers: [CollectedHeader: String] = [:],
        body: [UInt8]
    ) {
        self.system = system
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
}

extension SystemUpload {
    /// An upload of a system with these events, or rows without an id for `nil`.
    package static func of(_ system: CollectorSystem, ids: [String?] = ["3-0", "3-1"]) -> SystemUpload {
        SystemFixtures.of(system).upload(ids: ids)
    }
}

/// The bytes that hexadecimal digits spell.
package func bytes(hexadecimal text: String) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count, by: 2).map { index in
        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
    }
}
