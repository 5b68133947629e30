/// A reader of foreign bytes, with what must hold whatever the bytes are.
///
/// The same target serves a run that is guided by coverage, a seeded run in a plain build, and the replay
/// of the corpus among the tests. A trap, a hang and a memory without bound are found by whoever runs
/// it; what a target finds itself it throws.
package protocol FuzzTarget: AnyObject {
    /// The name on the command line and of the corpus's folder.
    static var name: String { get }
    /// Texts that mean something to the reader, for mutations to put in.
    static var dictionary: [String] { get }
    /// The most bytes of an input that is worth trying: readers are linear or say otherwise.
    static var byteLimit: Int { get }
    /// The first characters that an input may have, where one chooses the reader; else empty.
    static var modes: String { get }

    /// Makes what is used again for every input.
    init() throws

    /// Reads an input and checks what must hold.
    ///
    /// The outcome depends on the input alone.
    ///
    /// - Throws: ``FuzzFinding`` if a rule is broken.
    func check(_ input: [UInt8]) throws
}

extension FuzzTarget {
    package static var byteLimit: Int { 16 << 10 }
    package static var modes: String { "" }
}

/// A rule that an input broke.
package struct FuzzFinding: Error, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}

/// Demands that something holds.
func demand(_ holds: Bool, _ rule: @autoclosure () -> String) throws(FuzzFinding) {
    if !holds { throw FuzzFinding(rule()) }
}

/// Every target.
package enum FuzzTargets {
    package static var all: [any FuzzTarget.Type] {
        [
            ParserTarget.self, HTTP2Target.self, CollectorTarget.self, ServerTarget.self, ScenarioTarget.self,
            ReportTarget.self,
            ReceiptsTarget.self, WireTarget.self, DeclaredTarget.self, CaptureTarget.self,
        ]
    }

    package static var names: [String] { all.map { $0.name } }

    /// The target of a name, `nil` for a name that does not exist.
    package static func named(_ name: String) -> (any FuzzTarget.Type)? { all.first { $0.name == name } }
}
