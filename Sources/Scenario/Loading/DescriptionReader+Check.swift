import SDKDescription
import Timebase
import Wire

extension DescriptionReader {
    /// Reports what no single knob can know: knobs that could have no effect, and paths that are not there.
    static func check(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        checkStorage(sdk, place, &reading)
        checkFraming(sdk.request, ofBatch: sdk.upload.batch, sdk, place, &reading)
        checkLanes(sdk, place, &reading)
        checkTurns(sdk, place, &reading)
        checkRetry(sdk, place, &reading)
        checkConsent(sdk, place, &reading)
        checkPaths(sdk, place, &reading)
        checkPerEvent(sdk, place, &reading)
    }

    /// Reports a knob that has no effect, if it is there.
    static func refuse(
        _ keys: [String], in place: Place, unless hasEffect: Bool, because reason: String,
        _ reading: inout Reading
    ) {
        guard !hasEffect, let knob = place.value(at: keys) else { return }
        reading.report(.conflict, knob, found: "a knob without effect", allowed: reason)
    }

    private static func checkStorage(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        let storage = sdk.storage
        checkEviction(storage, place, &reading)
        refuse(
            ["upload", "oversize"], in: place, unless: sdk.upload.maxBytes != nil,
            because: "oversize only with maxBytes", &reading)
        for place in [place] where storage.persist == .onBackground {
            refuse(
                ["config"], in: place, unless: !sdk.configs.contains { $0.holds != nil },
                because: "no holdsCapture with \"persist\": \"onBackground\": all waits in memory", &reading)
        }
        refuse(
            ["storage", "persist"], in: place, unless: storage.backend != .memory || storage.persist == .each,
            because: "persist only with \"file\" or \"sqlite\"", &reading)
        refuse(
            ["upload", "countOf"], in: place, unless: sdk.upload.flushBulkSize != nil,
            because: "countOf only with flushBulkSize", &reading)
        refuse(
            ["upload", "timerRuns"], in: place, unless: sdk.upload.flushInterval != nil,
            because: "timerRuns only with flushInterval", &reading)
        if let seal = storage.seal { checkSeal(seal, sdk, place, &reading) }
        checkOverlap(sdk, place, &reading)
        refuse(
            ["upload", "rounds"], in: place,
            unless: !sdk.upload.rounds
                || storage.seal == nil && storage.removeBy == .id && !sdk.upload.overlaps,
            because: "no rounds with storage.seal, \"removeBy\": \"position\" and upload.overlaps", &reading)
        checkNetworks(sdk.upload, place, &reading)
        checkPosition(sdk, place, &reading)
    }

    /// Rows that leave by their position have to be those at the front.
    private static func checkPosition(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        guard sdk.storage.removeBy == .position else { return }
        let removeBy = place.value(at: ["storage", "removeBy"]) ?? place
        if sdk.answers.rules.contains(where: { $0.verdict == .dropListed }) {
            reading.report(
                .conflict, removeBy, found: "\"position\"",
                allowed: "\"id\" with the verdict \"dropListed\": what is listed need not be at the front")
        }
        if sdk.upload.concurrency > 1 || sdk.storage.order == .newest {
            reading.report(
                .conflict, removeBy, found: "\"position\"",
                allowed: "\"id\" with several requests at once, or with the newest rows first")
        }
    }

    private static func checkEviction(
        _ storage: DescribedSDK.Storage, _ place: Place, _ reading: inout Reading
    ) {
        for key in ["evictAt", "evictFrom"] where storage.limit == nil && storage.maxBytes == nil {
            refuse(
                ["storage", key], in: place, unless: false, because: "\(key) only with a limit", &reading)
        }
        // One at a time, as presets with a limit say it, is what there is without the knob.
        refuse(
            ["storage", "evict"], in: place,
            unless: storage.limit != nil || storage.maxBytes != nil || storage.evict == 1,
            because: "evict only with a limit", &reading)
        if let limit = storage.limit, storage.evict > limit {
            reading.report(
                .conflict, place.value(at: ["storage", "evict"]) ?? place, found: "\(storage.evict)",
                allowed: "no more than the limit of \(limit)")
        }
    }

    /// Flushes beside each other are chains of requests: nothing that one flush remembers holds for another.
    private static func checkOverlap(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        guard sdk.upload.overlaps else {
            return refuse(
                ["upload", "takes"], in: place, unless: sdk.upload.takes == .idle,
                because: "\"all\" only with overlaps: without, no request carries a row when one begins",
                &reading)
        }
        refuse(
            ["upload", "takes"], in: place, unless: sdk.upload.takes == .idle || sdk.upload.concurrency > 1,
            because: "\"all\" only with a concurrency above 1: no request carries a row when one begins",
            &reading)
        let splits = sdk.answers.rules.contains { $0.verdict == .split }
        guard splits || sdk.storage.seal != nil || sdk.storage.removeBy == .position else { return }
        reading.report(
            .conflict, place.value(at: ["upload", "overlaps"]) ?? place, found: "true",
            allowed: "false with storage.seal, with \"removeBy\": \"position\" and with the verdict \"split\""
        )
    }

    /// A network on which nothing is uploaded sets off nothing.
    private static func checkNetworks(
        _ upload: DescribedSDK.Upload, _ place: Place, _ reading: inout Reading
    ) {
        var waking = upload.onNetwork
        if let networks = upload.networks, !networks.isEmpty { waking.formIntersection(networks) }
        refuse(
            ["upload", "onNetwork"], in: place, unless: upload.onNetwork.isEmpty || !waking.isEmpty,
            because: "onNetwork with at least one network on which it uploads", &reading)
    }

    private static func checkLanes(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        guard !sdk.lanes.isEmpty else { return }
        let isPlain = sdk.storage.seal == nil && sdk.storage.removeBy == .id && !sdk.upload.overlaps
        refuse(
            ["lanes"], in: place, unless: isPlain,
            because: "no lanes with storage.seal, \"removeBy\": \"position\" and upload.overlaps", &reading)
        for lane in sdk.lanes {
            guard let own = place.value(at: ["lanes", lane.name]) else { continue }
            checkFraming(lane.request, ofBatch: lane.batch, sdk, own, &reading)
            refuse(
                ["tag"], in: own, unless: sdk.events.tag != nil,
                because: "a tag only where events.tag is one",
                &reading)
            let number = sdk.lanes.firstIndex(of: lane).map { $0 + 1 }
            if !sdk.events.actions.values.contains(where: { $0.lane == number }) {
                reading.report(
                    .conflict, own, found: "a lane without events", allowed: "lanes that an action names")
            }
        }
    }

    private static func checkFraming(
        _ request: DescribedSDK.Request, ofBatch batch: Int?, _ sdk: DescribedSDK, _ place: Place,
        _ reading: inout Reading
    ) {
        let framing = request.framing
        if framing == .lines, request.body != .value(Placeholder(.events)) {
            reading.report(
                .conflict, place.value(at: ["request", "body"]) ?? place, found: "a body around the events",
                allowed: "\"{{events}}\" by itself: lines have nothing around them")
        }
        refuse(
            ["request", "compress"], in: place,
            unless: request.compress == .none || request.form.isEmpty,
            because: "\"none\" with a form: {{body|gzip|base64}} packs the field", &reading)
        refuse(
            ["request", "escaping"], in: place, unless: !request.form.isEmpty,
            because: "escaping only with a form", &reading)
        refuse(
            ["request", "method"], in: place, unless: request.method != .get || !request.form.isEmpty,
            because: "GET only with a form, whose fields are in the query", &reading)
        if framing == .one, batch != 1 || sdk.storage.seal != nil {
            reading.report(
                .conflict, place.value(at: ["request", "framing"]) ?? place, found: "\"one\"",
                allowed: "\"one\" only with upload.batch 1, and without storage.seal")
        }
    }

    /// A configuration that turns the batch needs a request that may have several events, by the batch of all uploads.
    private static func checkTurns(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        guard sdk.request.framing == .one, !sdk.lanes.contains(where: \.takesTurnedBatch) else { return }
        for (index, config) in sdk.configs.enumerated() {
            for turn in config.turns where turn.knob == .batch {
                let keys = ["config", String(index), "apply", turn.path.pointer]
                reading.report(
                    .conflict, place.value(at: keys) ?? place.value(at: ["config"]) ?? place,
                    found: "\"batch\"",
                    allowed:
                        "no batch where all requests have \"framing\": \"one\" or the batch of their lane")
            }
        }
    }

    private static func checkRetry(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        let retry = sdk.retry
        // One that lists nothing is a failure.
        let fails = sdk.answers.rules.contains {
            $0.verdict.countsAsFailure || $0.verdict == .dropListed
        }
        for key in ["backoff", "attempts"] {
            refuse(
                ["retry", key], in: place, unless: fails,
                because: "\(key) only where the answers have \"retry\", \"halve\" or \"dropListed\"", &reading
            )
        }
        refuse(
            ["retry", "exhausted"], in: place, unless: retry.attempts != nil,
            because: "exhausted only with attempts",
            &reading)
        refuse(
            ["retry", "wakes"], in: place,
            unless: retry.backoff != nil || retry.retryAfter != nil || !retry.wakes,
            because: "wakes only with backoff or retryAfter", &reading)
        refuse(
            ["retry", "latch"], in: place,
            unless: retry.exhausted == .latch && retry.attempts != nil || retry.latch?.on.isEmpty == false,
            because: "a latch that something closes: \"on\", or \"exhausted\": \"latch\" with attempts",
            &reading)
        if let backoff = retry.backoff {
            refuse(
                ["retry", "backoff", "factor"], in: place, unless: backoff.shape == .exponential,
                because: "factor only for exponential waits", &reading)
            if let longest = backoff.longest, longest < backoff.initial {
                reading.report(
                    .conflict, place.value(at: ["retry", "backoff"]) ?? place,
                    found: "initial \(backoff.initial.text), max \(longest.text)",
                    allowed: "\"max\" not below \"initial\"")
            }
        }
    }

    private static func checkConsent(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        for action in [DescribedSDK.Action.optIn, .optOut] {
            refuse(
                ["events", action.rawValue], in: place, unless: sdk.consent != nil,
                because: "\(action.rawValue) only with the group consent", &reading)
        }
        guard let consent = sdk.consent else { return }
        refuse(
            ["consent", "captures"], in: place,
            unless: consent.captures == .suppress || consent.stored != .send,
            because: "\"store\" only where what is stored is not sent without consent", &reading)
    }

    /// The paths of ids must be in every event.
    private static func checkPaths(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        for action in DescribedSDK.Action.allCases {
            guard let event = sdk.events.actions[action] else { continue }
            if let tag = sdk.events.tag.flatMap({ event.tag ?? $0 }),
                event.envelope.inserting(.null, at: tag) == nil
            {
                reading.report(
                    .conflict, place.value(at: ["events", "tag"]) ?? place, found: "\"\(tag.pointer)\"",
                    allowed:
                        "a place in an object of every event; \(action.rawValue) has none there, or has the key"
                )
            }
            for (index, key) in sdk.events.key.enumerated() where event.envelope.value(at: key) == nil {
                reading.report(
                    .conflict, place.value(at: ["events", "key"]) ?? place,
                    found: "\"\(key.pointer)\", the key's part \(index)",
                    allowed: "places that every event has; \(action.rawValue) has none there")
            }
        }
        if sdk.events.tag == nil, sdk.events.key.isEmpty {
            reading.report(
                .missingKey, place.value(at: ["events"]) ?? place, found: "neither \"tag\" nor \"key\"",
                allowed: "a place of the id by which events are known to an audit")
        }
    }
}
