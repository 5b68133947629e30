import Testing
import Timebase

@testable import AppModel

@Suite("Problems of descriptions")
struct ProblemTests {
    @Test("there are none in the presets, and every name gives one", arguments: Presets.appNames)
    func presetApps(name: String) throws {
        let app = try #require(Presets.app(named: name))
        #expect(app.name == name)
        #expect(app.problems().isEmpty)
        #expect(Presets.app(named: name + "x") == nil)
    }

    @Test("there are none in the personas", arguments: Presets.personaNames)
    func presetPersonas(name: String) throws {
        let persona = try #require(Presets.persona(named: name))
        #expect(persona.name == name)
        #expect(persona.problems().isEmpty)
        #expect(Presets.persona(named: name + "x") == nil)
    }

    @Test("the shop has a dozen business events with four to ten properties and all profile operations")
    func shop() {
        let app = Presets.shop
        #expect(app.events.count >= 12)
        #expect(app.events.allSatisfy { (4...10).contains($0.properties.count) })
        #expect(app.events.contains { $0.isWeb } && app.events.contains { $0.timedFrom != nil })
        #expect(Set(app.profiles.map(\.operation)) == Set(ProfileUpdate.Operation.allCases))
        #expect(Set(app.items.map(\.isDeletion)) == [true, false])
        #expect(!app.superProperties.isEmpty && !app.dynamicSuperProperties.isEmpty)
        let login = app.dynamicSuperProperties.first { $0.key == "is_login" }
        #expect(login?.generator == .reading(.isSignedIn))
        // Of two with one name the SDKs would have to choose at each event.
        let registered = Set(app.superProperties.flatMap(\.properties).map(\.key))
        #expect(registered.isDisjoint(with: app.dynamicSuperProperties.map(\.key)))
    }

    @Test("triggers of the presets' controls point at the controls that they name")
    func presetTriggers() throws {
        for (app, event, identifier) in [
            (Presets.shop, "AddToCart", "detail_add_cart"), (Presets.shop, "RemoveFromCart", "cart_remove"),
            (Presets.news, "PostComment", "comment_post"), (Presets.game, "Purchase", "store_buy"),
        ] {
            let trigger = try #require(app.events.first { $0.name == event }?.trigger)
            guard case .control(let screen, let control) = trigger else {
                Issue.record("\(event) is not triggered by a control")
                continue
            }
            #expect(app.screens[Int(screen)].controls[Int(control)].identifier == identifier)
        }
    }

    /// The paths of the problems that one change makes in a sound app.
    private func paths(_ change: (inout AppDescription) -> Void) -> [String] {
        var app = Presets.shop
        change(&app)
        return app.problems().map(\.path)
    }

    @Test("name the place of what is wrong in an app")
    func appPaths() {
        #expect(paths { $0.startScreen = 99 } == ["/startScreen"])
        #expect(paths { $0.versions = [] } == ["/versions"])
        #expect(paths { $0.screens[3].name = "Home" } == ["/screens/3/name"])
        #expect(paths { $0.screens[0].transitions[0].screen = 99 } == ["/screens/0/transitions/0/screen"])
        #expect(paths { $0.screens[0].transitions[0].probability = 0.9 } == ["/screens/0/transitions"])
        #expect(paths { $0.screens[0].controls[0].opens = 50 } == ["/screens/0/controls/0/opens"])
        #expect(paths { $0.screens[0].controls[0].weight = -0.1 } == ["/screens/0/controls/0/weight"])
        #expect(paths { $0.events[0].trigger = .screen(44) } == ["/events/0/trigger"])
        #expect(paths { $0.events[0].trigger = .control(screen: 0, control: 44) } == ["/events/0/trigger"])
        #expect(paths { $0.events[0].chance = 1.5 } == ["/events/0/chance"])
        #expect(paths { $0.events[0].pause = .constant(-1) } == ["/events/0/pause"])
        #expect(paths { $0.events[0].isWeb = true } == ["/events/0/trigger"])
        #expect(paths { $0.profiles[0].catalogue = 4 } == ["/profiles/0/catalogue"])
        #expect(paths { $0.catalogues[0].count = 0 } == ["/catalogues/0/count", "/catalogues/1/deals"])
        #expect(paths { $0.catalogues[0].fields[1].generator = .date } == ["/catalogues/0/fields/1"])
        #expect(
            paths { $0.dynamicSuperProperties[0].generator = .entity(catalogue: 0, field: 0) }
                == ["/dynamicSuperProperties/0/generator"])
        #expect(
            paths { $0.events[0].properties[0].generator = .list(.date, minimum: 3, maximum: 2) }
                == ["/events/0/properties/0/generator"])
        #expect(
            paths {
                let wrong = PropertyGenerator.choice([.null], WeightedChoice(weights: [1, 1]))
                $0.events[0].properties[0].generator = wrong
            } == ["/events/0/properties/0/generator"])
    }

    @Test("name the number that is wrong in a persona")
    func personaPaths() {
        func paths(_ change: (inout PersonaDescription) -> Void) -> [String] {
            var persona = Presets.casual
            change(&persona)
            return persona.problems().map(\.path)
        }
        #expect(paths { $0.tempo = 0 } == ["/tempo"])
        #expect(paths { $0.returnChance = 1.1 } == ["/returnChance"])
        #expect(paths { $0.steadyRate = -1 } == ["/steadyRate"])
        #expect(paths { $0.meanTimeToKill = .zero } == ["/meanTimeToKill"])
        #expect(paths { $0.sessionLength = .lognormal(median: 0, sigma: 1) } == ["/sessionLength"])
        #expect(paths { $0.signUpChance = 0.95 } == ["/loginChance"])
        #expect(paths { $0.returnGap = .pareto(minimum: 60, alpha: 1, maximum: 5) } == ["/returnGap"])
    }

    @Test("do not come one for one twice, and speak of a place and a value")
    func text() {
        var app = Presets.shop
        app.events[2].chance = -3
        #expect(
            app.problems().map(\.description)
                == ["/events/2/chance: found -3; allowed: a number from 0 to 1"]
        )
    }
}
