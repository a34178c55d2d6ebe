/// A numbered step of the database schema. Steps run forward only, and their text never changes after a release.
public struct Migration: Hashable, Sendable {
    /// 1, 2, 3 … without gaps.
    public let version: Int
    public let name: String
    public let sql: String
    /// Programs that know the steps up to this one run on the database after this step, too: it only adds what they don't
    /// need. So a service is upgraded process by process. `version`: only programs that know this step run.
    public let runsWith: Int
    /// Whether each of its commands runs by itself, outside a transaction, while services run: it builds indexes without locking
    /// their tables (`CREATE INDEX CONCURRENTLY`). It may be repeated after it was interrupted.
    public let isOnline: Bool
}

/// All steps in order: the `NNNN-name.sql` files beside this one, embedded at build time.
public enum Migrations {
    public static let all = [
        Migration(version: 1, name: "initial", bytes: PackageResources._001_initial_sql),
        Migration(version: 2, name: "compression", bytes: PackageResources._002_compression_sql),
        Migration(version: 3, name: "people", bytes: PackageResources._003_people_sql),
        Migration(version: 4, name: "trail", bytes: PackageResources._004_trail_sql),
        Migration(version: 5, name: "identity", bytes: PackageResources._005_identity_sql),
        Migration(version: 6, name: "reports", bytes: PackageResources._006_reports_sql),
        Migration(version: 7, name: "hosted", bytes: PackageResources._007_hosted_sql),
        Migration(version: 8, name: "sessions", bytes: PackageResources._008_sessions_sql),
        Migration(version: 9, name: "hosted-arrivals", bytes: PackageResources._009_hosted_arrivals_sql),
        Migration(version: 10, name: "ownership", bytes: PackageResources._010_ownership_sql),
        Migration(version: 11, name: "notices", bytes: PackageResources._011_notices_sql),
        Migration(version: 12, name: "list-bytes", bytes: PackageResources._012_list_bytes_sql),
        Migration(version: 13, name: "passwords", bytes: PackageResources._013_passwords_sql),
        Migration(version: 14, name: "verified-addresses", bytes: PackageResources._014_verified_addresses_sql),
        Migration(version: 15, name: "returned-places", bytes: PackageResources._015_returned_places_sql),
        Migration(version: 16, name: "list-birth", bytes: PackageResources._016_list_birth_sql),
        Migration(version: 17, name: "hosted-names", bytes: PackageResources._017_hosted_names_sql),
        Migration(version: 18, name: "rooms", bytes: PackageResources._018_rooms_sql),
        Migration(version: 19, name: "summaries", bytes: PackageResources._019_summaries_sql),
        Migration(version: 20, name: "messages", bytes: PackageResources._020_messages_sql),
        Migration(version: 21, name: "push", bytes: PackageResources._021_push_sql),
        Migration(version: 22, name: "alerts", bytes: PackageResources._022_alerts_sql),
        Migration(
            version: 23, name: "share-differences", bytes: PackageResources._023_share_differences_sql),
        Migration(version: 24, name: "live-entries", bytes: PackageResources._024_live_entries_sql),
        Migration(version: 25, name: "ended-rooms", bytes: PackageResources._025_ended_rooms_sql),
        Migration(version: 26, name: "signed-out-devices", bytes: PackageResources._026_signed_out_devices_sql),
        Migration(version: 27, name: "processes", bytes: PackageResources._027_processes_sql),
        Migration(version: 28, name: "background", runsWith: 27, bytes: PackageResources._028_background_sql),
        Migration(
            version: 29, name: "background-indexes", runsWith: 27, isOnline: true,
            bytes: PackageResources._029_background_indexes_sql),
        Migration(
            version: 30, name: "personal-tokens", runsWith: 27, bytes: PackageResources._030_personal_tokens_sql),
        Migration(version: 31, name: "list-mark", runsWith: 27, bytes: PackageResources._031_list_mark_sql),
        Migration(version: 32, name: "operator", runsWith: 27, bytes: PackageResources._032_operator_sql),
        Migration(version: 33, name: "own-names", runsWith: 27, bytes: PackageResources._033_own_names_sql),
        Migration(version: 34, name: "list-places", runsWith: 27, bytes: PackageResources._034_list_places_sql),
        Migration(
            version: 35, name: "links-for-several", runsWith: 27, bytes: PackageResources._035_links_for_several_sql),
        Migration(
            version: 36, name: "push-registrations", runsWith: 27,
            bytes: PackageResources._036_push_registrations_sql),
        Migration(version: 37, name: "backfills", runsWith: 27, bytes: PackageResources._037_backfills_sql),
    ]
}

extension Migration {
    /// - Parameter runsWith: nil: `version`.
    init(version: Int, name: String, sql: String, runsWith: Int? = nil, isOnline: Bool = false) {
        self.version = version
        self.name = name
        self.sql = sql
        self.runsWith = runsWith ?? version
        self.isOnline = isOnline
    }

    fileprivate init(version: Int, name: String, runsWith: Int? = nil, isOnline: Bool = false, bytes: [UInt8]) {
        self.init(
            version: version, name: name, sql: String(decoding: bytes, as: UTF8.self), runsWith: runsWith,
            isOnline: isOnline)
    }
}
