import Testing

@testable import trolleyd

@Suite(.timeLimit(.minutes(20))) struct BackupContentsTests {
    /// As pg_restore prints it.
    private static let own = [
        "5; 2615 2200 SCHEMA - public pg_database_owner",
        "3500; 0 0 COMMENT - SCHEMA public pg_database_owner",
        "2; 3079 16390 EXTENSION - citus ",
        "214; 1259 16385 TABLE public migration trolley",
        "215; 1259 16390 TABLE public service trolley",
        "216; 1259 16400 TABLE public list trolley",
        "217; 1259 16410 TABLE public archived_entry_2026_11 trolley",
        "3300; 0 0 TABLE ATTACH public archived_entry_2026_11 trolley",
        "226; 1259 16420 SEQUENCE public hosted_entry_position_seq trolley",
        "3600; 0 0 SEQUENCE SET public hosted_entry_position_seq trolley",
        "3401; 0 16385 TABLE DATA public migration trolley",
        "3402; 0 16390 TABLE DATA public service trolley",
        "3403; 0 16400 TABLE DATA public list trolley",
        "3310; 2606 16411 CONSTRAINT public list list_pkey trolley",
        "3311; 1259 16412 INDEX public device_by_account trolley",
        "3312; 2606 16413 FK CONSTRAINT public device device_account_id_fkey trolley",
    ]

    @Test func `a backup of Trolley is known by its tables`() {
        #expect(BackupContents(Self.own) == .backup(tables: 3))
        #expect(BackupContents(Self.own.filter { !$0.contains("TABLE DATA public list") }) == .incomplete)
        #expect(BackupContents([]) == .incomplete)
    }

    @Test func `what a role was granted is no object, and isn't restored`() {
        let granted = ["3456; 0 0 ACL public TABLE list trolley", "3457; 0 0 ACL - SCHEMA public trolley"]
        #expect(BackupContents(Self.own + granted) == .backup(tables: 3))
    }

    @Test(arguments: [
        "220; 1255 16500 FUNCTION public greet() mallory", "221; 2620 16501 TRIGGER public list at_night mallory",
        "222; 2618 16502 RULE public list list_rule mallory", "223; 1259 16503 VIEW public list_view mallory",
        "224; 1259 16504 TABLE public customers mallory", "225; 0 16504 TABLE DATA public customers mallory",
        "226; 1255 16505 PROCEDURE public go() mallory", "nonsense",
    ])
    func `an object that Trolley's schema doesn't have is refused`(_ line: String) {
        guard case .foreign = BackupContents(Self.own + [line]) else {
            Issue.record("accepted: \(line)")
            return
        }
    }
}
