import Timebase

extension Shop {
    /// A kind of product: what its variants share, their prices in yuan, and what tells them apart.
    private struct Kind {
        var name: String
        var category: String
        var brand: String
        var prices: [Double]
        var variants: [String]
    }

    /// With four variants each. A product's number says which kind and variant it is.
    private static let kinds = [
        Kind(
            name: "轻薄羽绒服 男款", category: "服饰", brand: "Nordvik", prices: [299, 359.9, 429, 599],
            variants: ["M / 黑色", "L / 黑色", "XL / 藏青", "L / 军绿"]),
        Kind(
            name: "无线蓝牙耳机 Pro", category: "数码", brand: "Aurora", prices: [159.9, 199, 269, 399],
            variants: ["黑色", "白色", "深空灰", "樱花粉"]),
        Kind(
            name: "有机燕麦片 1kg", category: "食品", brand: "青禾", prices: [16.9, 19.9, 25.8, 32.5],
            variants: ["原味", "无糖", "红枣枸杞", "混合坚果"]),
        Kind(
            name: "儿童积木套装", category: "母婴", brand: "小满", prices: [49.9, 79, 129, 199],
            variants: ["100 粒", "200 粒", "300 粒", "500 粒"]),
        Kind(
            name: "Running Shoes 42", category: "Sports", brand: "Kestrel", prices: [229, 299, 369.5, 499],
            variants: ["42 / Black", "42 / White", "42 / Navy", "42 / Lime"]),
        Kind(
            name: "不锈钢保温杯 500ml", category: "家居", brand: "优选", prices: [29.9, 45, 59.9, 79],
            variants: ["银色", "墨绿", "米白", "黑色"]),
        Kind(
            name: "Mechanical Keyboard 87", category: "数码", brand: "Aurora", prices: [199, 269, 349, 459.9],
            variants: ["红轴", "青轴", "茶轴", "静音红轴"]),
        Kind(
            name: "纯棉四件套 1.8m", category: "家居", brand: "优选", prices: [139, 179.9, 229, 329],
            variants: ["浅灰", "雾蓝", "豆沙", "米白"]),
        Kind(
            name: "便携榨汁机", category: "家居", brand: "小满", prices: [69, 89.9, 109, 149],
            variants: ["白色", "薄荷绿", "粉色", "黄色"]),
        Kind(
            name: "Linen Shirt", category: "服饰", brand: "Nordvik", prices: [89, 119, 149.9, 189],
            variants: ["S / White", "M / White", "L / Navy", "XL / Sand"]),
        Kind(
            name: "空气炸锅 4.5L", category: "家居", brand: "优选", prices: [169, 219, 259.9, 349],
            variants: ["白色", "黑色", "可视窗 白色", "可视窗 黑色"]),
        Kind(
            name: "护手霜礼盒", category: "美妆", brand: "青禾", prices: [29.9, 39.9, 59, 88],
            variants: ["三支装", "五支装", "玫瑰 三支装", "无香 三支装"]),
        Kind(
            name: "Trail Backpack 28L", category: "Sports", brand: "山峰", prices: [179, 239, 299, 379.9],
            variants: ["Black", "Olive", "Orange", "Slate"]),
        Kind(
            name: "龙井茶 明前特级 250g", category: "食品", brand: "青禾", prices: [128, 168, 218.8, 328],
            variants: ["罐装", "礼盒装", "两罐装", "简装"]),
        Kind(
            name: "智能手环 7", category: "数码", brand: "Aurora", prices: [149, 189.9, 229, 299],
            variants: ["黑色", "橙色", "雾蓝", "NFC 版 黑色"]),
        Kind(
            name: "婴儿湿巾 80 抽", category: "母婴", brand: "小满", prices: [9.9, 19.9, 29.9, 49.9],
            variants: ["1 包", "3 包", "5 包", "10 包"]),
    ]

    private static let variantCount = 4

    /// A value of each variant of each kind, by the products' numbers.
    private static func byNumber(_ value: (Kind, Int) -> PropertyValue) -> EntityCycle<PropertyValue> {
        EntityCycle((0..<variantCount).flatMap { variant in kinds.map { value($0, variant) } })
    }

    private static let prices = EntityCycle(
        (0..<variantCount).flatMap { variant in kinds.map { $0.prices[variant] } })

    /// The index of "specification" among the fields of ``products``.
    static let specification = 5

    static let products: Catalogue = {
        var catalogue = Catalogue(name: "shop.products", count: 2048)
        catalogue.exponent = 1.05
        catalogue.fields = [
            PropertyRule("product_name", .cycle(byNumber { kind, _ in .string(kind.name) })),
            PropertyRule("first_category", .cycle(byNumber { kind, _ in .string(kind.category) })),
            PropertyRule("product_price", .cycle(byNumber { .number($0.prices[$1]) })),
            PropertyRule("brand", .cycle(byNumber { kind, _ in .string(kind.brand) })),
            PropertyRule("stock", .integer(0, 500)),
            PropertyRule("specification", .cycle(byNumber { .string($0.variants[$1]) })),
        ]
        return catalogue
    }()

    // MARK: Orders

    /// Orders of a product each: the quantity and the rebate differ from order to order.
    static let orders: Catalogue = {
        var catalogue = Catalogue(name: "shop.orders", count: Deal.count(things: products.count))
        catalogue.deals = product
        return catalogue
    }()

    /// From one order to the next, the product apart.
    private static let nextOrder = UInt32(products.count)
    /// From one user's orders to the next one's.
    private static let nextUser = nextOrder * Deal.perDevice

    private static let quantities = EntityCycle<Double>(
        [1, 1, 2, 1, 1, 1, 3, 1, 1, 2, 1, 1, 1, 1, 2, 1, 5], step: nextOrder)
    /// The share of the price that a coupon takes off: of tenths, so that amounts have no more than two decimals.
    private static let rebates = EntityCycle<Double>([0, 0.1, 0, 0.2, 0], step: nextOrder)

    static let orderAmount: PropertyGenerator = .product(
        [prices, quantities, EntityCycle(rebates.values.map { 1 - $0 }, step: nextOrder)], decimals: 2)

    static let couponUsed = PropertyRule(
        "coupon_used", .cycle(EntityCycle(rebates.values.map { .bool($0 > 0) }, step: nextOrder)))

    static let orderRules: [PropertyRule] = [
        PropertyRule("order_id", .entityID(catalogue: order, prefix: "SO")),
        PropertyRule("order_amount", orderAmount),
        PropertyRule("discount_amount", .product([prices, quantities, rebates], decimals: 2)),
        PropertyRule(
            "receiver_province",
            .byNumber(["上海市", "北京市", "广东省", "浙江省", "四川省", "江苏省"], step: nextUser)),
        PropertyRule(
            "item_count", .cycle(EntityCycle(quantities.values.map { .number($0) }, step: nextOrder))),
        PropertyRule(
            "delivery_method",
            .byNumber(
                ["快递", "快递", "同城配送", "快递", "快递", "快递", "快递", "自提", "快递", "快递", "快递"],
                step: nextOrder)),
    ]

    // MARK: Customers

    /// What a customer is at each login. The lists' lengths have no common factor, so that nothing of it depends on anything
    /// else; the city is in the province to which orders go.
    static let customerRules: [PropertyRule] = [
        PropertyRule("member_level", .byNumber(levels, step: Deal.perDevice)),
        PropertyRule(
            "gender",
            .byNumber(["女", "男", "女", "未知", "男", "女", "男", "女", "女", "男", "女"], step: Deal.perDevice)),
        PropertyRule("city", .byNumber(["上海", "北京", "广州", "杭州", "成都", "南京"], step: Deal.perDevice)),
        PropertyRule("birth_year", .cycle(EntityCycle(birthYears, step: Deal.perDevice))),
    ]

    /// Of 37 customers, 26 have the lowest level, 7 the next one, 3 gold, and 1 black gold.
    private static let levels = (0..<37).map { number in
        switch number * 11 % 37 {
        case 0..<26: "普通会员"
        case 26..<33: "银卡"
        case 33..<36: "金卡"
        default: "黑金"
        }
    }

    /// Each year from 1965 to 2007 once.
    private static let birthYears = (0..<43).map { PropertyValue.number(Double(1965 + $0 * 17 % 43)) }
}
