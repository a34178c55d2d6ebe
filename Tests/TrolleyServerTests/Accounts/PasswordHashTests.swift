import Testing

@testable import TrolleyServer

@Suite("Password hashes", .timeLimit(.minutes(20)))
struct PasswordHashTests {
    let cost = PasswordHash.Cost.weak

    @Test("a password matches its hash and no other", arguments: ["correct horse", "", "пароль🐎", "a\0b"])
    func matching(password: String) throws {
        let stored = PasswordHash(stored: try PasswordHash(password, cost: cost).text)
        #expect(try stored.matches(password))
        #expect(try !stored.matches(password + " "))
        #expect(try !stored.matches("" + password.uppercased()) || password == password.uppercased())
    }

    @Test("two hashes of one password differ, by their salts")
    func salts() throws {
        let hashes = [try PasswordHash("correct horse", cost: cost), try PasswordHash("correct horse", cost: cost)]
        #expect(hashes[0].text != hashes[1].text)
    }

    @Test("a hash of another cost still matches")
    func otherCost() throws {
        let dearer = PasswordHash.Cost(logRounds: 5, blockSize: 4, parallelism: 2)
        let hash = try PasswordHash("correct horse", cost: dearer)
        #expect(hash.text.hasPrefix("$scrypt$ln=5,r=4,p=2$"))
        #expect(try PasswordHash(stored: hash.text).matches("correct horse"))
    }

    @Test(
        "an invalid hash matches nothing and never traps",
        arguments: [
            "", "-", "$scrypt$", "$scrypt$ln=4$AA$AA", "$scrypt$ln=99,r=8,p=1$AA$AA", "$scrypt$ln=-1,r=8,p=1$AA$AA",
            "$scrypt$ln=4,r=0,p=1$AA$AA", "$scrypt$ln=4,r=8,p=1$$", "$scrypt$ln=4,r=8,p=1$AA$A",
            "$argon2$ln=4,r=8,p=1$AA$AA",
        ])
    func garbage(text: String) throws {
        for password in ["", "correct horse"] { #expect(try !PasswordHash(stored: text).matches(password)) }
    }

    @Test("a hash that takes more memory than there is fails with the reason, not as a wrong password")
    func memory() {
        let stored = PasswordHash(stored: "$scrypt$ln=24,r=8192,p=1$AAAA$AAAA")
        #expect(throws: (any Error).self) { try stored.matches("correct horse") }
    }
}
