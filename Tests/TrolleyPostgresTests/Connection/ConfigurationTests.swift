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
}
