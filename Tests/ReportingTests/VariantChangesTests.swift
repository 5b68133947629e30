import Testing
import Wire

@testable import Reporting

@Suite("Changes of a variant")
struct VariantChangesTests {
    private func node(_ text: String) throws -> JSONNode { try JSONReader.readStrictly(Array(text.utf8)) }

    @Test("give the variant's scenario again, whether something is null in it or is not there")
    func nulls() throws {
        let base = #"{"s": {"a": 1, "b": {"c": 2}, "n": null}, "list": [{"x": {"y": 1}}, {"at": 1}]}"#
        let variants = [
            #"{"s": {"a": null, "b": {"c": 2}, "n": null}, "list": [{"x": {"y": 1}}, {"at": 1}]}"#,
            #"{"s": {"b": {"c": null, "d": 3}}, "list": [{"x": {"y": 1}}, {"at": 1}]}"#,
            #"{"s": {"a": 1, "b": {"c": 2}, "n": 4}, "list": [{"x": {"y": null}}, {"at": 1}]}"#,
            #"{"s": {"a": 1, "b": null, "n": null}, "list": [{}, null]}"#,
            #"{"s": {"a": 1, "b": {"c": 2}}, "list": [], "z": null}"#,
        ]
        for text in variants {
            let variant = try node(text)
            let changes = ScenarioDifference.variantChanges(from: try node(base), to: variant)
            #expect(!changes.isEmpty)
            let again = ScenarioDifference.apply(changes, to: try node(base))
            #expect(ScenarioDifference.between(again, variant).isEmpty, "\(text)")
            // Nor does a file lose them.
            let kept = try LabJSON.read(LabJSON.write(report(changes)))
            #expect(kept.variants[0].changes.map(\.pointer) == changes.map(\.pointer))
            let read = ScenarioDifference.apply(kept.variants[0].changes, to: try node(base))
            #expect(ScenarioDifference.between(read, variant).isEmpty, "\(text)")
        }
    }

    private func report(_ changes: [LabReport.Change]) -> LabReport {
        LabReport(
            toolVersion: "1",
            scenario: Report.ScenarioReference(name: "x", description: "", sha256: "0", overrides: []),
            mode: .virtual, seeds: [], variants: [LabReport.Variant(name: "base", changes: changes)])
    }

    @Test("a null is told as a difference, and is one of the world where it is not in an SDK's own settings")
    func told() throws {
        let base = try node(#"{"populations": [{"sdk": {"p": "x"}}], "timeline": [{"sdk": {"x": 1}}]}"#)
        for (text, pointer, isAllowed) in [
            (
                #"{"populations": [{"sdk": {"p": "x", "q": null}}], "timeline": [{"sdk": {"x": 1}}]}"#,
                "/populations/0/sdk/q", true
            ),
            (
                #"{"populations": [{"sdk": {"p": "x"}}], "timeline": [{"sdk": {"x": null}}]}"#,
                "/timeline/0/sdk/x", false
            ),
        ] {
            let changes = ScenarioDifference.variantChanges(from: base, to: try node(text))
            let found = ScenarioDifference.between(base, ScenarioDifference.apply(changes, to: base))
            #expect(found.map(\.pointer) == [pointer] && found.map(\.isAllowed) == [isAllowed])
            #expect(found.first?.candidate == "null")
        }
    }
}
