import AppModel
import DeviceSDK
import Timebase

extension SensorsOptionalKeys {
    /// What a preset event carries at times.
    static func presets(of template: UInt16) -> SensorsOptionalKeys {
        switch template {
        case SensorsTemplates.viewScreen: [.title, .url, .referrer, .referrerTitle, .appState]
        case SensorsTemplates.click: [.title, .elementID, .elementContent, .elementPosition, .appState]
        case SensorsTemplates.signUp: [.duration]
        default: [.duration, .appState]
        }
    }
}

extension SensorsEventCatalogue {
    /// A value belongs to a device and a key, so all bindings of a key draw from the child that the first
    /// one's number names.
    static func bindings(
        of app: AppDescription, _ compiler: SensorsValueCompiler, _ keys: inout SensorsKeys,
        _ arena: SensorsArena
    ) -> SensorsCompiledMembers {
        let bindings = app.bindings
        let members = bindings.enumerated().map { number, binding in
            SensorsMember(
                key: keys.index(of: binding.key), text: binding.key,
                value: compiler.text(binding.value, key: binding.key),
                ordinal: UInt64(bindings.firstIndex { $0.key == binding.key } ?? number))
        }
        return SensorsCompiledMembers(members, arena: arena)
    }

    /// What a preset event always carries.
    static func presetKeys(of template: UInt16) -> [String] {
        switch template {
        case SensorsTemplates.appStart, SensorsTemplates.appStartPassively:
            ["$is_first_time", "$resume_from_background"]
        case SensorsTemplates.viewScreen: ["$screen_name"]
        case SensorsTemplates.click: ["$screen_name", "$element_type", "$element_path"]
        case SensorsTemplates.crashed: ["app_crashed_reason"]
        case SensorsTemplates.remoteConfigChanged: ["$app_remote_config"]
        default: []
        }
    }

    /// Class and method that 1.x finds in the call stack (its third frame) when the SDK itself
    /// tracks. A block has the name of the method around it.
    static func callSite(of template: UInt16) -> String? {
        switch template {
        case SensorsTemplates.appStart, SensorsTemplates.appStartPassively:
            "SensorsAnalyticsSDK##enableAutoTrack:"
        case SensorsTemplates.appEnd: "SensorsAnalyticsSDK##applicationDidEnterBackground:"
        case SensorsTemplates.signUp: "SensorsAnalyticsSDK##login:"
        case SensorsTemplates.crashed: crashHandler
        case SensorsTemplates.disableSDK:
            "SensorsAnalyticsSDK##requestFunctionalManagermentConfigDelay:index:"
        default: nil
        }
    }

    /// The same of an `$AppStart` that returns from the background, and of the `$AppEnd` of a crash.
    static func otherCallSite(of template: UInt16) -> String? {
        switch template {
        case SensorsTemplates.appStart: "SensorsAnalyticsSDK##applicationDidBecomeActive:"
        case SensorsTemplates.appEnd: crashHandler
        default: nil
        }
    }

    private static let crashHandler = "SensorsAnalyticsExceptionHandler##sa_handleUncaughtException:"

    /// The app's method that tracks at a trigger.
    func callSite(of trigger: Trigger) -> String? {
        switch trigger {
        case .screen(let screen):
            guard plan.app.screens.indices.contains(Int(screen)) else { return nil }
            return plan.app.screens[Int(screen)].className + "##viewDidAppear:"
        case .control(let screen, let control):
            guard plan.app.screens.indices.contains(Int(screen)),
                plan.app.screens[Int(screen)].controls.indices.contains(Int(control))
            else { return nil }
            let control = plan.app.screens[Int(screen)].controls[Int(control)]
            return control.target + "##" + control.action
        case .launch: return "AppDelegate##application:didFinishLaunchingWithOptions:"
        case .sessionEnd: return "AppDelegate##applicationDidEnterBackground:"
        case .signUp: return "AccountManager##didSignUp:"
        case .login: return "AccountManager##didLogin:"
        case .logout: return "AccountManager##didLogout"
        }
    }
}
