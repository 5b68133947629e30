import Wire

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

    /// Of digits with a fraction or an exponent only what a double holds exactly.
    fileprivate static func wholeNumber(_ text: String) -> Int? {
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
            what: "a rate such as \"1/s\" or \"20000 \(unit)/s\", "
                + "\(mayBeNothing ? "from 0" : "above 0") and at most 1000000000/s"
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
        if number.hasSuffix(noun) {
            number = number.dropLast(noun.count)
            if number.last == " " { number = number.dropLast() }
        }
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
                case .number(let text):
                    UInt64(text) ?? Form<Int>.wholeNumber(text).flatMap { UInt64(exactly: $0) }
                // Sixteen digits are all that there are, leading zeros or not.
                case .string(let text) where text.lowercased().hasPrefix("0x") && text.utf8.count <= 18:
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
