import AppModel
package import Timebase

/// What a device's user did, whatever the SDK made of it: played again from the user's own streams, which nothing that
/// an SDK or a collector does reaches.
package struct DeviceLife {
    /// A time in which the app was in front.
    package struct Session {
        package enum End: String {
            case background, crash, kill, uninstall
        }

        /// From 0.
        package var number: Int
        /// The cold start, or the return from the background.
        package var from: Instant
        /// `nil` where it goes on at the end.
        package var until: Instant?
        package var end: End?
        package var isCold: Bool
        /// From 0: which of the app's installations on the device it belongs to.
        var installation = 0
    }

    /// An end of the app's process.
    package struct Death {
        package var at: Instant
        /// `background` where the system ended it while the app was not in front.
        package var cause: Session.End
    }

    package var sessions: [Session] = []
    /// In order. To delete an app that is not running is none.
    package var deaths: [Death] = []
    var isRunning = false
    var launches = 0
    var signedUpAt: Instant?
    var loggedInAt: Instant?
    var accounts = 0
    /// When the app was deleted, and when it was opened first after each time; in order.
    package var deletions: [Instant] = []
    package var returns: [Instant] = []
    /// Index into the app's versions.
    var version = 0

    /// The session in which an instant lies; both ends belong to it.
    package func session(at instant: Instant) -> Session? {
        // The last that begins by then.
        var (low, high) = (0, sessions.count)
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle].from <= instant { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let session = sessions[low - 1]
        return session.until.map { instant <= $0 } ?? true ? session : nil
    }
}

extension DeviceLife {
    /// - Parameter coldStart: When the process began whose app has not been in front yet.
    mutating func note(_ planned: PlannedAction, _ coldStart: inout Instant?) {
        switch planned.action {
        case .launch(let isPassive):
            launches += 1
            isRunning = true
            if returns.count < deletions.count { returns.append(planned.at) }
            coldStart = isPassive ? nil : planned.at
        case .enterForeground:
            sessions.append(
                Session(
                    number: sessions.count, from: coldStart ?? planned.at, isCold: coldStart != nil,
                    installation: returns.count))
            coldStart = nil
        case .enterBackground: endSession(planned.at, .background)
        case .crash: endProcess(planned.at, .crash)
        case .kill: endProcess(planned.at, isInFront ? .kill : .background)
        case .uninstall:
            endProcess(planned.at, .uninstall)
            deletions.append(planned.at)
        case .login(let account, let isSignUp):
            accounts = max(accounts, Int(account) + 1)
            if isSignUp { signedUpAt = signedUpAt ?? planned.at }
            loggedInAt = loggedInAt ?? planned.at
        case .updateApp(let version): self.version = Int(version)
        default: break
        }
    }

    /// Nothing happens any more: a process that began has its session, though its app did not come to the front in time.
    ///
    /// - Parameter coldStart: As ``note(_:_:)`` left it.
    mutating func end(_ coldStart: Instant?) {
        guard let coldStart else { return }
        sessions.append(
            Session(number: sessions.count, from: coldStart, isCold: true, installation: returns.count))
    }

    /// Whether a session is under way.
    private var isInFront: Bool {
        guard let last = sessions.last else { return false }
        return last.until == nil
    }

    private mutating func endProcess(_ instant: Instant, _ cause: Session.End) {
        endSession(instant, cause)
        if isRunning { deaths.append(Death(at: instant, cause: cause)) }
        isRunning = false
    }

    private mutating func endSession(_ instant: Instant, _ end: Session.End) {
        guard let last = sessions.indices.last, isInFront else { return }
        sessions[last].until = instant
        sessions[last].end = end
    }
}
