import Timebase

/// A run without guidance by coverage: every input of a corpus, then as many changed ones as were asked for,
/// by the seed alone.
package struct SeededRun {
    /// An input that broke a rule.
    package struct Failure: Error {
        package var input: [UInt8]
        package var finding: String
    }

    private let type: any FuzzTarget.Type
    private let target: any FuzzTarget
    private let corpus: [[UInt8]]

    /// Makes a run over a corpus; an empty one stands for the empty input.
    ///
    /// - Throws: What the target's start throws.
    package init(of type: any FuzzTarget.Type, corpus: [[UInt8]]) throws {
        self.type = type
        target = try type.init()
        self.corpus = corpus.isEmpty ? [[]] : corpus
    }

    /// Tries every input of the corpus.
    ///
    /// - Parameter willTry: Hears each input before it is tried, so that it can be told after a crash.
    package func replay(willTry: ([UInt8]) -> Void = { _ in }) throws(Failure) {
        for input in corpus { try run(input, willTry) }
    }

    /// Tries changed inputs for as long as `goesOn` says, which hears the number of the next one.
    ///
    /// - Parameter first: The number of the first: an input is a function of the seed and its number, so a run goes on
    ///   where another one ended.
    /// - Returns: the number of the next.
    package func mutate(
        seed: UInt64, from first: Int = 0, while goesOn: (Int) -> Bool,
        willTry: ([UInt8]) -> Void = { _ in }
    ) throws(Failure) -> Int {
        let mutator = Mutator(for: type)
        let root = RandomStream(key: seed)
        var number = first
        while goesOn(number) {
            var stream = root.child(UInt64(number))
            try run(mutator.mutated(from: corpus, &stream), willTry)
            number += 1
        }
        return number
    }

    private func run(_ input: [UInt8], _ willTry: ([UInt8]) -> Void) throws(Failure) {
        willTry(input)
        do { try target.check(input) } catch { throw Failure(input: input, finding: "\(error)") }
    }
}
