import Logging
import TrolleyCluster

// A service that only runs a cluster, for tests that kill it. Prints the database's URL when the database is ready.

#if canImport(Glibc)
    import Glibc
#endif

LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
let cluster = try await Cluster.start(
    ClusterConfiguration(dataDirectory: CommandLine.arguments[1]), logger: Logger(label: "cluster-host"))
print(cluster.connectionString())
fflush(nil)
// Sleeps: until the test kills it.
while true { try await Task.sleep(for: .seconds(3600)) }
