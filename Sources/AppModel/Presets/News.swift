import Timebase

extension Presets {
    /// A reader for news: lists, articles, comments, topics on the web.
    package static let news: AppDescription = {
        var app = AppDescription(name: "news")
        app.bundleIdentifier = "com.example.news"
        app.displayName = "Daily Brief"
        app.versions = ["3.8.0", "3.9.0"]
        app.screens = News.screens
        app.events = News.events
        app.profiles = News.profiles
        app.items = [
            ItemUpdate("article", "A", of: News.article, at: .screen(News.reader), chance: 0.01, News.fields),
            ItemUpdate(
                "article", "A", of: News.article, at: .screen(News.reader), chance: 0.001, isDeletion: true),
        ]
        app.catalogues = [
            News.articles, .one("news.service"), .users("news.subscriptions", in: News.service),
        ]
        app.superProperties = [
            SuperPropertyGroup(
                trigger: .launch,
                properties: [
                    PropertyRule("channel", .oneOf(["App Store", "Push", "Widget"], weights: [6, 3, 1])),
                    PropertyRule("edition", .oneOf(["国际版", "International"], weights: [3, 1])),
                    PropertyRule("font_scale", .oneOf(numbers: [1, 1.15, 1.3], weights: [8, 1, 1])),
                ])
        ]
        app.dynamicSuperProperties = [PropertyRule("is_dark_mode", .reading(.isDarkMode))]
        app.crashReasons = [
            "NSInvalidArgumentException: *** -[__NSPlaceholderDictionary initWithObjects:forKeys:count:]: attempt to insert nil object",
            "NSGenericException: Collection was mutated while being enumerated.",
        ]
        // Articles are read aloud in the background.
        app.terminationNotice = 0.2
        return app
    }()
}

/// The tables of the preset `news`.
enum News {
    static let feed: UInt16 = 0
    static let reader: UInt16 = 1
    static let comments: UInt16 = 2
    static let topics: UInt16 = 3
    static let search: UInt16 = 4
    static let me: UInt16 = 5
    static let article: UInt16 = 0
    static let service: UInt16 = 1
    static let subscriber: UInt16 = 2

    static let screens: [Screen] = [
        Screen(
            "Feed", "NBFeedViewController", "要闻", url: "news://feed",
            next: [(reader, 0.60), (feed, 0.18), (topics, 0.06), (search, 0.04), (me, 0.02)],
            controls: [
                .rows(
                    50, of: "UITableViewCell", on: "NBFeedViewController", label: "新闻", opens: reader,
                    weight: 4),
                .barButton(
                    "刷新", "refresh:", on: "NBFeedViewController", id: "feed_refresh",
                    at: .init(x: 331, y: 48, width: 32, height: 32)),
                .button(
                    "推荐", "switchFeed:", on: "NBFeedViewController", id: "feed_switch",
                    at: .init(x: 12, y: 92, width: 351, height: 32), weight: 0.5
                ).of("UISegmentedControl", segments: ["要闻", "推荐", "本地"]),
                .tab("专题", 1, opens: topics), .tab("我的", 2, opens: me, weight: 0.15),
            ], scrolls: 0.7),
        Screen(
            "Article", "NBArticleViewController", "正文", url: "news://article",
            next: [(feed, 0.62), (reader, 0.14), (comments, 0.08)],
            controls: [
                .button(
                    "点赞", "like:", on: "NBToolbar", id: "article_like",
                    at: .init(x: 230, y: 764, width: 44, height: 44)),
                .button(
                    "分享", "share:", on: "NBToolbar", id: "article_share",
                    at: .init(x: 322, y: 764, width: 44, height: 44), weight: 0.4),
                .button(
                    "收藏", "bookmark:", on: "NBToolbar", id: "article_bookmark",
                    at: .init(x: 276, y: 764, width: 44, height: 44), weight: 0.4),
                .button(
                    "评论", "openComments:", on: "NBToolbar", at: .init(x: 184, y: 764, width: 44, height: 44),
                    opens: comments, weight: 0.6),
            ]),
        Screen(
            "Comments", "NBCommentsViewController", "评论", url: "news://comments",
            next: [(reader, 0.55), (feed, 0.25)],
            controls: [
                .button(
                    "发布", "postComment:", on: "NBCommentsViewController", id: "comment_post",
                    at: .init(x: 303, y: 764, width: 60, height: 36)
                ).of("RCTView", tag: 17)
            ], view: "RCTRootView"),
        Screen(
            "Topics", "NBWebViewController", "专题", url: "https://m.example.com/topics",
            next: [(feed, 0.50), (topics, 0.20)],
            web: .init(url: "https://m.example.com/topics", failures: 0.03)),
        Screen(
            "Search", "NBSearchViewController", "搜索", url: "news://search",
            next: [(reader, 0.45), (search, 0.20), (feed, 0.20)],
            controls: [
                .button(
                    "搜索", "submit:", on: "NBSearchViewController", id: "search_submit",
                    at: .init(x: 307, y: 52, width: 56, height: 36))
            ]),
        Screen(
            "Me", "NBProfileViewController", "我的", next: [(feed, 0.60)],
            controls: [
                .rows(10, of: "UITableViewCell", on: "NBProfileViewController", label: "设置项"),
                .button(
                    "夜间模式", "toggleNight:", on: "NBProfileViewController", id: "me_night",
                    at: .init(x: 308, y: 152, width: 51, height: 31), weight: 0.3
                ).of("UISwitch", tag: 1),
                .button(
                    "字号", "changeFontSize:", on: "NBProfileViewController", id: "me_font",
                    at: .init(x: 140, y: 248, width: 219, height: 31), weight: 0.2
                ).of("UISlider", tag: 2),
                .button(
                    "每日推送", "changePushCount:", on: "NBProfileViewController", id: "me_pushes",
                    at: .init(x: 265, y: 344, width: 94, height: 32), weight: 0.1
                ).of("UIStepper", tag: 3),
                .answer(
                    "清除", to: "清除缓存", "将删除已下载的离线文章", "clearCache:", on: "NBProfileViewController",
                    style: .actionSheet,
                    weight: 0.1),
                .answer(
                    "取消", to: "清除缓存", "将删除已下载的离线文章", "cancel:", on: "NBProfileViewController",
                    style: .actionSheet,
                    weight: 0.1),
            ]),
    ]

    /// Of ten readers in turn, eight pay nothing.
    private static let plans = [
        "free", "free", "monthly", "free", "free", "free", "free", "yearly", "free", "free",
    ]

    static let articles: Catalogue = {
        var catalogue = Catalogue(name: "news.articles", count: 5000)
        catalogue.exponent = 0.9
        catalogue.fields = fields
        return catalogue
    }()

    static let fields: [PropertyRule] = [
        PropertyRule("section", .oneOf(["国内", "国际", "财经", "科技", "体育", "文化"], weights: [5, 3, 3, 3, 4, 1])),
        PropertyRule("author", .zipf(.zipf(count: 120, exponent: 0.7), prefix: "writer-")),
        PropertyRule("word_count", .number(.lognormal(median: 640, sigma: 0.6), decimals: 0)),
        PropertyRule("has_video", .chance(0.2)),
    ]

    private static let articleRules: [PropertyRule] =
        [PropertyRule("article_id", .entityID(catalogue: article, prefix: "A"))]
        + fields.enumerated().map { PropertyRule($1.key, .entity(catalogue: article, field: UInt16($0))) }

    private static func button(_ screen: UInt16, _ identifier: String) -> Trigger {
        let index = screens[Int(screen)].controls.firstIndex { $0.identifier == identifier }
        return .control(screen: screen, control: UInt16(index ?? 0))
    }

    static let events: [BusinessEvent] = [
        BusinessEvent(
            "ViewFeed", at: .screen(feed),
            [
                PropertyRule("feed_name", .oneOf(["要闻", "推荐", "本地"], weights: [5, 4, 1])),
                PropertyRule("story_count", .integer(20, 50)),
                PropertyRule("ranker", .oneOf(["rank-a", "rank-b"])),
                PropertyRule("is_cold", .chance(0.3)),
            ]),
        BusinessEvent(
            "RefreshFeed", at: button(feed, "feed_refresh"),
            [
                PropertyRule("new_stories", .integer(0, 18)),
                PropertyRule("duration_ms", .number(.lognormal(median: 350, sigma: 0.6), decimals: 0)),
                PropertyRule("is_success", .chance(0.98)),
                PropertyRule("refresh_id", .serial),
            ]),
        BusinessEvent(
            "OpenArticle", at: .screen(reader), of: article,
            articleRules + [PropertyRule("from_module", .oneOf(["列表", "推送", "相关阅读"], weights: [7, 1, 2]))]),
        BusinessEvent(
            "ReadArticle", at: .screen(feed), from: .screen(reader), of: article,
            articleRules + [PropertyRule("read_ratio", .number(.uniform(0.05, 1), decimals: 2))]),
        BusinessEvent(
            "LikeArticle", at: button(reader, "article_like"), of: article,
            articleRules + [PropertyRule("is_like", .chance(0.9))]),
        BusinessEvent(
            "ShareArticle", at: button(reader, "article_share"), of: article,
            articleRules + [PropertyRule("share_channel", .oneOf(["微信", "微博", "AirDrop", "Mail"]))]),
        BusinessEvent(
            "PostComment", at: button(comments, "comment_post"), chance: 0.8, of: article,
            articleRules + [PropertyRule("comment_length", .integer(2, 140))]),
        BusinessEvent(
            "SearchNews", at: button(search, "search_submit"),
            [
                PropertyRule("keyword", .oneOf(["天气", "油价", "world cup", "新能源", "AI", "地铁"])),
                PropertyRule("has_result", .success(0.97)),
                PropertyRule(
                    "result_number",
                    .oneOf(numbers: [0, 4, 11, 27, 60, 140, 200], weights: [3, 14, 17, 18, 18, 17, 13])
                ).with("has_result"),
                PropertyRule("keyword_type", .oneOf(["手动输入", "热搜"], weights: [6, 4])),
            ]),
        BusinessEvent(
            "TopicView", at: .screen(topics), isWeb: true,
            [
                PropertyRule("topic_id", .zipf(.zipf(count: 30, exponent: 1), prefix: "topic-")),
                PropertyRule("page_load_ms", .number(.lognormal(median: 800, sigma: 0.6), decimals: 0)),
                PropertyRule("topic_stories", .integer(5, 40)),
                PropertyRule("is_preview", .chance(0.1)),
            ]),
    ]

    static let profiles: [ProfileUpdate] = [
        ProfileUpdate(.setOnce, at: .signUp, [PropertyRule("register_time", .date)]),
        ProfileUpdate(
            .set, at: .login, of: subscriber,
            [PropertyRule("subscription", .byNumber(plans, step: Deal.perDevice))]),
        ProfileUpdate(
            .increment, at: .screen(reader), chance: 0.2,
            [PropertyRule("articles_read", .constant(.number(1)))]),
        ProfileUpdate(
            .append, at: button(reader, "article_bookmark"), of: article,
            [
                PropertyRule(
                    "bookmarks", .list(.entityID(catalogue: article, prefix: "A"), minimum: 1, maximum: 1))
            ]),
        ProfileUpdate(.unset, at: .logout, [PropertyRule("subscription", .constant(.string("")))]),
        ProfileUpdate(.delete, at: .logout, chance: 0.02),
    ]
}
