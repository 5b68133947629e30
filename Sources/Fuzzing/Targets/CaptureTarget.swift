import SDKImport
import Scenario
import Wire

/// Captures of requests: what can be read of them becomes a description that can be read.
final class CaptureTarget: FuzzTarget {
    static let name = "capture"
    static let dictionary = [
        "{\"log\":{\"entries\":[{\"request\":", "\"method\":\"POST\"", "\"url\":\"http://h/\"",
        "\"postData\":{\"text\":",
        "\"encoding\":\"base64\"", "\"headers\":[{\"name\":", "curl http://h/ -d '", "--data-raw $'",
        "-H 'Authorization: ", "\\\n",
        "\"event\":\"a\"", "\"timestamp\":1772451000123", "\"id\":\"1\"", "\"properties\":{", "bs_id", "{{",
        "${", "...",
    ]

    init() {}

    func check(_ input: [UInt8]) throws {
        let draft: DescriptionDraft
        do {
            draft = try DescriptionDraft(CaptureReader.read(input))
        } catch {
            return try demand(!error.found.isEmpty && !error.allowed.isEmpty, "a problem without words")
        }
        let text = draft.description.prettyText()
        let isJSON = (try? JSONReader.readStrictly(Array(text.utf8))) != nil
        try demand(isJSON, "a draft is no JSON")
        // What is wrong with a draft is told by its place, as with every description.
        if case .failure(let problems) = DescriptionReader.read(bytes: Array(text.utf8)) {
            try demand(!problems.problems.isEmpty, "a draft that is refused without a reason")
        }
    }
}
