import SDKDescription
import Wire

extension DescriptionBinder {
    func bindConfigs(_ reading: inout Reading) -> [DescribedSDK.Config] {
        draft.configs.enumerated().map { index, draft in
            var config = draft.config
            let place = at(["config", String(index)])
            bindRequest(draft, &config, &reading)
            config.turns = draft.turns.compactMap { turn in
                guard turn.name.hasPrefix("/"), let pointer = JSONPath(text: turn.name) else {
                    reading.report(
                        .outOfRange, turn.place, found: "\"\(turn.name)\"",
                        allowed: "a JSON pointer such as \"/features/upload\"")
                    return nil
                }
                check(turn, &reading)
                return DescribedSDK.Config.Turn(pointer, turn.value)
            }
            if let fallback = draft.fallback { config.fallback = fallback.compactText }
            if config.turns.isEmpty, draft.fallback != nil {
                reading.report(
                    .conflict, place, found: "\"default\" without \"apply\"",
                    allowed: "\"default\" only where an answer turns something")
            }
            return config
        }
    }

    private func bindRequest(
        _ draft: ConfigDraft, _ config: inout DescribedSDK.Config, _ reading: inout Reading
    ) {
        if let path = draft.path {
            let before = reading.problems.count
            config.path = template(path, [.population], &reading)
            if reading.problems.count == before, !isPath(config.path) {
                reading.report(
                    .outOfRange, path,
                    allowed:
                        "a path that begins with \"/\" and has no blank or control character (a blank is %20), "
                        + "no \"?\" and no \"#\"")
            }
        }
        config.query = lines(draft.query, &reading)
        if let body = draft.body {
            config.body = template(
                body, [.population, .device, .state, .attempt], excluding: [.sealed, .sender], &reading)
            if config.method == .get {
                reading.report(
                    .conflict, body, found: "a body", allowed: "a body only with \"method\": \"POST\"")
            }
        }
    }

    /// Whether a template makes a path, whatever is filled in: that is escaped.
    private func isPath(_ template: Template) -> Bool {
        guard case .text(let segments) = template, case .constant(let start)? = segments.first,
            start.hasPrefix("/")
        else { return false }
        return segments.allSatisfy { segment in
            guard case .constant(let text) = segment else { return true }
            return DeclaredForms.isPlain(path: text)
        }
    }

    /// A knob that is not there cannot be turned.
    private func check(_ turn: Named<DescribedSDK.Config.Knob>, _ reading: inout Reading) {
        let upload = draft.sdk.upload
        let isThere =
            switch turn.value {
            case .capture, .captureIfThere, .upload: true
            case .flushBulkSize: upload.flushBulkSize != nil
            case .batch: draft.sdk.storage.seal == nil
            case .flushInterval: upload.flushInterval != nil
            }
        guard !isThere else { return }
        reading.report(
            .conflict, turn.place, found: "\"\(turn.value.rawValue)\"",
            allowed:
                "a knob that the description has: \(turn.value.rawValue) is off, or a file is sent as it is")
    }
}
