import Timebase

/// One of a scenario's patterns.
package struct PatternID: Hashable, Sendable {
    /// Its index in the scenario's list.
    package let number: Int
    /// The child of a device's stream of patterns from which it draws: by its name, so that no other pattern moves it.
    let stream: UInt64

    package init(_ number: Int, name: String) {
        self.number = number
        stream = RandomStream.hash(of: name)
    }
}
