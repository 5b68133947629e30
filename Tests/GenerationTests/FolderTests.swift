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
    @Test(
        "a new folder is one that was not there, however its name is written",
        arguments: ["", "/", "/.", "//"])
    func newFolder(end: String) throws {
        let base = TestFolder.newPath("folder-tests")
        defer { try? FileManager.default.removeItem(atPath: base) }
        #expect(try Folder.makeNew("\(base)/a/b\(end)"))
        #expect(Folder.names(in: "\(base)/a") == ["b"])
        #expect(try !Folder.makeNew("\(base)/a/b\(end)"), "it is another's by now")
        try Data().write(to: URL(fileURLWithPath: "\(base)/file"))
        #expect(try !Folder.makeNew("\(base)/file"))
        #expect(throws: FileFailure.self) { try Folder.makeNew("\(base)/file/c\(end)") }
    }
}
