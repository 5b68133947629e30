import Timebase

extension Presets {
    /// A shop in Chinese and English: browse, search, cart, order, pay.
    package static let shop: AppDescription = {
        var app = AppDescription(name: "shop")
        app.bundleIdentifier = "com.example.shop"
        app.displayName = "优选商城"
        app.versions = ["5.2.0", "5.2.1", "5.3.0"]
        app.screens = Shop.screens
        app.events = Shop.browsingEvents + Shop.buyingEvents
        app.profiles = Shop.profiles
        app.items = Shop.items
        app.catalogues = [
            Shop.products, Shop.orders, .one("shop.club"), .users("shop.customers", in: Shop.club),
        ]
        app.superProperties = Shop.superProperties
        app.dynamicSuperProperties = [
            PropertyRule("is_login", .reading(.isSignedIn)),
            PropertyRule("battery_level", .reading(.batteryLevel)),
            PropertyRule("is_dark_mode", .reading(.isDarkMode)),
        ]
        app.crashReasons = [
            "NSRangeException: *** -[__NSArrayM objectAtIndexedSubscript:]: index 3 beyond bounds [0 .. 2]",
            "NSInvalidArgumentException: -[NSNull length]: unrecognized selector sent to instance 0x1e0a4f2d8",
            "NSInternalInconsistencyException: Invalid update: invalid number of rows in section 0",
        ]
        return app
    }()
}

/// The tables of the preset `shop`.
enum Shop {
    static let home: UInt16 = 0
    static let category: UInt16 = 1
    static let search: UInt16 = 2
    static let detail: UInt16 = 3
    static let cart: UInt16 = 4
    static let confirm: UInt16 = 5
    static let payResult: UInt16 = 6
    static let profile: UInt16 = 7
    static let settings: UInt16 = 8
    static let login: UInt16 = 9
    static let promotion: UInt16 = 10

    static let screens: [Screen] =
        [
            Screen(
                "Home", "SHHomeViewController", "首页", url: "shop://home",
                next: [
                    (category, 0.38), (detail, 0.22), (search, 0.12), (profile, 0.05), (home, 0.06),
                    (promotion, 0.05),
                ],
                controls: [
                    .button(
                        "搜索商品", "openSearch:", on: "SHHomeViewController", id: "home_search",
                        at: .init(x: 12, y: 52, width: 351, height: 36), opens: search),
                    .button(
                        "新春大促 Spring Sale", "openBanner:", on: "SHBannerView", id: "home_banner",
                        at: .init(x: 12, y: 100, width: 351, height: 140), opens: promotion, weight: 0.6
                    ).of("UIImageView"),
                    .rows(
                        40, of: "UICollectionViewCell", on: "SHHomeViewController", label: "猜你喜欢", section: 2,
                        opens: detail, weight: 2.5),
                    .button(
                        "领券", "receiveCoupon:", on: "SHCouponView", id: "home_coupon",
                        at: .init(x: 291, y: 252, width: 72, height: 28), weight: 0.4),
                    .tab("分类", 1, opens: category), .tab("购物车", 2, opens: cart),
                    .tab("我的", 3, opens: profile),
                ], scrolls: 0.5),
            Screen(
                "Category", "SHProductListViewController", "商品列表", url: "shop://category",
                next: [(detail, 0.55), (category, 0.20), (home, 0.07)],
                controls: [
                    .rows(
                        60, of: "UITableViewCell", on: "SHProductListViewController", label: "商品",
                        opens: detail, weight: 3),
                    .button(
                        "销量优先", "sortBySales:", on: "SHProductListViewController",
                        at: .init(x: 12, y: 92, width: 257, height: 40), weight: 0.5
                    ).of("UISegmentedControl", segments: ["综合", "销量优先", "价格"]),
                    .button(
                        "筛选 Filter", "showFilter:", on: "SHProductListViewController", id: "list_filter",
                        at: .init(x: 281, y: 92, width: 94, height: 40), weight: 0.5),
                    .tab("首页", 0, opens: home), .tab("购物车", 2, opens: cart),
                ], scrolls: 0.6),
            Screen(
                "Search", "SHSearchViewController", "搜索", url: "shop://search",
                next: [(detail, 0.50), (search, 0.25), (home, 0.05)],
                controls: [
                    .button(
                        "搜索", "submitSearch:", on: "SHSearchViewController", id: "search_submit",
                        at: .init(x: 307, y: 52, width: 56, height: 36), weight: 2),
                    .rows(
                        20, of: "UITableViewCell", on: "SHSearchViewController", label: "搜索结果", opens: detail,
                        weight: 3),
                    .answer(
                        "清空", to: "清空历史记录", "确定清空全部搜索历史吗？", "clearHistory:", on: "SHSearchViewController",
                        weight: 0.1),
                ], scrolls: 0.4),
            Screen(
                "Detail", "SHProductDetailViewController", "商品详情", url: "shop://product",
                next: [(cart, 0.12), (confirm, 0.06), (category, 0.30), (detail, 0.12), (home, 0.10)],
                controls: [
                    .button(
                        "加入购物车", "addToCart:", on: "SHProductDetailViewController", id: "detail_add_cart",
                        at: .init(x: 131, y: 752, width: 116, height: 40), weight: 2),
                    .button(
                        "立即购买", "buy:", on: "SHProductDetailViewController", id: "detail_buy",
                        at: .init(x: 247, y: 752, width: 116, height: 40), opens: confirm, weight: 0.8),
                    .button(
                        "收藏", "favourite:", on: "SHProductDetailViewController", id: "detail_favourite",
                        at: .init(x: 12, y: 752, width: 44, height: 40), weight: 0.6),
                    .barButton(
                        "分享 Share", "share:", on: "SHProductDetailViewController", id: "detail_share",
                        at: .init(x: 327, y: 48, width: 36, height: 36), weight: 0.3),
                    .button(
                        "查看全部评价", "showReviews:", on: "SHReviewView",
                        at: .init(x: 12, y: 560, width: 351, height: 40)),
                ]),
            Screen(
                "Cart", "SHCartViewController", "购物车", url: "shop://cart",
                next: [(confirm, 0.45), (detail, 0.20), (home, 0.15)],
                controls: [
                    .button(
                        "去结算", "checkout:", on: "SHCartViewController", id: "cart_checkout",
                        at: .init(x: 247, y: 706, width: 116, height: 40), opens: confirm, weight: 2),
                    .button(
                        "删除", "removeItem:", on: "SHCartCell", id: "cart_remove",
                        at: .init(x: 319, y: 168, width: 44, height: 28), weight: 0.6
                    ).inCell("SHCartCell"),
                    .button(
                        "全选", "selectAll:", on: "SHCartViewController",
                        at: .init(x: 12, y: 706, width: 64, height: 40), weight: 0.8),
                    .tab("首页", 0, opens: home),
                ]),
            Screen(
                "OrderConfirm", "SHOrderConfirmViewController", "确认订单", url: "shop://order/confirm",
                next: [(payResult, 0.50), (detail, 0.12), (cart, 0.13)],
                controls: [
                    .button(
                        "提交订单", "submitOrder:", on: "SHOrderConfirmViewController", id: "order_submit",
                        at: .init(x: 231, y: 752, width: 132, height: 44), opens: payResult, weight: 3),
                    .button(
                        "使用优惠券", "chooseCoupon:", on: "SHOrderConfirmViewController",
                        at: .init(x: 0, y: 420, width: 375, height: 44)),
                    .button(
                        "修改收货地址", "changeAddress:", on: "SHAddressView",
                        at: .init(x: 0, y: 88, width: 375, height: 88), weight: 0.5),
                ]),
            Screen(
                "PayResult", "SHPayResultViewController", "支付结果", url: "shop://pay/result",
                next: [(home, 0.40), (profile, 0.10)],
                controls: [
                    .button(
                        "查看订单", "showOrder:", on: "SHPayResultViewController", id: "pay_show_order",
                        at: .init(x: 60, y: 380, width: 120, height: 40), opens: profile),
                    .button(
                        "返回首页", "backHome:", on: "SHPayResultViewController", id: "pay_home",
                        at: .init(x: 195, y: 380, width: 120, height: 40), opens: home),
                ]),
        ] + accountScreens

    private static let accountScreens: [Screen] = [
        Screen(
            "Profile", "SHProfileViewController", "我的", url: "shop://me",
            next: [(home, 0.45), (settings, 0.15), (login, 0.08)],
            controls: [
                .rows(8, of: "UITableViewCell", on: "SHProfileViewController", label: "我的订单", weight: 1.5),
                .button(
                    "设置", "openSettings:", on: "SHProfileViewController", id: "me_settings",
                    at: .init(x: 327, y: 48, width: 36, height: 36), opens: settings),
                .button(
                    "登录 / 注册", "openLogin:", on: "SHProfileHeaderView", id: "me_login",
                    at: .init(x: 96, y: 104, width: 140, height: 32), opens: login, weight: 0.5),
                .tab("首页", 0, opens: home),
            ]),
        Screen(
            "Settings", "SHSettingsViewController", "设置",
            next: [(profile, 0.60), (home, 0.10)],
            controls: [
                .rows(9, of: "UITableViewCell", on: "SHSettingsViewController", label: "账号与安全", weight: 2),
                .button(
                    "清除缓存", "clearCache:", on: "SHSettingsViewController",
                    at: .init(x: 0, y: 480, width: 375, height: 44), weight: 0.5),
            ]),
        Screen(
            "Login", "SHLoginViewController", "登录",
            next: [(profile, 0.50), (home, 0.20)],
            controls: [
                .button(
                    "获取验证码", "requestCode:", on: "SHLoginViewController", id: "login_code",
                    at: .init(x: 247, y: 236, width: 104, height: 36)),
                .button(
                    "同意协议并登录", "submitLogin:", on: "SHLoginViewController", id: "login_submit",
                    at: .init(x: 24, y: 320, width: 327, height: 48), opens: profile),
            ]),
        Screen(
            "Promotion", "SHWebViewController", "新春大促", url: "https://m.example.com/promo/spring",
            next: [(detail, 0.35), (promotion, 0.15), (home, 0.25)],
            controls: [
                .button(
                    "关闭", "close:", on: "SHWebViewController", id: "web_close",
                    at: .init(x: 12, y: 48, width: 36, height: 36), opens: home)
            ],
            web: .init(url: "https://m.example.com/promo/spring?from=app", failures: 0.02)),
    ]
}
