import Timebase

extension Shop {
    static let product: UInt16 = 0
    static let order: UInt16 = 1
    static let club: UInt16 = 2
    static let customer: UInt16 = 3

    private static let productID = PropertyRule("product_id", .entityID(catalogue: product, prefix: "SKU"))
    private static let productRules: [PropertyRule] = [productID] + (0..<4).map(field)

    private static func field(_ number: Int) -> PropertyRule {
        PropertyRule(
            products.fields[number].key, .entity(catalogue: product, field: UInt16(number)))
    }

    private static func button(_ screen: UInt16, _ identifier: String) -> Trigger {
        let index = screens[Int(screen)].controls.firstIndex { $0.identifier == identifier }
        return .control(screen: screen, control: UInt16(index ?? 0))
    }

    static let browsingEvents: [BusinessEvent] = [
        BusinessEvent(
            "ViewHome", at: .screen(home),
            [
                PropertyRule("tab_name", .oneOf(["推荐", "服饰", "数码", "超市"], weights: [7, 1, 1, 1])),
                PropertyRule("banner_count", .integer(3, 8)),
                PropertyRule("recommend_version", .oneOf(["rec-v12", "rec-v13"], weights: [3, 1])),
                PropertyRule("load_time_ms", .number(.lognormal(median: 420, sigma: 0.5), decimals: 0)),
                PropertyRule("is_cache", .chance(0.4)),
            ]),
        BusinessEvent(
            "ViewProduct", at: .screen(detail), of: product,
            productRules + [
                PropertyRule(
                    "source_module",
                    .oneOf(["首页推荐", "分类列表", "搜索结果", "购物车", "活动页"], weights: [4, 3, 2, 1, 1])),
                PropertyRule("is_member_price", .chance(0.25)),
                PropertyRule("comment_count", .number(.lognormal(median: 130, sigma: 1.6), decimals: 0)),
            ]),
        BusinessEvent(
            "LeaveProduct", at: .screen(category), from: .screen(detail), of: product,
            [
                productID, field(1),
                PropertyRule("read_depth", .number(.uniform(0.1, 1), decimals: 2)),
                PropertyRule("image_swipes", .integer(0, 9)),
            ]),
        BusinessEvent(
            "SearchProduct", at: button(search, "search_submit"),
            [
                PropertyRule(
                    "keyword", .oneOf(["羽绒服", "蓝牙耳机", "燕麦", "running shoes", "保温杯", "茶叶 明前", "键盘", "礼盒"])),
                PropertyRule("keyword_type", .oneOf(["手动输入", "历史记录", "热门推荐"], weights: [6, 2, 2])),
                PropertyRule("has_result", .success(0.94)),
                PropertyRule("result_number", results).with("has_result"),
                PropertyRule("search_id", .serial),
                PropertyRule("filters", .list(.oneOf(["包邮", "新品", "自营", "有货"]), minimum: 0, maximum: 3)),
            ]),
        BusinessEvent(
            "FilterProduct", at: button(category, "list_filter"),
            [
                PropertyRule("sort_by", .oneOf(["综合", "销量", "价格升序", "价格降序"])),
                PropertyRule("price_low", .integer(0, 50)),
                PropertyRule("price_high", .integer(100, 999)),
                PropertyRule(
                    "filter_tags", .list(.oneOf(["包邮", "新品", "自营", "次日达"]), minimum: 1, maximum: 3)),
            ]),
        BusinessEvent(
            "BannerClick", at: button(home, "home_banner"),
            [
                PropertyRule("banner_id", .zipf(.zipf(count: 8, exponent: 1), prefix: "banner-")),
                PropertyRule("banner_name", .text("新春大促 Spring Sale")),
                PropertyRule("banner_rank", .integer(1, 5)),
                PropertyRule("target_url", .text("https://m.example.com/promo/spring?from=app")),
            ]),
        BusinessEvent(
            "PromotionView", at: .screen(promotion), isWeb: true,
            [
                PropertyRule("activity_id", .text("spring-2026")),
                PropertyRule("activity_name", .text("新春大促")),
                PropertyRule("page_load_ms", .number(.lognormal(median: 900, sigma: 0.6), decimals: 0)),
                PropertyRule("user_agent_kind", .text("WKWebView")),
            ]),
        BusinessEvent(
            "PromotionClick", at: .screen(promotion), chance: 0.45, isWeb: true,
            [
                PropertyRule("activity_id", .text("spring-2026")),
                PropertyRule("block_name", .oneOf(["限时秒杀", "满减专区", "品牌日", "签到有礼"])),
                PropertyRule("block_rank", .integer(1, 12)),
                PropertyRule("coupon_amount", .oneOf(numbers: [5, 10, 20, 50], weights: [4, 3, 2, 1])),
            ]),
        BusinessEvent(
            "Share", at: button(detail, "detail_share"), of: product,
            [
                productID, field(0), field(2),
                PropertyRule("share_channel", .oneOf(["微信好友", "朋友圈", "微博", "复制链接"], weights: [5, 3, 1, 1])),
                PropertyRule("share_success", .chance(0.7)),
            ]),
        BusinessEvent(
            "Favourite", at: button(detail, "detail_favourite"), of: product,
            productRules + [PropertyRule("is_favourite", .constant(.bool(true)))]),
    ]

    /// How many of the coupons of 5, 10, 20 and 50 yuan there are.
    private static let coupons: [Double] = [4, 3, 2, 1]

    /// What a search finds: something in 94 of 100 cases.
    private static let results: PropertyGenerator = {
        let numbers: [Double] = [6, 13, 24, 38, 47, 62, 88, 120, 196, 410]
        return .oneOf(numbers: [0] + numbers, weights: [6] + numbers.map { _ in 9.4 })
    }()

    /// What carts lack of 59 yuan, in the shares that their amounts have: a cart of 28 yuan at most is one in a hundred, one of
    /// 36 at most two.
    private static let shippingGaps: PropertyGenerator = .oneOf(
        numbers: [38, 27, 20, 14, 9, 4, 0], weights: [1, 1, 1, 1, 1, 1.5, 93.5])

    /// How long people take to choose a way of paying, and to confirm with a fingerprint or a password. An
    /// assumption: all that a checkout asks for took 17 s with Apple Pay, and 103 s typed (Merchbar, 2015).
    private static let paying = Distribution.lognormal(median: 12, sigma: 0.7)

    static let buyingEvents: [BusinessEvent] = [
        BusinessEvent(
            "AddToCart", at: button(detail, "detail_add_cart"), of: product,
            productRules + [
                PropertyRule("quantity", .oneOf(numbers: [1, 2, 3, 5], weights: [80, 12, 5, 3])),
                field(specification),
            ]),
        BusinessEvent(
            "RemoveFromCart", at: button(cart, "cart_remove"), of: product,
            [
                productID, field(0), field(2),
                PropertyRule("quantity", .oneOf(numbers: [1, 2], weights: [9, 1])),
                PropertyRule("remove_reason", .oneOf(["不想要了", "价格变动", "缺货", "其他"])),
            ]),
        BusinessEvent(
            "ViewCart", at: .screen(cart),
            [
                PropertyRule("cart_item_count", .integer(1, 12)),
                // The fuller, the dearer; the cheapest are short of free shipping, from 59 yuan.
                PropertyRule("cart_amount", .amount(median: 230, sigma: 0.9)).with("cart_item_count"),
                PropertyRule("invalid_item_count", .oneOf(numbers: [0, 1, 2], weights: [8, 1, 1])),
                PropertyRule("free_shipping_gap", shippingGaps).with("cart_item_count"),
            ]),
        BusinessEvent(
            "ReceiveCoupon", at: button(home, "home_coupon"), chance: 0.9,
            [
                PropertyRule(
                    "coupon_name", .oneOf(["满50减5", "满100减10", "满200减20", "新人专享券"], weights: coupons)),
                PropertyRule(
                    "coupon_id", .oneOf(["CPN-2605", "CPN-2610", "CPN-2620", "CPN-NEW50"], weights: coupons)
                ).with("coupon_name"),
                PropertyRule("coupon_amount", .oneOf(numbers: [5, 10, 20, 50], weights: coupons))
                    .with("coupon_name"),
                PropertyRule("valid_days", .oneOf(numbers: [3, 7, 30], weights: [5, 3, 2])),
            ]),
        BusinessEvent(
            "SubmitOrder", at: .screen(payResult), of: order, orderRules + [productID, couponUsed]),
        BusinessEvent(
            "PayOrder", at: .screen(payResult), chance: 0.88, from: .screen(confirm), after: paying,
            of: order,
            orderRules + [
                PropertyRule(
                    "pay_method", .oneOf(["支付宝", "微信支付", "银行卡", "Apple Pay"], weights: [5, 4, 1, 1])),
                PropertyRule("is_success", .chance(0.96)),
            ]),
        BusinessEvent(
            "RequestLoginCode", at: button(login, "login_code"),
            [
                PropertyRule("service_type", .oneOf(["登录", "注册"], weights: [7, 3])),
                PropertyRule("is_resend", .chance(0.15)),
                PropertyRule("code_channel", .oneOf(["短信", "语音"], weights: [9, 1])),
                PropertyRule("phone_region", .text("+86")),
            ]),
        BusinessEvent(
            "RegisterResult", at: .signUp,
            [
                PropertyRule("register_method", .oneOf(["手机号", "微信", "Apple ID"], weights: [6, 3, 1])),
                PropertyRule("is_success", .constant(.bool(true))),
                PropertyRule("invite_code", .zipf(.zipf(count: 500, exponent: 0.6), prefix: "INV")),
                PropertyRule("register_time", .date),
            ]),
        BusinessEvent(
            "LoginResult", at: .login,
            [
                PropertyRule("login_method", .oneOf(["手机号", "微信", "Apple ID"], weights: [6, 3, 1])),
                PropertyRule("is_success", .constant(.bool(true))),
                PropertyRule("is_quick_login", .chance(0.5)),
                PropertyRule("fail_reason", .constant(.null)),
            ]),
        BusinessEvent(
            "LeaveApp", at: .sessionEnd, chance: 0.5,
            [
                PropertyRule("unread_messages", .integer(0, 20)),
                PropertyRule("cart_item_count", .integer(0, 12)),
                PropertyRule("memory_mb", .number(.lognormal(median: 180, sigma: 0.3), decimals: 1)),
                PropertyRule("push_enabled", .chance(0.6)),
            ]),
    ]

    static let profiles: [ProfileUpdate] = [
        ProfileUpdate(
            .setOnce, at: .signUp,
            [
                PropertyRule("register_time", .date),
                PropertyRule("register_channel", .oneOf(["App Store", "微信广告", "朋友推荐"], weights: [6, 2, 2])),
            ]),
        ProfileUpdate(.set, at: .login, of: customer, customerRules),
        ProfileUpdate(
            .increment, at: .screen(payResult), chance: 0.85, of: order,
            [
                PropertyRule("order_count", .constant(.number(1))),
                PropertyRule("total_spent", orderAmount),
            ]),
        ProfileUpdate(
            .append, at: button(detail, "detail_favourite"), of: product,
            [
                PropertyRule(
                    "favourite_products",
                    .list(.entityID(catalogue: product, prefix: "SKU"), minimum: 1, maximum: 1))
            ]),
        ProfileUpdate(
            .unset, at: .logout, [PropertyRule("member_level", .constant(.string("")))]),
        ProfileUpdate(.delete, at: .logout, chance: 0.05),
    ]

    static let items: [ItemUpdate] = [
        ItemUpdate(
            "product", "SKU", of: product, at: .screen(detail), chance: 0.02, (0..<5).map(field)),
        ItemUpdate(
            "product", "SKU", of: product, at: button(cart, "cart_remove"), chance: 0.02, isDeletion: true),
    ]

    static let superProperties: [SuperPropertyGroup] = [
        SuperPropertyGroup(
            trigger: .launch,
            properties: [
                PropertyRule("channel", .oneOf(["App Store", "TestFlight"], weights: [99, 1])),
                PropertyRule("abGroup", .oneOf(["A", "B", "control"])),
                PropertyRule("platform_type", .text("iOS")),
            ])
    ]
}
