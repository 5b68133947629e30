import Timebase

extension Presets {
    /// A puzzle game: levels that are timed, boosters, a shop, advertisements.
    package static let game: AppDescription = {
        var app = AppDescription(name: "game")
        app.bundleIdentifier = "com.example.puzzle"
        app.displayName = "星海消消乐"
        app.versions = ["1.14.0", "1.15.0", "1.15.1", "1.16.0"]
        app.screens = Game.screens
        app.events = Game.events
        app.profiles = Game.profiles
        app.items = [
            ItemUpdate("level", "L", of: Game.level, at: .screen(Game.board), chance: 0.002, Game.fields),
            ItemUpdate(
                "level", "L", of: Game.level, at: .screen(Game.result), chance: 0.0005, isDeletion: true),
        ]
        app.catalogues = [
            Game.levels, Game.bundles, Game.orders, .one("game.world"),
            .users("game.players", in: Game.world),
        ]
        app.superProperties = [
            SuperPropertyGroup(
                trigger: .launch,
                properties: [
                    PropertyRule("server_id", .oneOf(["s1", "s2", "s3"])),
                    PropertyRule("channel", .oneOf(["App Store", "Ads"], weights: [3, 1])),
                ])
        ]
        app.dynamicSuperProperties = [
            PropertyRule("is_login", .reading(.isSignedIn)),
            PropertyRule("battery_level", .reading(.batteryLevel)),
        ]
        app.crashReasons = [
            "NSMallocException: *** -[NSConcreteMutableData initWithLength:]: unable to allocate memory",
            "NSInvalidArgumentException: *** setObjectForKey: object cannot be nil (key: booster)",
        ]
        return app
    }()
}

/// The tables of the preset `game`.
enum Game {
    static let lobby: UInt16 = 0
    static let map: UInt16 = 1
    static let board: UInt16 = 2
    static let result: UInt16 = 3
    static let store: UInt16 = 4
    static let event: UInt16 = 5
    static let level: UInt16 = 0
    static let bundle: UInt16 = 1
    static let order: UInt16 = 2
    static let world: UInt16 = 3
    static let player: UInt16 = 4

    static let screens: [Screen] = [
        Screen(
            "Lobby", "PZLobbyViewController", "大厅", url: "puzzle://lobby",
            next: [(map, 0.75), (store, 0.08), (event, 0.07)],
            controls: [
                .button(
                    "开始游戏", "play:", on: "PZLobbyViewController", id: "lobby_play",
                    at: .init(x: 87, y: 560, width: 200, height: 64), opens: map, weight: 3),
                .button(
                    "收取金币", "collectCoins:", on: "PZLobbyViewController", id: "lobby_collect",
                    at: .init(x: 12, y: 120, width: 56, height: 56), weight: 0.5),
                .button(
                    "商店", "openStore:", on: "PZLobbyViewController",
                    at: .init(x: 307, y: 120, width: 56, height: 56), opens: store, weight: 0.5),
            ]),
        Screen(
            "Map", "PZMapViewController", "关卡", url: "puzzle://map",
            next: [(board, 0.80), (lobby, 0.08), (store, 0.04)],
            controls: [
                .rows(
                    30, of: "UICollectionViewCell", on: "PZMapViewController", label: "关卡", opens: board,
                    weight: 4)
            ]),
        Screen(
            "Board", "PZBoardViewController", "对局", url: "puzzle://board",
            next: [(result, 0.85), (map, 0.08)],
            controls: [
                .button(
                    "炸弹", "useBooster:", on: "PZBoosterBar", id: "board_booster",
                    at: .init(x: 12, y: 720, width: 64, height: 64)),
                .button(
                    "交换", "swap:", on: "PZBoardView", at: .init(x: 60, y: 300, width: 255, height: 255),
                    weight: 8
                ).of("PZBoardView"),
                .button(
                    "暂停", "pause:", on: "PZBoardViewController",
                    at: .init(x: 327, y: 48, width: 36, height: 36), weight: 0.3),
            ]),
        Screen(
            "Result", "PZResultViewController", "结算", url: "puzzle://result",
            next: [(map, 0.60), (board, 0.25), (store, 0.05)],
            controls: [
                .button(
                    "下一关 Next", "next:", on: "PZResultViewController", id: "result_next",
                    at: .init(x: 87, y: 520, width: 200, height: 56), opens: map, weight: 2),
                .answer(
                    "观看", to: "看广告双倍奖励", "观看一段广告，本关奖励翻倍", "watchAd:", on: "PZResultViewController",
                    id: "result_ad", style: .alertView, weight: 0.6),
            ]),
        Screen(
            "Store", "PZStoreViewController", "商店", url: "puzzle://store",
            next: [(lobby, 0.45), (map, 0.35)],
            controls: [
                .button(
                    "购买礼包", "purchase:", on: "PZStoreViewController", id: "store_buy",
                    at: .init(x: 231, y: 240, width: 120, height: 40)),
                .button(
                    "礼包详情", "showBundle:", on: "PZStoreViewController", id: "store_details",
                    at: .init(x: 24, y: 240, width: 191, height: 40)),
            ]),
        Screen(
            "Event", "PZWebViewController", "限时活动", url: "https://game.example.com/event",
            next: [(lobby, 0.60), (map, 0.20)],
            web: .init(url: "https://game.example.com/event", failures: 0.05)),
    ]

    static let levels: Catalogue = {
        var catalogue = Catalogue(name: "game.levels", count: 600)
        catalogue.exponent = 0.5
        catalogue.fields = fields
        return catalogue
    }()

    /// What bundles of boosters cost in yuan, the most popular first.
    private static let prices = EntityCycle<PropertyValue>(
        [6, 6, 30, 12, 6, 68, 30, 1, 128, 18, 328, 648].map { .number($0) })

    static let bundles: Catalogue = {
        var catalogue = Catalogue(name: "game.bundles", count: prices.values.count)
        catalogue.exponent = 1
        return catalogue
    }()

    static let orders: Catalogue = {
        var catalogue = Catalogue(name: "game.orders", count: Deal.count(things: bundles.count))
        catalogue.deals = bundle
        return catalogue
    }()

    /// The guilds of users in turn, the first ones by far the largest.
    private static let guilds = (0..<79).map { number in
        let rank = number * 31 % 79
        return "公会\(1 + rank * rank / 79)"
    }

    static let fields: [PropertyRule] = [
        PropertyRule("difficulty", .oneOf(["简单", "普通", "困难", "噩梦"], weights: [4, 4, 2, 1])),
        PropertyRule("target_score", .number(.lognormal(median: 12_000, sigma: 0.5), decimals: 0)),
        PropertyRule("moves_limit", .integer(15, 45)),
    ]

    private static let levelRules: [PropertyRule] =
        [PropertyRule("level_id", .entityID(catalogue: level, prefix: "L"))]
        + fields.enumerated().map { PropertyRule($1.key, .entity(catalogue: level, field: UInt16($0))) }

    private static func button(_ screen: UInt16, _ identifier: String) -> Trigger {
        let index = screens[Int(screen)].controls.firstIndex { $0.identifier == identifier }
        return .control(screen: screen, control: UInt16(index ?? 0))
    }

    static let events: [BusinessEvent] = [
        BusinessEvent(
            "LevelStart", at: .screen(board), of: level,
            levelRules + [
                PropertyRule("entry", .oneOf(["关卡图", "下一关", "每日挑战"], weights: [6, 3, 1])),
                PropertyRule("boosters", .list(.oneOf(["炸弹", "彩虹", "锤子"]), minimum: 0, maximum: 2)),
            ]),
        BusinessEvent(
            "LevelEnd", at: .screen(result), from: .screen(board), of: level,
            levelRules + [
                PropertyRule("is_win", .success(0.62)),
                // In per cent of the target: 100 where a win begins.
                PropertyRule("score_percent", .number(.lognormal(median: 120.12, sigma: 0.6), decimals: 1))
                    .with("is_win"),
                PropertyRule("stars", .oneOf(numbers: [0, 1, 2, 3], weights: [38, 31, 21, 10])).with(
                    "is_win"),
            ]),
        BusinessEvent(
            "UseBooster", at: button(board, "board_booster"), of: level,
            levelRules + [PropertyRule("booster", .oneOf(["炸弹", "彩虹", "锤子"]))]),
        BusinessEvent(
            "WatchAd", at: button(result, "result_ad"),
            [
                PropertyRule("ad_network", .oneOf(["net-a", "net-b", "net-c"], weights: [5, 3, 2])),
                PropertyRule("placement", .text("result_double")),
                PropertyRule("is_completed", .chance(0.9)),
                PropertyRule("revenue", .number(.lognormal(median: 0.012, sigma: 0.7), decimals: 4)),
            ]),
        BusinessEvent(
            "Purchase", at: button(store, "store_buy"), chance: 0.3, of: order,
            [
                PropertyRule("bundle_id", .entityID(catalogue: bundle, prefix: "bundle-")),
                PropertyRule("price", .cycle(prices)),
                PropertyRule("currency", .text("CNY")),
                PropertyRule("order_id", .entityID(catalogue: order, prefix: "G")),
            ]),
        BusinessEvent(
            "CollectCoins", at: button(lobby, "lobby_collect"),
            [
                PropertyRule("coin_count", .integer(1, 240)),
                PropertyRule("is_full", .chance(0.2)),
                PropertyRule("is_doubled", .chance(0.05)),
                PropertyRule("extra", .oneOf(["无", "体力 x5", "炸弹 x1"], weights: [8, 1, 1])),
            ]),
        BusinessEvent(
            "EventView", at: .screen(event), isWeb: true,
            [
                PropertyRule("event_id", .text("lantern-2026")),
                PropertyRule("rank", .integer(1, 5000)),
                PropertyRule("page_load_ms", .number(.lognormal(median: 1100, sigma: 0.6), decimals: 0)),
                PropertyRule("reward_state", .oneOf(["可领取", "已领取", "未达成"])),
            ]),
    ]

    static let profiles: [ProfileUpdate] = [
        ProfileUpdate(.setOnce, at: .launch, chance: 0.2, [PropertyRule("first_server", .text("s1"))]),
        ProfileUpdate(
            .set, at: .login, of: player, [PropertyRule("guild", .byNumber(guilds, step: Deal.perDevice))]),
        ProfileUpdate(.increment, at: .screen(result), [PropertyRule("games_played", .constant(.number(1)))]),
        ProfileUpdate(
            .append, at: .screen(result), chance: 0.02,
            [
                PropertyRule(
                    "achievements", .list(.oneOf(["连胜", "满星", "限时", "无道具"]), minimum: 1, maximum: 1))
            ]),
        ProfileUpdate(.unset, at: .logout, [PropertyRule("guild", .constant(.string("")))]),
        ProfileUpdate(.delete, at: .logout, chance: 0.05),
    ]
}
