import Timebase
import Wire

/// The environment variable in a text, as schema patterns let it pass.
private let variablePattern = #"\$\{[A-Za-z_][A-Za-z0-9_]*\}"#

extension Form where Value == Bool {
    /// `true` or `false`.
    static let boolean = Form(
        decode: { place, reading in
            if case .bool(let value) = place.node.content { return value }
            reading.report(.wrongType, place, allowed: "true or false")
            return nil
        },
        schema: { _ in .object([("type", .text("boolean"))]) },
        encode: { .bool($0) })
}

extension Form where Value == Int {
    /// A whole number in a range; `1e3` and `10.0` are whole.
    static func integer(_ range: ClosedRange<Int>) -> Form {
        Form(
            decode: { place, reading in
                let allowed = "a whole number from \(range.lowerBound) to \(range.upperBound)"
                guard case .number(let text) = place.node.content else {
                    reading.report(.wrongType, place, allowed: allowed)
                    return nil
                }
                guard let value = wholeNumber(text) else {
                    let isWhole = Double(text).map { $0 == $0.rounded() } ?? false
                    reading.report(isWhole ? .outOfRange : .wrongType, place, allowed: allowed)
                    return nil
                }
                guard range.contains(value) else {
                    reading.report(.outOfRange, place, allowed: allowed)
                    return nil
                }
                return value
            },
            schema: { _ in
                .object([
                    ("type", .text("integer")), ("minimum", .int(range.lowerBound)),
                    ("maximum", .int(range.upperBound)),
                ])
            },
            encode: { .int($0) })
    }

    private static func wholeNumber(_ text: String) -> Int? {
        if let value = Int(text) { return value }
        guard let value = Double(text), value == value.rounded(), abs(value) < 0x1p53 else { return nil }
        return Int(value)
    }
}

extension Form where Value == Double {
    /// A number in a range; `above` leaves the lower bound itself out.
    static func number(_ range: ClosedRange<Double>, above: Bool = false) -> Form {
        let lower = JSONNode.number(range.lowerBound).compactText
        let allowed =
            "a number \(above ? "above" : "from") \(lower) to "
            + JSONNode.number(range.upperBound).compactText
        return Form(
            decode: { place, reading in
                guard case .number(let text) = place.node.content else {
                    reading.report(.wrongType, place, allowed: allowed)
                    return nil
                }
                guard let value = Double(text), range.contains(value), !above || value > range.lowerBound
                else {
                    reading.report(.outOfRange, place, allowed: allowed)
                    return nil
                }
                return value
            },
            schema: { _ in
                .object([
                    ("type", .text("number")),
                    (above ? "exclusiveMinimum" : "minimum", .number(range.lowerBound)),
                    ("maximum", .number(range.upperBound)),
                ])
            },
            encode: { .number($0) })
    }

    /// A probability or a share.
    static let share = number(0...1)

    /// A rate such as `1/s`, `90/min` or `20000 events/s`, in events per second.
    static let rate = rate(of: "events")

    /// The same, or nothing: `0/s`.
    static let rateOrNothing = rate(of: "events", mayBeNothing: true)

    /// A rate such as `90/min` or, with `unit` "requests", `200 requests/s`; per second.
    static func rate(of unit: String, mayBeNothing: Bool = false) -> Form<Double> {
        Form<String>.matching(
            pattern: #"^[0-9]+(\.[0-9]+)?( ?"# + unit + #")?/(s|min|h|d)$"#,
            what: "a rate such as \"1/s\" or \"20000 \(unit)/s\"\(mayBeNothing ? ", or \"0/s\"" : "")"
        ) {
            perSecond($0, of: unit).flatMap { $0 > 0 || mayBeNothing ? $0 : nil }
        } encode: {
            .text("\(JSONNode.number($0).compactText)/s")
        }
    }

    private static func perSecond(_ text: String, of noun: String) -> Double? {
        guard let slash = text.firstIndex(of: "/") else { return nil }
        let units: [(String, Double)] = [("s", 1), ("min", 60), ("h", 3600), ("d", 86_400)]
        var number = text[..<slash]
        if number.hasSuffix(noun) { number = number.dropLast(noun.count) }
        if number.last == " " { number = number.dropLast() }
        guard let unit = units.first(where: { $0.0 == text[text.index(after: slash)...] }),
            number.first?.isNumber == true, number.last?.isNumber == true,
            number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(number)
        else { return nil }
        let rate = value / unit.1
        return rate <= 1e9 ? rate : nil
    }
}

extension Form where Value == UInt64 {
    /// A seed: a whole number below 2^64, or a text such as `"0x2A"`.
    static let seed = Form(
        shape: { .either([.plain, .text]) },
        decode: { place, reading in
            let value: UInt64? =
                switch place.node.content {
                case .number(let text): UInt64(text)
                case .string(let text) where text.lowercased().hasPrefix("0x"):
                    text.dropFirst(2).allSatisfy(\.isHexDigit) ? UInt64(text.dropFirst(2), radix: 16) : nil
                default: nil
                }
            if let value { return value }
            let isNumber = if case .number = place.node.content { true } else { false }
            reading.report(
                isNumber ? .outOfRange : .wrongType, place,
                allowed: "a whole number from 0 to 18446744073709551615, or a text such as \"0x2A\"")
            return nil
        },
        schema: { _ in
            .object([
                (
                    "anyOf",
                    .list([
                        .object([
                            ("type", .text("integer")), ("minimum", .int(0)),
                            ("maximum", JSONNode(.number("18446744073709551615"))),
                        ]),
                        .object([("type", .text("string")), ("pattern", .text("^0[xX][0-9A-Fa-f]{1,16}$"))]),
                    ])
                )
            ])
        },
        encode: { JSONNode(.number(String($0))) })
}

extension Form where Value == String {
    /// Any text of bounded length; not empty unless allowed.
    static func text(limit: Int = 1000, mayBeEmpty: Bool = false) -> Form {
        Form(
            shape: { .text },
            decode: { place, reading in
                guard let text = place.node.string else {
                    reading.report(.wrongType, place, allowed: "a text")
                    return nil
                }
                guard text.unicodeScalars.count <= limit, mayBeEmpty || !text.isEmpty else {
                    reading.report(
                        .outOfRange, place, allowed: "a text of \(mayBeEmpty ? 0 : 1) to \(limit) characters")
                    return nil
                }
                return text
            },
            schema: { _ in
                var members: [(String, JSONNode)] = [("type", .text("string"))]
                if !mayBeEmpty { members.append(("minLength", .int(1))) }
                return .object(members + [("maxLength", .int(limit))])
            },
            encode: { .text($0) })
    }

    /// A text with a grammar of its own. The pattern is for the schema; the parser decides.
    static func matching<Parsed: Sendable>(
        pattern: String, what: String, parse: @escaping @Sendable (String) -> Parsed?,
        encode: @escaping @Sendable (Parsed) -> JSONNode? = { _ in nil }
    ) -> Form<Parsed> {
        Form<Parsed>(
            shape: { .text },
            decode: { place, reading in
                guard let text = place.node.string else {
                    reading.report(.wrongType, place, allowed: what)
                    return nil
                }
                guard let value = parse(text) else {
                    reading.report(.outOfRange, place, allowed: what)
                    return nil
                }
                return value
            },
            schema: { _ in
                .object([("type", .text("string")), ("pattern", .text("\(pattern)|\(variablePattern)"))])
            },
            encode: encode)
    }

    /// A name that can stand in paths, tags and file names.
    static func identifier(what: String, pattern: String, others: String, limit: Int = 64) -> Form {
        matching(pattern: pattern, what: what) { text in
            let bytes = Array(text.utf8)
            func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
            func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
            let digitsFirst = others.contains(".")
            guard let first = bytes.first, bytes.count <= limit,
                isLetter(first) || digitsFirst && isDigit(first),
                bytes.allSatisfy({ isLetter($0) || isDigit($0) || others.utf8.contains($0) })
            else { return nil }
            return text
        } encode: {
            .text($0)
        }
    }
}

extension Form where Value == Interval {
    /// The longest duration of a scenario: ten years.
    static let longest = Interval.hours(24 * 3650)

    /// A duration such as `1m30s`.
    static func duration(_ range: ClosedRange<Interval> = .zero...longest) -> Form<Interval> {
        Form<String>.matching(
            pattern: #"^(0|([0-9]+(\.[0-9]+)?(d|h|m|s|ms|us))+)$"#,
            what: "a duration such as \"10s\", \"1m30s\", \"250ms\" or \"7d\", "
                + "from \(range.lowerBound.text) to \(range.upperBound.text)"
        ) { text in
            Interval(text: text).flatMap { range.contains($0) ? $0 : nil }
        } encode: {
            .text($0.text)
        }
    }

    /// An offset from UTC such as `+08:00`.
    static let utcOffset: Form<Interval> = Form<String>.matching(
        pattern: "^(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])$",
        what: "an offset from UTC such as \"+08:00\" or \"Z\""
    ) { text in
        if text == "Z" { return .zero }
        let bytes = Array(text.utf8)
        guard bytes.count == 6, bytes[0] == 0x2B || bytes[0] == 0x2D, bytes[3] == 0x3A,
            [1, 2, 4, 5].allSatisfy({ (0x30...0x39).contains(bytes[$0]) })
        else { return nil }
        func digits(_ index: Int) -> Int64 {
            Int64(bytes[index] - 0x30) * 10 + Int64(bytes[index + 1] - 0x30)
        }
        let hours = digits(1)
        let minutes = digits(4)
        guard hours <= 14, minutes < 60 else { return nil }
        return Interval.minutes(hours * 60 + minutes) * (bytes[0] == 0x2D ? -1 : 1)
    } encode: { offset in
        let minutes = abs(offset.nanoseconds) / 60_000_000_000
        func padded(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return .text("\(offset < .zero ? "-" : "+")\(padded(minutes / 60)):\(padded(minutes % 60))")
    }
}

extension Form where Value == Instant {
    /// An RFC 3339 time with its zone, from 1970 to 2199.
    static let instant: Form<Instant> = Form<String>.matching(
        pattern:
            #"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"#,
        what: "a time from 1970 to 2199 with its zone, such as \"2026-03-02T19:30:00+08:00\""
    ) { text in
        // Years outside would not fit the nanoseconds of an instant.
        guard let year = Int(text.prefix(4)), (1970...2199).contains(year), text.utf8.count <= 64 else {
            return nil
        }
        return Instant(text: text)
    } encode: {
        .text($0.text)
    }
}

extension Form where Value: Equatable {
    /// One of a set of names.
    ///
    /// - Parameter unsupported: names that belong to the format but that this build does not act on.
    static func name(_ names: [(name: String, value: Value)], unsupported: [String] = [], what: String)
        -> Form
    {
        let known = names.map(\.name)
        return Form(
            shape: { .text },
            decode: { place, reading in
                guard let text = place.node.string else {
                    reading.report(.wrongType, place, allowed: "\(what): " + quotedList(known))
                    return nil
                }
                if let value = names.first(where: { $0.name == text })?.value { return value }
                if unsupported.contains(text) {
                    reading.report(.notSupported, place, allowed: "\(what): " + quotedList(known))
                } else {
                    reading.reportUnknown(text, place, among: known, what: what)
                }
                return nil
            },
            schema: { _ in .object([("enum", .texts(known))]) },
            encode: { value in names.first { $0.value == value }.map { .text($0.name) } })
    }
}

extension Form where Value: Equatable & RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enumeration's names.
    static func cases(what: String, unsupported: [String] = []) -> Form {
        name(Value.allCases.map { ($0.rawValue, $0) }, unsupported: unsupported, what: what)
    }
}

/// Names in quotes, with commas.
func quotedList(_ names: [String]) -> String {
    names.map { "\"\($0)\"" }.joined(separator: ", ")
}
