package import AppModel
import DeviceSDK

extension CodelessSystem {
    /// The methods that the text's figures 2 to 4 list, and the notifications that its cache and its
    /// uploader wait for.
    package static let hooks = HookTable(
        system: "codeless",
        pageHooks + clickHooks + scrollHooks + [
            HookTable.Row(.didEnterBackground, of: "UIApplication", reads: "nothing: uploads files"),
            HookTable.Row(.willEnterForeground, of: "UIApplication", reads: "nothing: uploads files"),
            HookTable.Row(.willTerminate, of: "UIApplication", reads: "nothing: writes the memory to a file"),
            HookTable.Row(
                .uncaughtException, of: "Foundation", reads: "nothing: writes the memory to a file"),
        ])

    private static let pageHooks: [HookTable.Row] = [
        page(.viewDidLoad, .pageCreate), page(.viewWillAppear, .pageShow),
        page(.viewWillDisappear, .pageHide), page(.dealloc, .pageDestroy),
    ]

    private static func page(_ call: UIKitCall.Kind, _ event: CodelessTemplate) -> HookTable.Row {
        HookTable.Row(call, of: "UIViewController", reads: "class", event: event.name)
    }

    private static let clickHooks: [HookTable.Row] = [
        click(
            .sendAction, of: "UIApplication", .buttonClick,
            when: "the sender is a view; of a bar's button the page is the one shown"),
        click(.shouldPopItem, of: "UINavigationController", .buttonClick, when: "the page is the one shown"),
        click(.gesture, of: "UIGestureRecognizer, then the target's action", .viewTap),
        click(.didSelectRow, of: "the table's delegate", .listItemClick, reads: "index path"),
        click(.didSelectItem, of: "the collection's delegate", .listItemClick, reads: "index path"),
        click(.setJSResponder, of: "RCTUIManager", .reactNativeTap),
        alert(.alertAction, of: "UIAlertAction"),
        alert(.alertViewButton, of: "the UIAlertView's delegate"),
        alert(.actionSheetButton, of: "the UIActionSheet's delegate"),
    ]

    private static func alert(_ call: UIKitCall.Kind, of receiver: String) -> HookTable.Row {
        click(
            call, of: receiver, .alertClick, reads: "the alert's title and message",
            when: "the page is the one shown")
    }

    private static func click(
        _ call: UIKitCall.Kind, of receiver: String, _ event: CodelessTemplate, reads: String = "",
        when condition: String = ""
    ) -> HookTable.Row {
        let view = "page, class, path, frame and title of the view"
        return HookTable.Row(
            call, of: receiver, reads: reads.isEmpty ? view : view + ", " + reads, event: event.name,
            when: condition)
    }

    private static let scrollHooks: [HookTable.Row] = [
        scroll(.willEndDragging, "", when: "the end of a drag is told by the calls below"),
        scroll(.didEndDragging, CodelessTemplate.scroll.name, when: "if it does not go on"),
        scroll(.didEndDecelerating, CodelessTemplate.scroll.name),
        scroll(.didScrollToTop, CodelessTemplate.scroll.name),
        web(.webViewDidStart, .webViewStart), web(.webViewDidFinish, .webViewFinish),
        web(.webViewDidFail, .webViewFail, reads: ", error"),
    ]

    private static func scroll(
        _ call: UIKitCall.Kind, _ event: String, when condition: String = ""
    ) -> HookTable.Row {
        HookTable.Row(
            call, of: "the scroll view's delegate", reads: "page, class, path and frame of the view",
            event: event, when: condition)
    }

    private static func web(
        _ call: UIKitCall.Kind, _ event: CodelessTemplate, reads: String = ""
    ) -> HookTable.Row {
        HookTable.Row(
            call, of: "the web view's delegate", reads: "page, class and path of the view, url" + reads,
            event: event.name)
    }

    /// The event that the collector of events makes of a call; `nil` for none.
    func event(of call: UIKitCall) -> CodelessEvent? {
        guard Self.hooks.contains(call.kind), let view = call.view, let template = template(of: call),
            template.isOn(rules.autoTrack)
        else { return nil }
        var event = CodelessEvent(template: template, view: view)
        if case .webViewDidFail(_, let error) = call { event.flags = UInt16(error.rawValue) + 1 }
        return event
    }

    private func template(of call: UIKitCall) -> CodelessTemplate? {
        switch call {
        case .viewDidLoad: .pageCreate
        case .viewWillAppear: .pageShow
        case .viewWillDisappear: .pageHide
        case .dealloc: .pageDestroy
        // A tap on a bar's button sends twice, first from the view and then from the bar's item. `viewInfo`
        // can only be told of the view.
        case .sendAction(let view, _): views.node(view).kind.isControl ? .buttonClick : nil
        case .shouldPopItem: .buttonClick
        case .gesture: .viewTap
        case .didSelectRow, .didSelectItem: .listItemClick
        case .setJSResponder: .reactNativeTap
        case .alertAction, .alertViewButton, .actionSheetButton: .alertClick
        case .didEndDragging(_, let decelerates): decelerates ? nil : .scroll
        case .didEndDecelerating, .didScrollToTop: .scroll
        case .webViewDidStart: .webViewStart
        case .webViewDidFinish: .webViewFinish
        case .webViewDidFail: .webViewFail
        default: nil
        }
    }
}

/// What the collector of events hands to the cache.
struct CodelessEvent {
    var template: CodelessTemplate
    var view: ViewReference
    /// One more than the number of a ``AppModel/WebLoadError``; 0 for none.
    var flags: UInt16 = 0
}
