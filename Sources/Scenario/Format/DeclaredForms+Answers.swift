import SDKDescription
import Wire

extension DeclaredForms {
    /// `answers`.
    static let answers = Form<AnswerTable>(
        shape: { .list { .plain } }, decode: { answers($0, &$1) },
        schema: { _ in
            let paths = JSONNode.object([
                ("type", .text("array")), ("minItems", .int(1)), ("maxItems", .int(20)),
                (
                    "items",
                    .object([("type", .text("string")), ("pattern", .text("^/"))])
                ),
            ])
            let verdicts = JSONNode.texts(AnswerTable.Verdict.allCases.map(\.rawValue))
            return .object([
                ("type", .text("array")), ("minItems", .int(1)), ("maxItems", .int(200)),
                (
                    "items",
                    .object([
                        ("type", .text("array")), ("minItems", .int(2)), ("maxItems", .int(3)),
                        (
                            "prefixItems",
                            .list([
                                .object([("type", .text("string"))]), .object([("enum", verdicts)]), paths,
                            ])
                        ),
                    ])
                ),
            ])
        })

    static let answersDoc =
        "What each end of an upload does to its rows: rules [matches, verdict] in order, of which the first that matches "
        + "holds. Matches, with spaces between: statuses (429), hundreds (5xx), failures (offline, dns, refused, tls, "
        + "reset, timeout, broken), \"network\" for every failure, \"*\" for everything; a status or hundred with a place and a "
        + "value holds for answers whose body has that (2xx/code=200). Verdicts: delivered; "
        + "deliveredClear (and all else in the store is lost); drop; keep; retry (keep, and count a failure); halve (the "
        + "same without a wait, and from now on requests carry half as many, and half as many set off an upload); split (sent "
        + "again in two halves); dropListed (what the answer's body lists is dropped, the rest stays; as retry where it lists nothing), with a third part: the places, JSON "
        + "pointers in which * is any member or element, of the numbers of events in the request, from 0."

    private static func answers(_ place: Place, _ reading: inout Reading) -> AnswerTable? {
        let allowed = "an array of 1 to 200 rules such as [\"2xx\", \"delivered\"]"
        guard let rows = place.node.elements else {
            reading.report(.wrongType, place, allowed: allowed)
            return nil
        }
        guard (1...200).contains(rows.count) else {
            reading.report(.outOfRange, place, found: "\(rows.count) rules", allowed: allowed)
            return nil
        }
        let rules = rows.enumerated().compactMap { index, node in
            rule(Place(node: node, path: place.path.appending(index)), &reading)
        }
        guard rules.count == rows.count else { return nil }
        let table = AnswerTable(rules)
        for index in table.idle {
            reading.report(
                .conflict, Place(node: rows[index], path: place.path.appending(index)),
                found: "a rule that never holds", allowed: "only rules about what none before them is about")
        }
        if let missing = table.missing {
            reading.report(
                .conflict, place, found: "no rule for \(missing)",
                allowed: "a rule for each answer and failure; [\"*\", …] as the last one takes what is left")
            return nil
        }
        if let failure = table.unanswered {
            reading.report(
                .conflict, place, found: "delivered on \"\(failure.rawValue)\"",
                allowed: "drop, keep, retry, halve or split where nobody has answered")
            return nil
        }
        if let failure = table.unlisted {
            reading.report(
                .conflict, place, found: "dropListed on \"\(failure.rawValue)\"",
                allowed: "drop, keep, retry, halve or split where nobody has answered: there is no list")
            return nil
        }
        let succeeding = rules.indices.filter { rules[$0].verdict.isPositive && !table.idle.contains($0) }
        if table.success == nil, !succeeding.isEmpty {
            reading.report(
                .conflict, place, found: "\"delivered\" that no answer comes to",
                allowed: "a rule of success with an answer that no rule before it is about")
            return nil
        }
        return table
    }

    private static func rule(_ place: Place, _ reading: inout Reading) -> AnswerTable.Rule? {
        guard let parts = place.node.elements, (2...3).contains(parts.count), let words = parts[0].string
        else {
            reading.report(
                .wrongType, place,
                allowed:
                    "a rule of two texts, what it matches and its verdict; with \"dropListed\" the places too"
            )
            return nil
        }
        func part(_ index: Int) -> Place {
            Place(node: parts[index], path: place.path.appending(index))
        }
        let matches = words.split(separator: " ").map { (word: $0, match: AnswerTable.Match($0)) }
        for (word, match) in matches where match == nil {
            reading.reportUnknown(
                String(word), part(0), among: AnswerTable.Match.words,
                what: "a status, a hundred such as 5xx, or a failure")
        }
        if matches.isEmpty { reading.report(.outOfRange, part(0), allowed: "at least one match") }
        let verdict = Form<AnswerTable.Verdict>.cases(what: "a verdict").decode(part(1), &reading)
        guard let verdict, !matches.isEmpty, !matches.contains(where: { $0.match == nil }) else { return nil }
        var rule = AnswerTable.Rule(matches.compactMap(\.match), verdict)
        guard verdict == .dropListed || parts.count == 3 else { return rule }
        guard verdict == .dropListed, parts.count == 3 else {
            reading.report(
                .conflict, place, found: "\(verdict.rawValue) with \(parts.count) parts",
                allowed: "three parts with \"dropListed\", the last one where the body lists events; else two"
            )
            return nil
        }
        guard let listed = listed.decode(part(2), &reading) else { return nil }
        rule.listed = listed
        return rule
    }

    private static let listed = Form<[JSONPath]>.list(of: requiredPointer, count: 1...20)
}
