import Testing

@testable import AppModel

@Suite("What hooks read from views")
struct ReaderTests {
    @Test("references keep what differs from tap to tap in 32 bits")
    func detail() {
        let view = ViewReference(screen: 3, node: 9, row: 65_535, value: 1000)
        #expect(ViewReference(screen: 3, node: 9, detail: view.detail) == view)
        #expect(MemoryLayout<ViewReference>.size == 8)
        #expect(MemoryLayout<UIKitCall>.size <= 16)
        #expect(MemoryLayout<UIKitTrace>.size <= 32)
    }
}
