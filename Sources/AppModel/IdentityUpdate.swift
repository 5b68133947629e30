/// A call by which an app tells the SDK who somebody is, beside login and logout.
package struct IdentityUpdate: Hashable, Sendable {
    package enum Operation: Hashable, Sendable {
        /// `identify:` puts an id of the app's own in the place of the anonymous one.
        case identify(Identifier)
        /// `resetAnonymousId` puts back the one that the SDK had found by itself.
        case resetAnonymousID
        /// `bind:value:` says that a further id, such as `$identity_mobile`, is the same user's. The
        /// value is a device's own: the same at each call.
        case bind(key: String, value: PropertyGenerator)
        /// `unbind:value:` takes back the value that was bound last for the key, or, where none is, the
        /// one that the app's first ``bind(key:value:)`` of the key has.
        case unbind(key: String)

        /// Whether the SDK sends an event about it.
        package var isTracked: Bool {
            switch self {
            case .identify, .resetAnonymousID: false
            case .bind, .unbind: true
            }
        }
    }

    /// What an app passes to `identify:`: a UUID.
    package enum Identifier: String, CaseIterable, Sendable {
        /// Another one at each call, as for the guests of one device.
        case perCall
        /// The app's own id of the device, the same at each call.
        case perDevice
    }

    package var operation: Operation
    package var trigger: Trigger
    /// Probability that the trigger makes the call.
    package var chance = 1.0

    package init(operation: Operation, trigger: Trigger) {
        self.operation = operation
        self.trigger = trigger
    }
}

/// A ``IdentityUpdate/Operation/bind(key:value:)`` of an app. Bindings are numbered in the order of the
/// app's description.
package struct IdentityBinding: Hashable, Sendable {
    package var key: String
    package var value: PropertyGenerator
}

extension AppDescription {
    /// Bindings that a device can have.
    package static let bindingLimit = 32

    /// The app's bindings, by their numbers.
    package var bindings: [IdentityBinding] {
        identities.compactMap { update in
            guard case .bind(let key, let value) = update.operation else { return nil }
            return IdentityBinding(key: key, value: value)
        }
    }
}
