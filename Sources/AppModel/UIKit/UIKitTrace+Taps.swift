package import Timebase

extension UIKitTrace {
    mutating func tap(
        _ screen: UInt16, _ index: UInt16, _ views: AppViews, _ draws: RandomStream,
        _ body: (UIKitCall) -> Void
    ) {
        let control = views.control(index, on: screen)
        let view = views.reference(ofControl: index, on: screen, draws)
        scroll(control.scroller, on: screen, views, draws, body)
        switch control.kind {
        case .tableCell: body(.didSelectRow(view))
        case .collectionCell: body(.didSelectItem(view))
        case .gestureView: body(.gesture(view))
        case .reactView: body(.setJSResponder(view))
        case .alertAction: answerAlert(view, control, body)
        default: send(view, control, body)
        }
        state.subtract([.hasTapped, .hasSelected])
        guard control.opens != .max else { return }
        state.insert(.hasTapped)
        if control.kind == .tabButton {
            body(.setSelectedViewController(views.tabController(of: control.opens)))
            state.insert(.hasSelected)
        }
    }

    /// A bar's view sends to the bar, which then lets its item send: both pass through the
    /// application, as call stacks of bar buttons and tabs show.
    private func send(_ view: ViewReference, _ control: ControlViews, _ body: (UIKitCall) -> Void) {
        body(.sendAction(view, isTouch: control.kind.actsOnTouches))
        if control.item != ViewNode.none {
            body(.sendAction(ViewReference(screen: view.screen, node: control.item), isTouch: true))
        }
    }

    /// The alert comes up, a button is chosen, the alert goes. The handler of an action runs once the
    /// alert is gone, a delegate is told before. The screen below stays where it is.
    private func answerAlert(_ view: ViewReference, _ control: ControlViews, _ body: (UIKitCall) -> Void) {
        let alert = ViewReference(screen: view.screen, node: control.alert)
        body(.viewDidLoad(alert))
        body(.viewWillAppear(alert))
        body(.viewDidAppear(alert))
        switch control.alertStyle {
        case .alertController: break
        case .alertView: body(.alertViewButton(view))
        case .actionSheet: body(.actionSheetButton(view))
        }
        body(.viewWillDisappear(alert))
        body(.viewDidDisappear(alert))
        if control.alertStyle == .alertController { body(.alertAction(view)) }
        body(.dealloc(alert))
    }

    /// Scrolls the view that a tap is in, if the app says that users do.
    private func scroll(
        _ scroller: UInt16, on screen: UInt16, _ views: AppViews, _ draws: RandomStream,
        _ body: (UIKitCall) -> Void
    ) {
        let habit = views.screens[Int(screen)].scroll
        guard habit.chance > 0, scroller != ViewNode.none else { return }
        var stream = draws.child(Draw.scroll.rawValue)
        guard stream.chance(habit.chance) else { return }
        let flicks = stream.chance(habit.flick)
        let view = ViewReference(screen: screen, node: scroller)
        body(.willEndDragging(view))
        body(.didEndDragging(view, decelerates: flicks))
        if flicks { body(.didEndDecelerating(view)) }
        if stream.chance(habit.toTop) { body(.didScrollToTop(view)) }
    }
}

extension AppViews {
    func control(_ index: UInt16, on screen: UInt16) -> ControlViews {
        controls[screens[Int(screen)].firstControl + Int(index)]
    }

    /// How many values a control can be set to; 0 for one that has none.
    package func valueCount(ofControl index: UInt16, on screen: UInt16) -> Int {
        Int(control(index, on: screen).values)
    }

    /// The view that a tap on a control hits: which row of a list, and to what the control is set.
    ///
    /// - Parameter draws: See ``UIKitTrace/forEachCall(of:in:draws:_:)``.
    package func reference(
        ofControl index: UInt16, on screen: UInt16, _ draws: RandomStream
    ) -> ViewReference {
        let control = control(index, on: screen)
        var view = ViewReference(screen: screen, node: control.node)
        if control.rows > 0 {
            var stream = draws
            view.row = UInt16(stream.below(UInt64(control.rows)))
        }
        if control.values > 0 {
            var stream = draws.child(UIKitTrace.Draw.value.rawValue)
            view.value = UInt16(stream.below(UInt64(control.values)))
        }
        return view
    }
}
