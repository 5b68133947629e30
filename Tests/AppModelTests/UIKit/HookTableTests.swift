import Testing

@testable import AppModel

@Suite("Tables of hooks")
struct HookTableTests {
    private let table = HookTable(
        system: "test",
        [
            .init(.viewDidAppear, of: "UIViewController", reads: "class", event: "PageView"),
            .init(
                .sendAction, of: "UIControl", selector: "sendAction:to:forEvent:", reads: "selector, target",
                event: "ButtonClick", when: "for touches"),
            .init(.uncaughtException, of: "the process"),
        ])

    @Test("a table knows which calls are hooked")
    func contains() {
        let hooked = UIKitCall.Kind.allCases.filter { table.contains($0) }
        #expect(hooked == [.viewDidAppear, .sendAction, .uncaughtException])
    }

    @Test("and prints itself")
    func prints() {
        #expect(
            table.markdown == """
                | hook | of | reads | event |
                |---|---|---|---|
                | `viewDidAppear:` | UIViewController | class | `PageView` |
                | `sendAction:to:forEvent:` | UIControl | selector, target | `ButtonClick`, for touches |
                | `NSSetUncaughtExceptionHandler` | the process | – | – |

                """)
    }

    @Test("every call has a selector of its own")
    func selectors() {
        #expect(Set(UIKitCall.Kind.allCases.map(\.selector)).count == UIKitCall.Kind.allCases.count)
        #expect(UIKitCall.Kind.allCases.count <= 64)
    }
}
