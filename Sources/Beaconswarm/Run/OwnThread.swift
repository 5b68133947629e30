import NIOPosix

/// A thread for work that computes for long without a pause, as simulations do.
///
/// Swift's own pool has as many threads as the machine has cores. So many simulations on it would leave none to what
/// else a program does, and nobody could ask for their end.
enum OwnThread {
    /// Does work on a thread that ends with it.
    ///
    /// - Throws: what the work throws.
    static func compute<Success: Sendable>(
        _ work: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        let thread = NIOThreadPool(numberOfThreads: 1)
        thread.start()
        let result: Result<Success, any Error>
        do {
            result = .success(try await thread.runIfActive(work))
        } catch {
            result = .failure(error)
        }
        // When it has ended, it holds nothing of the work any more.
        try? await thread.shutdownGracefully()
        return try result.get()
    }
}
