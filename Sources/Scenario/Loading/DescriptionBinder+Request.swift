import CollectorModel
import SDKDescription
import Wire

extension DescriptionBinder {
    func bindRequest(_ request: inout DescribedSDK.Request, _ reading: inout Reading) {
        request.query = lines(draft.query, &reading)
        bindForm(&request, &reading)
        if let headers = draft.headers {
            request.headers = headerLines(headers, packed: request.compress == .gzip, &reading)
        }
        if let body = draft.body {
            request.body = template(body, Self.bodyScopes.union([.batch]), &reading)
            check(request.body, at: body, &reading)
        }
        guard let perEvent = draft.perEvent else { return }
        if case .object(let members) = template(perEvent, [.population, .attempt], &reading) {
            request.perEvent = members
        } else {
            reading.report(.wrongType, perEvent, allowed: "an object of members for each event")
        }
    }

    /// A body has its events once, and where a collector finds them.
    private func check(_ body: Template, at place: Place, _ reading: inout Reading) {
        let lists = body.placeholders.filter { $0.source == .events }.count
        let isPlain = body.path { $0 == .value(Placeholder(.events)) } != nil
        if lists != 1 || !isPlain {
            reading.report(
                .conflict, place, found: "\(lists) times {{events}}",
                allowed: "{{events}} once, as a value by itself"
                    + (isOfLane && lists > 1
                        ? "; a lane's body is merged into the description's own, of which null takes a key away"
                        : ""))
        }
        if case .encoded = body {
            reading.report(
                .conflict, place, found: "a body that is a text",
                allowed: "an object or a list, in which a text may hold {{events}}")
        }
        let texts = body.texts(around: .events) ?? 0
        if texts > UploadDescription.textLimit {
            reading.report(
                .conflict, place, found: "{{events}} in \(texts) texts in each other",
                allowed: "\(UploadDescription.textLimit) at most")
        }
    }

    /// What is the same for all events of a request.
    private static let bodyScopes: Set<Placeholder.Scope> = [.population, .device, .state, .attempt]

    private func bindForm(_ request: inout DescribedSDK.Request, _ reading: inout Reading) {
        guard !draft.form.isEmpty else { return }
        request.headers =
            request.method == .get
            ? []
            : [
                DescribedSDK.Request.Line("Content-Type", .constant("application/x-www-form-urlencoded"))
            ]
        request.form = draft.form.map { field in
            let before = reading.problems.count
            let value = template(field.value, Self.bodyScopes.union([.form]), &reading)
            switch value {
            case .value(let placeholder):
                if placeholder.kind == .bytes {
                    reading.report(
                        .wrongType, field.place, allowed: "a text, such as {{body|gzip|base64}}")
                }
            case .text(let segments):
                if segments.contains(where: {
                    if case .slot(let slot) = $0 { slot.source == .body } else { false }
                }) {
                    reading.report(.wrongType, field.place, allowed: "{{body}} by itself")
                }
            case .number, .bool: break
            // What could not be read was told.
            default:
                if reading.problems.count == before {
                    reading.report(.wrongType, field.place, allowed: "a text")
                }
            }
            return DescribedSDK.Request.Line(field.name, value)
        }
        if request.bodyFields.count != 1 {
            reading.report(
                .conflict, at(["request", "form"]), found: "\(request.bodyFields.count) fields with the body",
                allowed: "{{body}} in one field, as it is or through gzip and base64")
        }
    }

    func lines(
        _ lines: [Named<Place>], _ reading: inout Reading
    ) -> [DescribedSDK.Request.Line] {
        lines.map { line in
            let before = reading.problems.count
            let value = template(line.value, [.population], &reading)
            if case .text = value {
            } else if case .value = value {
            } else if reading.problems.count == before {
                reading.report(.wrongType, line.place, allowed: "a text")
            }
            return DescribedSDK.Request.Line(line.name, value)
        }
    }

    /// Headers: what would break the head of a request is refused, in constants too.
    ///
    /// - Parameter packed: Whether the SDK packs bodies, and says so in a header of its own.
    private func headerLines(
        _ headers: [Named<Place>], packed: Bool, _ reading: inout Reading
    ) -> [DescribedSDK.Request.Line] {
        let lines = lines(headers, &reading)
        HeaderRules.check(unique: headers, &reading)
        for (header, line) in zip(headers, lines) {
            HeaderRules.check(name: header.name, at: header.place, &reading)
            if packed, header.name.lowercased() == "content-encoding" {
                reading.report(
                    .conflict, header.place, found: "\"\(header.name)\" beside \"compress\": \"gzip\"",
                    allowed: "one of them: compress adds the header")
            }
            guard case .text(let segments) = line.value else { continue }
            for case .constant(let text) in segments {
                HeaderRules.check(line: text, at: header.place, &reading)
            }
        }
        return lines
    }
}
