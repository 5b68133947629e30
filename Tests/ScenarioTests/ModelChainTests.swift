import Testing

@testable import Scenario

@Suite("Models that extend one another")
struct ModelChainTests {
    /// So many models, each of which extends the next; `last` is what the last of them extends.
    private func chain(_ length: Int, of kind: String, last: String) -> String {
        let models = (0..<length).map { index in
            let base = index < length - 1 ? "x\(index + 1)" : last
            return "\"x\(index)\": {\"extends\": \"\(base)\"}"
        }
        return scenario(
            "\"\(kind)s\": {\(models.joined(separator: ", "))}", population: "\"\(kind)\": \"x0\"")
    }

    @Test(
        "go on through 32 others, and are not followed further",
        arguments: [("persona", "casual"), ("network", "wifi")])
    func long(kind: String, preset: String) {
        #expect(problems(chain(33, of: kind, last: preset)).isEmpty)
        let one = problems(chain(34, of: kind, last: preset))
        #expect(one.map(\.pointer) == ["/\(kind)s/x0/extends"])
        #expect(one.map(\.kind) == [.conflict])
        #expect(problems(chain(1000, of: kind, last: preset)).count == 1000 - 33)
    }

    @Test("make no ring, however long it is", arguments: ["persona", "network"], [2, 30, 500])
    func ring(kind: String, length: Int) {
        let found = problems(chain(length, of: kind, last: "x0"))
        #expect(!found.isEmpty && found.allSatisfy { $0.kind == .conflict })
        #expect(found.allSatisfy { $0.pointer.hasSuffix("/extends") })
    }
}
