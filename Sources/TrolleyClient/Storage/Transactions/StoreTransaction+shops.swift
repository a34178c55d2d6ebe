import GRDB
import TrolleyJournal
import TrolleySync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StoreTransaction {
    /// The shop where the person is; nil: none in particular, or shopping mode is off.
    func shop(of list: ListRow) throws -> String? {
        guard list.shopping, let sealed = list.shop else { return nil }
        return String(decoding: try key.open(sealed, at: Self.place(ofShopIn: list)), as: UTF8.self)
    }

    /// Switches shopping mode, in a shop or in none in particular. A shop of the list is spelled as there.
    func setShopping(_ isShopping: Bool, shop: String?, in list: ListRow, at now: Timestamp) throws {
        let shop = try shop.map { try folded(list).fold.shops.called($0)?.name ?? $0 }
        // While the person stays in the shop, the order stays.
        if try !list.shopping || !isShopping || shop?.itemKey != self.shop(of: list)?.itemKey {
            try keep(isShopping ? computeLearnedOrder(of: list, at: now, in: shop) : nil, of: list)
        }
        let sealed = try isShopping ? shop.map { try key.seal(Array($0.utf8), at: Self.place(ofShopIn: list)) } : nil
        try db.execute(
            sql: "UPDATE list SET shopping = ?, shop = ?, version = version + 1 WHERE key = ?",
            arguments: [isShopping, sealed, list.key])
        if !isShopping { try apply(in: list, shopping: false) }
    }

    /// The row stays when the list gets another id.
    private static func place(ofShopIn list: ListRow) -> [UInt8] { Array("shop \(list.key)".utf8) }
}
