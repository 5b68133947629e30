package import Timebase

/// What a user, the operating system or the app itself does: the only input that an SDK gets from
/// outside, decided before and independently of anything the SDK or a collector does.
///
/// Indices point into the tables of the population's ``AppDescription``.
package enum UserAction: Hashable, Sendable {
    /// A cold start: the process begins. `passive` is a start by the system in the background.
    case launch(passive: Bool)
    /// The app becomes active (after a cold start, or coming back from the background).
    case enterForeground
    case enterBackground
    /// The process ends without a word: memory is gone, the disk stays.
    case kill
    /// An uncaught exception: the SDK's handler may still run, then the process is gone.
    case crash(reason: UInt16)
    /// `viewDidAppear:` of a screen, coming from another (`nil` on the first).
    case appear(screen: UInt16, referrer: UInt16?)
    /// `viewWillDisappear:` of a screen: the way to `next`, whose ``appear(screen:referrer:)`` follows
    /// when the animation is over, has begun.
    case disappear(screen: UInt16, next: UInt16? = nil)
    case tap(screen: UInt16, control: UInt16)
    /// The app calls `track` for a business event; `subject` is the entity concerned (an index into
    /// the event's catalogue), kept through a session so that what is bought is what was viewed.
    case business(event: UInt16, subject: UInt32)
    /// The app starts the clock of a timed business event; the later `.business` ends it.
    case beginTimed(event: UInt16)
    /// A page in a web view sends a business event over the bridge.
    case web(event: UInt16, subject: UInt32)
    /// `login:` with account number `account` of this device's user; `signUp` for a new account.
    case login(account: UInt32, signUp: Bool)
    case logout
    case profile(update: UInt16, subject: UInt32)
    case item(update: UInt16, subject: UInt32)
    /// The app says who somebody is (index into ``AppDescription/identities``).
    case identity(update: UInt16)
    /// The app registers super properties (index into ``AppDescription/superProperties``).
    case registerSuperProperties(group: UInt16)
    /// The user deletes the app with all that it stored. The process is gone, and so is the user.
    case uninstall
    /// The app was updated to `AppDescription.versions[version]`; comes before the next launch.
    case updateApp(version: UInt16)
}

/// An action with the time at which it happens, whatever the system under test does.
package struct PlannedAction: Hashable, Sendable {
    package var at: Instant
    package var action: UserAction
    /// The app's own code reacts to it, and the next action is what it does: of a tap, a call from the
    /// control's action; of a screen, one from its `viewDidAppear:`. False for the last of the reactions.
    package var isAnswered: Bool

    package init(at: Instant, action: UserAction, isAnswered: Bool = false) {
        self.at = at
        self.action = action
        self.isAnswered = isAnswered
    }
}
