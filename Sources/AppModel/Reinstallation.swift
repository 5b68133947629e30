package import Timebase

/// Who comes back to an app that they had deleted.
package struct Reinstallation: Hashable, Sendable {
    /// The share of the deletions after which somebody installs the app again.
    package var share = 0.0
    /// Seconds from the deletion to that.
    package var after = Distribution.constant(0)

    package init() {}
}

extension UserCalendar {
    /// When a device's user, who deletes the app now, installs it again, and how many seconds it stays then; `nil` for
    /// never. What is drawn belongs to the device and to the deletion.
    func reinstallation(of index: Int, deletedAt instant: Instant) -> (after: Double, stays: Double)? {
        guard let retention, let reinstall, reinstall.share > 0 else { return nil }
        var stream = streams(.installation, index).child(UInt64(bitPattern: instant.nanoseconds))
        guard stream.chance(reinstall.share) else { return nil }
        let after = reinstall.after.sample(&stream)
        return (max(Pace.leastPause, after), retention.draw(oldest: 0, &stream).left)
    }
}

extension UserSimulator {
    /// The app has been deleted. Whoever installs it again opens it at once, and it knows nothing of them: the first launch is
    /// the first again, and who has an account logs in to it.
    ///
    /// - Returns: `false`: nothing is planned yet.
    mutating func installAgain(_ model: UserModel) -> Bool {
        guard let next = model.calendar?.reinstallation(of: Int(index), deletedAt: nextAt) else {
            nextAt = .distantFuture
            return false
        }
        endProcess()
        sessionAt = nextAt + model.pace.interval(next.after)
        // Who comes back after the run is not seen any more, and what would follow may be beyond what instants tell.
        guard sessionAt < usersEnd else {
            nextAt = .distantFuture
            return false
        }
        departure = sessionAt + model.pace.interval(next.stays)
        isFirstLaunch = true
        isLoggedIn = false
        isCalled = false
        // Whom the run found in a session that came to nothing begins anew.
        isUnderWay = false
        bringsAccount = accounts > 0 && !model.isSteady
        step = .launch
        return false
    }
}
