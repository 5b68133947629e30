package import Timebase

extension DescribedSDK {
    /// Who a device says that it is.
    package struct Identity: Hashable, Sendable {
        /// How ids of a kind look.
        package enum Kind: String, CaseIterable, Sendable {
            /// A random UUID (RFC 9562, version 4), in upper case as iOS writes it.
            case uuid
            /// A UUID that begins with its time in milliseconds (RFC 9562, version 7), in lower case.
            case uuid7
            /// Sixteen hexadecimal digits, in lower case.
            case hex16
        }

        /// How the id of a session looks.
        package enum SessionKind: String, CaseIterable, Sendable {
            case uuid, uuid7, hex16
            /// The time of its start, in milliseconds since 1970.
            case ms
            /// The second of its start since 1970, and eight random digits behind it.
            case secondsRandom8
        }

        /// Where the id of somebody who has not logged in comes from.
        package enum Anonymous: String, CaseIterable, Sendable {
            case uuid, uuid7, hex16
            /// The device's own (`identifierForVendor`), which no logout changes.
            case vendor
        }

        /// What a login changes.
        package enum Login: String, CaseIterable, Sendable {
            /// `{{userId}}` is there, and `{{distinctId}}` is it.
            case distinctId
            /// `{{userId}}` is there; `{{distinctId}}` stays the anonymous one.
            case userId
            case none
        }

        /// What a logout changes.
        package enum Logout: String, CaseIterable, Sendable {
            /// The user is gone, and whoever comes next has a new anonymous id.
            case newAnonymous
            /// The user is gone; the anonymous id stays.
            case clearUser
            case none
        }

        package var anonymous = Anonymous.uuid
        /// What stands before the anonymous id where `{{distinctId}}` is it.
        package var prefix = ""
        package var login = Login.distinctId
        package var logout = Logout.clearUser
        /// Whether a logout deletes all rows of the store.
        package var logoutDeletes = false
        package var session = Session()

        package init() {}
    }

    /// What an SDK calls a session.
    package struct Session: Hashable, Sendable {
        /// When it is asked whether a session is over.
        package enum RenewsAt: String, CaseIterable, Sendable {
            /// At each event.
            case capture
            /// When the app returns to the foreground.
            case foreground
        }

        package var id = Identity.SessionKind.uuid
        package var renewsAt = RenewsAt.capture
        /// A session is over when nothing was captured, and the app was not opened, for longer than this.
        package var idle = Interval.minutes(30)
        /// The longest that one lasts; `nil` for no limit.
        package var longest: Interval?
        /// Whether a new process goes on with it.
        package var survives = false

        package init() {}
    }
}
