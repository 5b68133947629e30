import AppModel
import DeviceSDK
import SensorsSDK

extension AppBinder {
    /// Binds a call that says who somebody is; keys that its operation does not have are reported.
    mutating func identity(_ draft: IdentityDraft) -> IdentityUpdate? {
        guard let operation = draft.operation, let trigger = trigger(draft.trigger) else { return nil }
        refuseForeignKeys(draft, operation.value)
        guard let call = call(operation, draft) else { return nil }
        var update = IdentityUpdate(operation: call, trigger: trigger)
        update.chance = draft.chance
        return update
    }

    private mutating func call(
        _ operation: Located<IdentityDraft.Operation>, _ draft: IdentityDraft
    ) -> IdentityUpdate.Operation? {
        switch operation.value {
        case .identify: return .identify(draft.id?.value ?? .perCall)
        case .resetAnonymousId: return .resetAnonymousID
        case .bind:
            guard let key = key(draft, operation) else { return nil }
            guard let place = draft.value?.place else {
                reportMissing("value", operation)
                return nil
            }
            guard let value = draft.value.flatMap({ generator($0.value) }) else { return nil }
            guard value.isOfADevice else {
                reading.report(
                    .outOfRange, place,
                    allowed: "constant, choice, zipf or number, of texts and numbers, none of them empty")
                return nil
            }
            return .bind(key: key, value: value)
        case .unbind: return key(draft, operation).map { .unbind(key: $0) }
        }
    }

    private mutating func key(_ draft: IdentityDraft, _ operation: Located<IdentityDraft.Operation>)
        -> String?
    {
        guard let key = draft.key else {
            reportMissing("key", operation)
            return nil
        }
        let known = bindingKeys
        if operation.value == .unbind && !known.contains(key.value) {
            guard knowsBindings else { return nil }
            reading.reportUnknown(key.value, key.place, among: known, what: "a key that the app binds")
            return nil
        }
        guard SensorsNames.isBindable(key.value) else {
            reading.report(
                .outOfRange, key.place,
                allowed:
                    "a name that the SDK lets an app bind: a letter, \"_\" or \"$\", then letters, digits, "
                    + "\"_\" and \"$\"; not $identity_login_id, $identity_anonymous_id, $identity_idfv or "
                    + "$identity_ios_uuid, nor a reserved word such as \"user_id\"")
            return nil
        }
        return key.value
    }

    /// The keys that the app binds.
    private var bindingKeys: [String] {
        draft.identities.compactMap { $0.operation?.value == .bind ? $0.key?.value : nil }
    }

    /// Whether each key that may be bound could be read: of the others it is told what is wrong.
    private var knowsBindings: Bool {
        draft.identities.allSatisfy { identity in
            guard let operation = identity.operation else { return false }
            return operation.value != .bind || identity.key != nil
        }
    }

    private mutating func refuseForeignKeys(_ draft: IdentityDraft, _ operation: IdentityDraft.Operation) {
        for (name, place) in [
            ("id", draft.id?.place), ("key", draft.key?.place), ("value", draft.value?.place),
        ] where !operation.keys.contains(name) {
            guard let place else { continue }
            reading.report(
                .conflict, place, found: "\"\(name)\" for \(operation.rawValue)",
                allowed: "\"\(name)\" with "
                    + IdentityDraft.Operation.allCases.filter { $0.keys.contains(name) }.map(\.rawValue)
                    .joined(separator: " and ") + " alone")
        }
    }

    private mutating func reportMissing(_ name: String, _ operation: Located<IdentityDraft.Operation>) {
        reading.report(
            .missingKey, operation.place, found: "\(operation.value.rawValue) without \"\(name)\"",
            allowed: "\"\(name)\" beside it")
    }
}
