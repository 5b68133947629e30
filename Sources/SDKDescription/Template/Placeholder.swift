/// A place in a template that is filled in: `{{name}}`, `{{name?}}`, `{{name|filter|filter}}`.
package struct Placeholder: Hashable, Sendable {
    package var source: Source
    package var filters: [Filter]
    /// Whether a key without a value is left out; else its value is `null`.
    package var isOptional: Bool

    package init(_ source: Source, filters: [Filter] = [], isOptional: Bool = false) {
        self.source = source
        self.filters = filters
        self.isOptional = isOptional
    }

    /// What is filled in.
    package enum Source: String, CaseIterable, Hashable, Sendable {
        case apiKey, account
        case appName = "app.name"
        case appID = "app.id"
        case deviceID = "device.id"
        case deviceModel = "device.model"
        case deviceWidth = "device.width"
        case deviceHeight = "device.height"
        case deviceCarrier = "device.carrier"
        /// The time zone in which the device's user lives.
        case deviceTimeZone = "device.timeZone"
        case osVersion = "os.version"
        case appVersion = "app.version"
        case appBuild = "app.build"
        case userID = "userId"
        case identified
        case distinctID = "distinctId"
        case anonymousID = "anonymousId"
        case sessionID = "session.id"
        case sessionPreviousID = "session.previous.id"
        case sessionIndex = "session.index"
        case sessionStart = "session.start"
        case sessionEventIndex = "session.eventIndex"
        case networkWifi = "network.wifi"
        case networkCellular = "network.cellular"
        case name, event, time, id, row
        case screenName = "screen.name"
        case screenClass = "screen.class"
        case screenTitle = "screen.title"
        case screenPreviousName = "screen.previous.name"
        case elementText = "element.text"
        case elementClass = "element.class"
        case foregroundIndex, backgroundIndex
        case properties
        case events, sent
        /// When the file was closed that a request sends; `sent` where there are no files that flushes close.
        case sealed
        /// `distinctId`, of whoever is there at the attempt.
        case sender
        /// The body as it would be without a form.
        case body
        /// The harness's id, where events are tagged with it; no template names it.
        case harnessID = "bs_id"
    }

    /// What a value is made into, one after the other.
    package enum Filter: String, CaseIterable, Hashable, Sendable {
        /// A time as text, `2026-03-02T11:30:00.123Z`.
        case iso
        /// A time as a number of milliseconds since 1970; what a time is without a filter.
        case ms
        /// A time as a number of seconds since 1970, without a fraction.
        case s
        /// A time as a number of microseconds since 1970, known to the millisecond.
        case us
        /// A time as a number of nanoseconds since 1970, known to the millisecond.
        case ns
        /// A number or a truth value as text.
        case text
        case upper, lower
        /// The names of an object's members, as a list of texts.
        case names
        /// The body's JSON through gzip (RFC 1952).
        case gzip
        /// The body's JSON, or what gzip made of it, as text (RFC 4648, section 4).
        case base64
        /// The body, as text: Java's `String.hashCode` of it, a check sum.
        case javaHash
    }
}

extension Placeholder {
    /// What kind of value there is.
    package enum Kind: String, Hashable, Sendable { case text, number, bool, time, object, list, bytes }

    /// For how long a value stays the same.
    package enum Scope: String, CaseIterable, Hashable, Sendable {
        /// One for a population.
        case population
        /// One for a device.
        case device
        /// It changes with what happens on the device, and events have that of their capture.
        case state
        /// An event's own.
        case event
        /// An attempt's own.
        case attempt
        /// The events of a request.
        case batch
        /// The body of a request.
        case form
    }

    /// What the value is after its filters; `nil` where a filter cannot be.
    package var kind: Kind? {
        var kind = source.kind
        for filter in filters {
            switch (filter, kind) {
            case (.iso, .time): kind = .text
            case (.ms, .time), (.s, .time), (.us, .time), (.ns, .time): kind = .number
            case (.text, .number), (.text, .bool): kind = .text
            case (.names, .object): kind = .list
            case (.upper, .text), (.lower, .text): if source == .body { return nil }
            case (.gzip, .text) where source == .body: kind = .bytes
            case (.base64, .text) where source == .body, (.base64, .bytes): kind = .text
            case (.javaHash, .text) where source == .body: kind = .number
            default: return nil
            }
        }
        return kind == .time ? .number : kind
    }
}

extension Placeholder.Source {
    /// What kind of value it is, before filters.
    package var kind: Placeholder.Kind {
        switch self {
        case .appBuild, .deviceWidth, .deviceHeight, .sessionIndex, .sessionEventIndex, .row,
            .foregroundIndex,
            .backgroundIndex:
            .number
        case .networkWifi, .networkCellular, .identified: .bool
        case .time, .sent, .sealed, .sessionStart: .time
        case .properties: .object
        case .events: .list
        default: .text
        }
    }

    package var scope: Placeholder.Scope {
        switch self {
        case .apiKey, .account, .appName, .appID: .population
        case .deviceID, .deviceModel, .deviceWidth, .deviceHeight, .deviceCarrier, .deviceTimeZone,
            .osVersion:
            .device
        case .appVersion, .appBuild, .userID, .identified, .distinctID, .anonymousID, .sessionID,
            .sessionPreviousID,
            .sessionIndex, .sessionStart, .networkWifi, .networkCellular, .foregroundIndex, .backgroundIndex:
            .state
        case .events: .batch
        case .sent, .sealed, .sender: .attempt
        case .body: .form
        default: .event
        }
    }

    /// Whether some events have no such value.
    package var mayBeAbsent: Bool {
        switch self {
        case .userID, .deviceCarrier, .sessionPreviousID, .screenName, .screenClass, .screenTitle,
            .screenPreviousName, .elementText, .elementClass:
            true
        default: false
        }
    }
}
