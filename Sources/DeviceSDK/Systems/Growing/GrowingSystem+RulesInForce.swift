package import DeviceSDK

/// What a new version of the app may change.
package struct GrowingRulesInForce: Sendable {
    let rules: GrowingRules
    let networkMask: NetworkMask
    let measuring: GrowingMeasuring

    /// - Parameter isPlain: Whether nobody but the encoder has a say in how large an event is.
    init(_ rules: GrowingRules, _ encoder: GrowingEncoder, isPlain: Bool) {
        self.rules = rules
        networkMask = NetworkMask(rules.upload.networks)
        measuring = GrowingMeasuring(rules.upload, encoder, isPlain: isPlain)
    }
}

/// Which batches must be measured, since they may reach ``GrowingRules/Upload/maxBytes``. Measuring makes each
/// event's bytes; what no event of its template can exceed is known beforehand, and mostly is enough.
enum GrowingMeasuring: Equatable, Sendable {
    case never, always
    /// By template: the most bytes that an event takes.
    case above([Int])

    init(_ rules: GrowingRules.Upload, _ encoder: GrowingEncoder, isPlain: Bool) {
        guard let limit = rules.maxBytes else {
            self = .never
            return
        }
        let limits = encoder.sizeLimits
        let most = (limits.max() ?? 0).multipliedReportingOverflow(by: rules.batch)
        if !most.overflow && most.partialValue < limit {
            self = .never
        } else {
            self = isPlain ? .above(limits) : .always
        }
    }

    /// Whether the bytes of a batch may reach a limit. O(rows).
    func isNeeded(for rows: borrowing ContiguousArray<EventRecord>, limit: Int) -> Bool {
        guard case .above(let limits) = self else { return self == .always }
        var sum = 0
        for index in rows.indices {
            sum += limits[Int(rows[index].template)]
            if sum >= limit { return true }
        }
        return false
    }
}

extension GrowingSystem {
    package func rulesInForce(under rules: any SystemRuleSet) -> GrowingRulesInForce {
        guard let rules = rules as? GrowingRules else { preconditionFailure("rules of another system") }
        return GrowingRulesInForce(rules, encoder, isPlain: !hasWatchers)
    }

    package mutating func follow(_ new: GrowingRulesInForce) {
        rules = new.rules
        networkMask = new.networkMask
        measuring = new.measuring
    }
}
