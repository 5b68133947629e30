import CollectorModel
import Rendering
import SDKImport
import Scenario
import Wire

extension Beaconswarm {
    /// Drafts the description of an SDK from a capture of its requests, and tells what was guessed.
    ///
    /// - Parameters:
    ///   - path: A HAR file, or curl commands; `-` is standard input.
    ///   - out: The draft's file; standard output without it.
    /// - Throws: ``CommandFailure`` for an output that exists (64) or a capture that cannot be read (104).
    public static func importing(_ path: String, out: String?) throws -> CommandStatus {
        let isInput = StandardInput.isMeant(by: path)
        if !isInput { try FileName.check(path, of: "the capture") }
        try FileName.check(out, of: "--out")
        if let out, OutputFile.exists(out) {
            throw CommandFailure(.usage, "--out \(out) exists already; name another file")
        }
        let limit = CaptureReader.sizeLimit
        let bytes =
            isInput
            ? try StandardInput.read("the capture", failing: .invalidScenario, limit: limit)
            : try OutputFile.read(path, failing: .invalidScenario, limit: limit, mayBePipe: true)
        let draft: DescriptionDraft
        do {
            draft = try DescriptionDraft(CaptureReader.read(bytes))
        } catch {
            let problem = Escaping.line("\(error)")
            throw CommandFailure(.invalidScenario, "\(isInput ? StandardInput.name : path): \(problem)")
        }
        let text = draft.description.prettyText() + "\n"
        announce(draft, as: text)
        if let out {
            try OutputFile.write(Array(text.utf8), to: out)
        } else {
            Console.output(text)
        }
        return .success
    }

    /// Tells on standard error what was guessed, and what is made of the draft's text.
    private static func announce(_ draft: DescriptionDraft, as text: String) {
        // What is told has names and addresses of a foreign file in it.
        func tell(_ line: String) { Console.error(Escaping.line(line)) }
        for guess in draft.guesses { tell("guessed: \(guess.line)") }
        let read = DescriptionReader.read(
            bytes: Array(text.utf8), warn: { tell($0.line(file: "the draft")) })
        switch read {
        case .success(let sdk): tell(readBack(draft, UploadDescription(sdk)))
        case .failure(let problems):
            for problem in problems.problems { tell("to be mended: \(problem.text(file: "the draft"))") }
        }
        tell("the requests went to \(draft.origin): a scenario's target.url")
    }

    /// What a collector that has the draft makes of the captured requests.
    private static func readBack(_ draft: DescriptionDraft, _ description: UploadDescription) -> String {
        var plan = CollectorPlan()
        plan.descriptions = [description]
        var events = 0
        for request in draft.requests {
            request.body.withUnsafeBytes { body in
                let upload = CollectedRequest(
                    method: request.method == "PUT" ? .put : .post, path: request.path, body: body)
                events += ReadUpload(upload, of: .declared, plan: plan).events.count
            }
        }
        let requests = draft.requests.count == 1 ? "one request" : "\(draft.requests.count) requests"
        return
            "checked: a collector with this draft reads \(events) of the \(draft.eventCount) events in \(requests)"
    }
}
