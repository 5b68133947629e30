import Files
import Foundation
import TestSupport
import Testing

@Suite("Files of a folder")
struct FolderTests {
    @Test("a file that cannot be made a second time leaves nothing behind")
    func failedCopy() throws {
        let base = TestFolder.newPath("folder-tests")
        defer { try? FileManager.default.removeItem(atPath: base) }
        // A folder has no second name, and no bytes to copy.
        try Folder.make("\(base)/source")
        #expect(throws: FileFailure.self) { try Folder.link("\(base)/source", as: "\(base)/out/copy") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(base)/out").isEmpty)
    }
}
