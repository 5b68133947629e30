/// What a live run demands of its generator: beyond one of these limits it says more about the generator than about its
/// target, and is invalid.
package enum GeneratorLimits {
    /// How late things may be done, at p(99), in milliseconds.
    package static let lagP99 = 100.0
    /// The share of the time for which an event loop may be busy while users act, 0…1.
    package static let busyShare = 0.95
}
