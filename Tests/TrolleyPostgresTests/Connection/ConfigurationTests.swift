import Testing
import TrolleyPostgres

@Suite(.timeLimit(.minutes(20))) struct ConfigurationTests {
    @Test func `other programs get the same database, and the password apart from what everybody can see`() throws {
        let url = try PostgresConfiguration("postgresql://trolley:hunter%402@db.example.com:6432/lists?sslmode=require")
        let (connection, password) = url.forCommandLineTools
        #expect(connection == "dbname='lists' host='db.example.com' port='6432' sslmode='require' user='trolley'")
        #expect(password == "hunter@2")
        let again = try PostgresConfiguration(connection)
        #expect(again.location == url.location && again.forCommandLineTools.password == nil)
    }

    @Test func `values with quotes and backslashes are quoted`() throws {
        let odd = try PostgresConfiguration(#"dbname='it\'s' host='/tmp/100 % \\ mine'"#)
        #expect(odd.forCommandLineTools.connection == #"dbname='it\'s' host='/tmp/100 % \\ mine'"#)
    }

    @Test func `another server gets the same user, password, database and settings`() throws {
        var configuration = try PostgresConfiguration(
            "postgresql://trolley:hunter%402@one,two:6432/lists?hostaddr=10.0.0.1,10.0.0.2&sslmode=require")
        configuration.sessionSettings["jit"] = "off"
        let moved = try configuration.moved(toHost: "worker", port: 5433)
        let (connection, password) = moved.forCommandLineTools
        #expect(connection == "dbname='lists' host='worker' port='5433' sslmode='require' user='trolley'")
        #expect(password == "hunter@2" && moved.sessionSettings == ["jit": "off"])
        #expect(moved.location == "worker port 5433 database lists")
    }

    @Test(arguments: [
        ("postgresql://trolley@127.0.0.1:6432/lists", true), ("host=localhost,::1", true), ("host=/run/trolley", true),
        ("dbname=lists", true), ("postgresql://db.example.com/lists", false), ("host=127.0.0.1,db.example.com", false),
        ("host=localhost hostaddr=10.0.0.1", false), ("host=db.example.com hostaddr=127.0.0.1", true),
        ("host=db.example.com hostaddr=''", false), ("host=localhost,db.example.com hostaddr=127.0.0.1,", false),
    ])
    func `a server is on this machine when all addresses are loopback or sockets`(_ url: String, isHere: Bool) throws {
        #expect(try PostgresConfiguration(url).isOnThisMachine == isHere)
    }
}
