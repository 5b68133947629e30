import DeclaredSDK
import DeviceSDK
import SDKDescription
import Timebase
import Wire

// Knobs that do nothing beside the values of others. They are warned of and not refused: a sweep has such points.

extension DescriptionReader {
    /// - Parameter place: The whole description.
    static func warnOfIdleKnobs(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        warnOfIdleUploads(sdk, place, &reading)
        warnOfIdleRetries(sdk.retry, sdk.upload, place, &reading)
        for lane in sdk.lanes where lane.waitsForLogin && sdk.identity.login == .none {
            note(
                ["lanes", lane.name, "waitsFor"], place,
                "identity.login is \"none\", so that nobody is ever known to be signed in: none of its events is sent",
                &reading)
        }
    }

    private static func note(
        _ keys: [String], _ place: Place, _ text: String, when isIdle: Bool = true, _ reading: inout Reading
    ) {
        // What a preset brings along is nobody's mistake.
        guard isIdle, let knob = place.value(at: keys), !knob.isOfPreset else { return }
        reading.warn(knob.path, text)
    }

    private static func warnOfIdleUploads(_ sdk: DescribedSDK, _ place: Place, _ reading: inout Reading) {
        let upload = sdk.upload
        note(
            ["upload", "networks"], place, "nothing is ever uploaded", when: upload.networks?.isEmpty == true,
            &reading)
        for trigger in DescribedSDK.Upload.Trigger.allCases where !upload.has(trigger, sdk.retry) {
            note(
                ["upload", "maxBatchesPerFlush", trigger.rawValue], place,
                "it has no effect: \(trigger.reason)", &reading)
        }
        note(
            ["upload", "countOf"], place,
            "\"idle\" is as \"stored\" without overlaps: when an upload may begin, no request carries a row",
            when: upload.countOf == .idle && !upload.overlaps, &reading)
        let splits = sdk.answers.rules.contains { $0.verdict == .split }
        note(
            ["upload", "rounds"], place,
            "it has no effect without maxBytes and with one request at a time: each round is one request",
            when: upload.rounds && upload.maxBytes == nil && upload.concurrency == 1 && !splits, &reading)
        let isOneByOne = DescribedSDK.Upload.Trigger.allCases.allSatisfy { upload.batches[$0] == 1 }
        note(
            ["upload", "concurrency"], place,
            "it has no effect: maxBatchesPerFlush allows one request after each trigger",
            when: upload.concurrency > 1 && isOneByOne && !upload.overlaps && !splits, &reading)
    }

    private static func warnOfIdleRetries(
        _ retry: DescribedSDK.Retry, _ upload: DescribedSDK.Upload, _ place: Place, _ reading: inout Reading
    ) {
        if let backoff = retry.backoff {
            note(
                ["retry", "backoff", "from"], place,
                "there is no wait: the SDK gives up with failure \((retry.attempts ?? 0) + 1)",
                when: retry.attempts.map { backoff.from > $0 } ?? false, &reading)
            note(
                ["retry", "backoff", "jitter"], place, "it has no effect: each wait is as long as \"max\"",
                when: backoff.jitter > .zero && backoff.longest.map { $0 <= backoff.initial } ?? false,
                &reading)
        }
        if let rule = retry.retryAfter {
            note(
                ["retry", "retryAfter", "combine"], place, "it has no effect: there is no other wait",
                when: retry.backoff == nil && upload.concurrency == 1 && rule.on == nil, &reading)
        }
        // Requests that wait for a socket may meet another network than that on which their flush began.
        let triesOffline =
            upload.whenOffline == .try && upload.networks == nil
            || upload.concurrency > DeclaredSystem.socketLimit
        guard let latch = retry.latch, latch.on.contains(.offline), !triesOffline else { return }
        let list = place.value(at: ["retry", "latch", "on"])
        let index = list?.node.elements?.firstIndex { $0.string == AnswerTable.Failure.offline.rawValue }
        if let list, let index, !list.isOfPreset {
            reading.warn(list.path.appending(index), "\"offline\" has no effect: nothing is tried offline")
        }
    }
}

extension Place {
    fileprivate var isOfPreset: Bool { if case .preset = node.position { true } else { false } }
}

extension DescribedSDK.Upload {
    /// Whether there is such a trigger.
    fileprivate func has(_ trigger: Trigger, _ retry: DescribedSDK.Retry) -> Bool {
        switch trigger {
        case .count: flushBulkSize != nil
        case .timer: flushInterval != nil
        case .background: onBackground
        case .foreground: onForeground
        case .launch: onLaunch != .never
        case .network: !onNetwork.isEmpty
        case .immediate: !immediate.isEmpty
        case .retry: retry.wakes
        }
    }
}

extension DescribedSDK.Upload.Trigger {
    /// Why it is none.
    fileprivate var reason: String {
        switch self {
        case .count: "there is no flushBulkSize"
        case .timer: "there is no flushInterval"
        case .background: "onBackground is false"
        case .foreground: "onForeground is false"
        case .launch: "onLaunch is false"
        case .network: "onNetwork names no network"
        case .immediate: "no event is immediate"
        case .retry: "retry.wakes is false"
        }
    }
}
