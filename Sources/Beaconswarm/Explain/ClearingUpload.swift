import Accounting
import DeviceSDK

/// The upload with whose end the SDK cleared away an event that this upload did not carry.
struct ClearingUpload {
    private let sequence: UInt32
    private let steps: [TraceStep]
    private let sealedAt: Int
    private let clearing: UnsentClearing
    /// Uploads that carried the event.
    private var carriers: Set<UInt32> = []
    private var capturedAt = 0

    /// - Parameters:
    ///   - sealedAt: The index of the event's fate in the trace.
    ///   - clearing: What such a fate follows from in the SDK's system.
    init(of sequence: UInt32, sealedAt: Int, in steps: [TraceStep], clearing: UnsentClearing) {
        self.sequence = sequence
        self.steps = steps
        self.sealedAt = sealedAt
        self.clearing = clearing
        for (index, step) in steps.enumerated() {
            switch step.what {
            case .captured(let range, _) where range.contains(sequence): capturedAt = index
            case .asked(let request) where request.carried?.contains(sequence) ?? false:
                carriers.insert(request.number.number)
            default: break
            }
        }
    }

    /// The index of its end in the trace; `nil` where no upload's end cleared the event away.
    var end: Int? {
        guard sealedAt < steps.count, case .sealed(let event) = steps[sealedAt].what,
            event.disposition == .lost(.clearedUnsent), clearing != .itself
        else { return nil }
        if let cause, case .ended(let number, _) = steps[cause].what, number.kind == .upload,
            !carriers.contains(number.number)
        {
            return cause
        }
        return clearing == .uploadEndOnceUnderWay ? firstThatCleared : nil
    }

    /// The index of the end that the event's fate followed from; `nil` where it followed from something else.
    private var cause: Int? {
        var index = sealedAt
        while index > capturedAt {
            index -= 1
            guard steps[index].at == steps[sealedAt].at else { return nil }
            switch steps[index].what {
            case .ended: return index
            case .sealed, .captured, .updated: continue
            default: return nil
            }
        }
        return nil
    }

    /// The first that ended after the capture with an answer after which this device removes what it has stored.
    private var firstThatCleared: Int? {
        let refusals = Set(
            steps.compactMap { step in
                if case .sealed(let event) = step.what { event.disposition } else { nil }
            })
        return steps.indices.first { index in
            guard index > capturedAt, index < sealedAt, case .ended(let number, let end) = steps[index].what,
                case .answered(let status, let isAcknowledged) = end
            else { return false }
            return number.kind == .upload && !carriers.contains(number.number)
                && (isAcknowledged || refusals.contains(.rejected(status: status)))
        }
    }
}
