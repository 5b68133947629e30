import DeviceSDK

/// View controllers of the platform that the SDK does not track by itself.
///
/// Sources: sa-sdk-ios v1.10.17 (`sa_autotrack_viewcontroller_blacklist.json`, read by
/// `shouldTrackClassName:`; `trackViewScreen:` adds navigation and tab bar controllers) and v4.9.1
/// (`SAAutoTrackResources.m viewControllerBlacklist`). 4.9.1 also passes over subclasses of those that it
/// calls public; an app's description tells no superclass, so a class counts by its name alone.
enum SensorsIgnoredScreens {
    /// Whether the appearance of a controller is no `$AppViewScreen`.
    static func ignoresViews(of className: String, version: SensorsRules.Version) -> Bool {
        (version == .v4 ? recentViews : early).contains(className)
    }

    /// Whether taps on a controller's views are no `$AppClick`: in 4.9.1 alone.
    static func ignoresTaps(on className: String, version: SensorsRules.Version) -> Bool {
        version == .v4 && recentTaps.contains(className)
    }

    private static func names(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }

    private static let early = names(
        """
        SFBrowserRemoteViewController SFSafariViewController UIAlertController UIInputWindowController
        UINavigationController UIKeyboardCandidateGridCollectionViewController
        UICompatibilityInputViewController UIApplicationRotationFollowingController
        UIApplicationRotationFollowingControllerNoTouches AVPlayerViewController
        UIActivityGroupViewController UIReferenceLibraryViewController UIKeyboardCandidateRowViewController
        UIKeyboardHiddenViewController _UIAlertControllerTextFieldViewController
        _UILongDefinitionViewController _UIResilientRemoteViewContainerViewController
        _UIShareExtensionRemoteViewController _UIRemoteDictionaryViewController
        UISystemKeyboardDockController _UINoDefinitionViewController UIImagePickerController
        _UIActivityGroupListViewController _UIRemoteViewController _UIFallbackPresentationViewController
        _UIDocumentPickerRemoteViewController _UIAlertShimPresentingViewController
        _UIWaitingForRemoteViewContainerViewController UIDocumentMenuViewController
        UIActivityViewController _UIActivityUserDefaultsViewController
        _UIActivityViewControllerContentController _UIRemoteInputViewController UIViewController
        UITableViewController _UIUserDefaultsActivityNavigationController UISnapshotModalViewController
        WKActionSheet DDSafariViewController SFAirDropActivityViewController CKSMSComposeController
        DDParsecLoadingViewController PLUIPrivacyViewController PLUICameraViewController
        SLRemoteComposeViewController CAMViewfinderViewController DDParsecNoDataViewController
        CAMPreviewViewController DDParsecCollectionViewController SLComposeViewController
        DDParsecRemoteCollectionViewController AVFullScreenPlaybackControlsViewController
        PLPhotoTileViewController AVFullScreenViewController CAMImagePickerCameraViewController
        CKSMSComposeRemoteViewController PUPhotoPickerHostViewController PUUIAlbumListViewController
        PUUIPhotosAlbumViewController SFAppAutoFillPasswordViewController PUUIMomentsGridViewController
        SFPasswordRemoteViewController UIWebRotatingAlertController
        UITabBarController
        """)

    /// In both lists of 4.9.1.
    private static let recent = names(
        """
        UINavigationController SAAlertController SFSafariViewController AVPlayerViewController
        UIReferenceLibraryViewController UIImagePickerController UIDocumentMenuViewController
        UIActivityViewController SLComposeViewController UISplitViewController
        SFBrowserRemoteViewController UIInputWindowController
        UIKeyboardCandidateGridCollectionViewController UICompatibilityInputViewController
        UIApplicationRotationFollowingControllerNoTouches UIActivityGroupViewController
        UIKeyboardCandidateRowViewController UIKeyboardHiddenViewController
        _UIAlertControllerTextFieldViewController _UILongDefinitionViewController
        _UIResilientRemoteViewContainerViewController _UIShareExtensionRemoteViewController
        _UIRemoteDictionaryViewController UISystemKeyboardDockController _UINoDefinitionViewController
        _UIActivityGroupListViewController _UIRemoteViewController _UIFallbackPresentationViewController
        _UIDocumentPickerRemoteViewController _UIAlertShimPresentingViewController
        _UIWaitingForRemoteViewContainerViewController _UIActivityUserDefaultsViewController
        _UIActivityViewControllerContentController _UIRemoteInputViewController
        _UIUserDefaultsActivityNavigationController _SFAppPasswordSavingViewController
        UISnapshotModalViewController WKActionSheet DDSafariViewController SFAirDropActivityViewController
        CKSMSComposeController DDParsecLoadingViewController PLUIPrivacyViewController
        PLUICameraViewController SLRemoteComposeViewController CAMViewfinderViewController
        DDParsecNoDataViewController CAMPreviewViewController DDParsecCollectionViewController
        DDParsecRemoteCollectionViewController AVFullScreenPlaybackControlsViewController
        PLPhotoTileViewController AVFullScreenViewController CAMImagePickerCameraViewController
        CKSMSComposeRemoteViewController PUPhotoPickerHostViewController PUUIAlbumListViewController
        PUUIPhotosAlbumViewController SFAppAutoFillPasswordViewController PUUIMomentsGridViewController
        SFPasswordRemoteViewController UIWebRotatingAlertController UIEditUserWordController
        UIActivityContentViewController
        """)

    private static let recentTaps = recent
    private static let recentViews = recent.union(
        names(
            """
            UIAlertController UITabBarController UIDocumentPickerViewController
            UIDocumentBrowserViewController UIApplicationRotationFollowingController
            _UIContextMenuActionsOnlyViewController UIPredictionViewController
            UISystemInputAssistantViewController UICandidateViewController SFAirDropViewController
            _UICursorAccessoryViewController
            """))
}
