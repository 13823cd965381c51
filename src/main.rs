fn main() {
    let stdin = std::io::stdin().lock();
    let _ = perplex::referee::run(stdin, std::io::stdout().lock());
}
