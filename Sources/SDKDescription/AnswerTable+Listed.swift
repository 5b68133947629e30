package import Wire

/// Answers that list the events which they refuse.
extension AnswerTable.Rule {
    /// The indices of refused events in the request, from 0, in order and each once.
    ///
    /// - Parameters:
    ///   - body: JSON; anything else lists nothing.
    ///   - count: How many events the request had: an index beyond is passed over.
    package func listed(in body: [UInt8], of count: Int) -> [Int] {
        guard !listed.isEmpty, let node = try? JSONReader.readStrictly(body) else { return [] }
        var isListed = Array(repeating: false, count: count)
        for path in listed {
            node.forEach(at: path.tokens[...]) { found in
                for number in found.elements ?? [found] {
                    guard let index = number.digits.flatMap({ Int($0) }), isListed.indices.contains(index)
                    else { continue }
                    isListed[index] = true
                }
            }
        }
        return isListed.indices.filter { isListed[$0] }
    }
}

extension AnswerTable {
    /// Where an answer with a status lists what it refuses, whatever else its body has; `nil` where nobody looks.
    package func listing(status: UInt16) -> JSONPath? {
        guard let rule = rule(status: status), rule.verdict == .dropListed else { return nil }
        return rule.listed.first
    }
}

extension JSONPath {
    /// The least JSON in which indices of events stand where a rule looks for them: a list of numbers, or a list of objects
    /// where the way goes on below `*`.
    package func listing(_ indices: [Int]) -> JSONNode { JSONPath.listing(indices, at: tokens[...]) }

    private static func listing(_ indices: [Int], at tokens: ArraySlice<String>) -> JSONNode {
        guard let first = tokens.first else { return .list(indices.map { .int($0) }) }
        let rest = tokens.dropFirst()
        guard first == "*" else { return .object([(first, listing(indices, at: rest))]) }
        // Of lists by field one is enough.
        guard !rest.isEmpty else { return .object([("field", listing(indices, at: rest))]) }
        return .list(
            indices.map { index in rest.reversed().reduce(JSONNode.int(index)) { .object([($1, $0)]) } })
    }
}

extension JSONNode {
    /// Calls `body` with each value to which a way leads; `*` leads to every member and element.
    fileprivate func forEach(at tokens: ArraySlice<String>, _ body: (JSONNode) -> Void) {
        guard let first = tokens.first else { return body(self) }
        let rest = tokens.dropFirst()
        if first == "*" {
            for next in members?.map(\.value) ?? elements ?? [] { next.forEach(at: rest, body) }
        } else if let next = value(at: [first]) {
            next.forEach(at: rest, body)
        }
    }
}
