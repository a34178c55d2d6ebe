import Testing

@Suite(.timeLimit(.minutes(20))) struct CompletionScriptTests {
    @Test(arguments: ["bash", "zsh", "fish"])
    func `there is a completion script for each shell`(shell: String) async throws {
        let script = try await Programs.output(of: Programs.trolley, "--generate-completion-script", shell)
        #expect(script.contains("---completion") && script.contains("trolley"))
    }
}
