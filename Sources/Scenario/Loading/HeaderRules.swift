import Wire

/// What a header may be that a scenario or a description adds to those of the client.
package enum HeaderRules {
    /// What tells how the client's own body is to be read.
    private static let ofBodies = ["content-type", "content-encoding"]
    private static let marks = Array("!#$%&'*+-.^_`|~".utf8)

    /// Whether a text may be the name of a header: a token (RFC 9110, section 5.6.2).
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || marks.contains(byte)
            }
    }

    /// Reports what is no header's name, and the name of one that is the client's alone.
    static func check(name: String, at place: Place, _ reading: inout Reading) {
        if !isName(name) {
            reading.report(.outOfRange, place, found: "\"\(name)\"", allowed: "a header's name (RFC 9110)")
        }
        if ClientHeaders.names.contains(name.lowercased()) {
            reading.report(
                .conflict, place, found: "\"\(name)\"", allowed: "headers that the client does not set itself"
            )
        }
    }

    /// Reports a header that is there twice: their names are the same whatever the case of their letters (RFC 9110, section
    /// 5.1).
    static func check<Value>(unique headers: [Named<Value>], _ reading: inout Reading) {
        var known: [String: String] = [:]
        for header in headers {
            guard let other = known.updateValue(header.name, forKey: header.name.lowercased()) else {
                continue
            }
            reading.report(
                .conflict, header.place, found: "\"\(header.name)\" beside \"\(other)\"",
                allowed: "one of them: a header's name is the same in any case")
        }
    }

    /// Reports the same of a header that a target adds to all that its clients send, and the names of those that
    /// describe a body which each client makes as it does.
    static func check(nameForAll name: String, at place: Place, _ reading: inout Reading) {
        check(name: name, at: place, &reading)
        if ofBodies.contains(name.lowercased()) {
            reading.report(
                .conflict, place, found: "\"\(name)\"",
                allowed: "headers that do not describe the body, which the SDK makes")
        }
    }

    /// Whether a text may be the value of a header, without line breaks and other control characters.
    static func isLine(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }
    }

    /// Reports line breaks and other control characters in what goes into a header.
    static func check(line text: String, at place: Place, _ reading: inout Reading) {
        if !isLine(text) {
            reading.report(.outOfRange, place, found: "a control character", allowed: "text of one line")
        }
    }
}
