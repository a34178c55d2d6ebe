import Testing
import TrolleyMigrations

@testable import TrolleyStore

@Suite("Scripts of several commands", .timeLimit(.minutes(20)))
struct ScriptTests {
    @Test(
        "a script is taken apart at its semicolons, and at no others",
        arguments: [
            ("SELECT 1; SELECT 2", ["SELECT 1", " SELECT 2"]),
            ("SELECT 1;\n\n;; -- nothing; here\n", ["SELECT 1"]),
            ("SELECT ';', ''';', E'\\';' ; SELECT 2", ["SELECT ';', ''';', E'\\';' ", " SELECT 2"]),
            (#"SELECT 1 AS ";"; SELECT 2"#, [#"SELECT 1 AS ";""#, " SELECT 2"]),
            ("DO $$ BEGIN a; END $$; SELECT 2", ["DO $$ BEGIN a; END $$", " SELECT 2"]),
            ("DO $a$ $$ ; $b$ ; $a$; SELECT $1; SELECT 3", ["DO $a$ $$ ; $b$ ; $a$", " SELECT $1", " SELECT 3"]),
            (
                "-- one; two\nSELECT 1; /* a; /* b; */ c; */ SELECT 2",
                ["-- one; two\nSELECT 1", " /* a; /* b; */ c; */ SELECT 2"]
            ),
            ("SELECT a$b$; SELECT 2", ["SELECT a$b$", " SELECT 2"]), ("SELECT 'not closed; ", ["SELECT 'not closed; "]),
            ("", []),
        ] as [(String, [String])])
    func parts(_ text: String, _ commands: [String]) {
        #expect(Script(text).commands == commands)
    }

    @Test("every migration comes out whole")
    func migrations() {
        for migration in Migrations.all {
            let commands = Script(migration.sql).commands
            func words(_ text: String) -> [Substring] { text.split { $0.isWhitespace || $0 == ";" } }
            let all = commands.flatMap(words)
            #expect(words(migration.sql).starts(with: all), "\(migration.name)")
            #expect(commands.allSatisfy { !$0.contains("; CREATE") && !$0.contains(";\nCREATE") }, "\(migration.name)")
        }
    }
}
