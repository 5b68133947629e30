import Scenario
import Testing

@testable import CollectorModel

@Suite("What events look like in tables")
struct EventShapeTests {
    @Test("members of systems that share a column are of one kind")
    func columns() {
        var kinds: [String: EventMember.Kind] = [:]
        for member in CollectorSystem.allCases.flatMap(\.eventShape.members) {
            #expect(kinds[member.column] ?? member.kind == member.kind, "\(member.column)")
            kinds[member.column] = member.kind
        }
        #expect(kinds.count > 50)
    }

    @Test(
        "a system's members are at places of their own, each with words", arguments: CollectorSystem.allCases)
    func members(system: CollectorSystem) {
        let members = system.eventShape.members
        #expect(Set(members.map(\.path)).count == members.count)
        #expect(members.allSatisfy { !$0.column.isEmpty && !$0.doc.isEmpty })
    }

    @Test(
        "what a version lacks is a member, and the version can be simulated",
        arguments: CollectorSystem.allCases)
    func missing(system: CollectorSystem) {
        let shape = system.eventShape
        let versions = SimulatedSystems.all.first { $0.name == system.rawValue }?.versions ?? []
        let paths = Set(shape.members.map(\.path))
        for (version, missing) in shape.missing {
            #expect(versions.contains(version), "\(version)")
            #expect(missing.isSubset(of: paths), "\(version)")
            #expect(Set(shape.members(of: version).map(\.path)) == paths.subtracting(missing), "\(version)")
        }
        #expect(shape.members(of: "no version") == shape.members)
    }
}
