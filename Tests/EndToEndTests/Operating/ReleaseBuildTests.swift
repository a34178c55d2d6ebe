import Subprocess
import Testing

/// How `script/server` and `script/package` build a release: `script/release-build`.
@Suite(.timeLimit(.minutes(20))) struct ReleaseBuildTests {
    private static let repository = String(
        #filePath.dropLast("/Tests/EndToEndTests/Operating/ReleaseBuildTests.swift".count))

    /// Whether the commands of a shell succeed that has read the script. Programs in the directory precede others.
    private func succeeds(_ commands: String, in directory: String) async throws -> Bool {
        let beginning = #"cd "$PLACE"; PATH="$PLACE:$PATH"; . "$SCRIPT"; "#
        let result = try await Subprocess.run(
            .name("sh"), arguments: ["-eu", "-c", beginning + commands],
            environment: .inherit.updating([
                "PLACE": directory, "SCRIPT": Self.repository + "/script/release-build",
            ]), input: .none, output: .discarded, error: .discarded)
        return result.terminationStatus.isSuccess
    }

    @Test func `what a build says comes line by line, while it goes on`() async throws {
        try await withTemporaryDirectory { directory in
            let isShown = try await succeeds(
                """
                mkfifo said
                progress <said >shown &
                exec 3>said
                echo '[1/900] Compiling NIO' >&3
                for round in $(seq 100); do
                    if grep -q NIO shown; then exit 0; fi
                    sleep 0.1
                done
                exit 1
                """, in: directory)
            #expect(isShown)
        }
    }

    @Test func `when the build of the service fails, nothing of the web app's build goes on`() async throws {
        try await withTemporaryDirectory { directory in
            // A script that waits for its compiler, and a build that fails once both run.
            let isBuilt = try await succeeds(
                """
                mkdir script
                printf '#!/bin/sh\\nsleep 300 & echo $! >child; wait\\n' >script/web
                printf '#!/bin/sh\\nuntil [ -s child ]; do sleep 0.1; done; exit 1\\n' >swift
                chmod +x script/web swift
                release_web
                """, in: directory)
            #expect(!isBuilt)
            let isGone = try await succeeds(
                """
                for round in $(seq 100); do
                    # Perhaps nobody has asked how it ended.
                    case $(ps -o stat= -p "$(cat child)") in '' | Z*) exit 0 ;; esac
                    sleep 0.1
                done
                kill "$(cat child)"
                exit 1
                """, in: directory)
            #expect(isGone)
        }
    }
}
