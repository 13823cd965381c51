//! A data folder on a file system without hard links, and one of another user.

use super::*;

/// Stands before the system's own functions: links are refused, as on exFAT.
const NO_LINKS: &str = "#include <errno.h>
int link(const char *from, const char *to) { errno = EPERM; return -1; }
int linkat(int a, const char *from, int b, const char *to, int flags) { errno = EPERM; return -1; }
";

/// True if the command can be run here; else it is told, and the test is left out.
fn can(mut command: Command) -> bool {
    let done = command.stdin(Stdio::null()).output();
    let can = done.is_ok_and(|done| done.status.success());
    if !can {
        println!("left out: this system has no {command:?}");
    }
    can
}

#[test]
fn it_works_without_hard_links() {
    let folder = Folder::new("no-links");
    let (source, library) = (folder.0.join("links.c"), folder.0.join("links.so"));
    fs::write(&source, NO_LINKS).expect("a file");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source]);
    if !can(compiler) {
        return;
    }
    let preload = [("LD_PRELOAD", library.display().to_string())];
    let names = || {
        let files = fs::read_dir(folder.0.join("data")).expect("the data folder");
        let mut names: Vec<String> = files
            .map(|file| {
                file.expect("a file")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort_unstable();
        names
    };
    let keys = || {
        ["secret.key", "talk.keys"]
            .map(|name| fs::read(folder.0.join("data").join(name)).expect("a key"))
    };
    let server = Server::start(&folder.0, &preload);
    threads().block_on(async {
        let mut visitor = Client::new(server.address);
        visitor.get("/reset").await.expect("a page");
        assert_eq!(visitor.get("/readyz").await.expect("an answer"), 200);
    });
    assert_eq!(server.stop().code(), Some(0));
    assert_eq!(
        names(),
        ["mail", "perplex.sqlite", "secret.key", "talk.keys"]
    );
    let before = keys();

    // A mail becomes a file there, too, and the keys stay.
    let mut create = program(&folder.0);
    create.args([
        "admin",
        "create",
        "--name",
        "Ada",
        "--email",
        "ada@example.org",
    ]);
    create
        .envs(preload.clone())
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let mut create = create.spawn().expect("the program");
    let input = create.stdin.take().expect("piped");
    writeln!(&input, "{PASSWORD}").expect("it listens");
    drop(input);
    assert!(create.wait().expect("it ends").success());
    let server = Server::start(&folder.0, &preload);
    threads().block_on(async {
        let mut visitor = Client::new(server.address);
        visitor.get("/reset").await.expect("a page");
        visitor.keep_proof().expect("a form");
        let form = [("email", "ada@example.org")];
        visitor.post("/reset", &form).await.expect("sent");
    });
    let start = Instant::now();
    let mails = folder.0.join("data/mail");
    let is_there = || {
        let files = fs::read_dir(&mails).expect("the folder");
        files
            .flatten()
            .any(|file| file.path().extension().is_some_and(|end| end == "eml"))
    };
    while !is_there() {
        assert!(start.elapsed() < PATIENCE, "no mail: {}", log_of(&folder.0));
        std::thread::sleep(AGAIN);
    }
    assert_eq!(server.stop().code(), Some(0));
    assert_eq!(keys(), before);
}

/// The program as a user who is neither root nor the owner of what is there.
fn as_a_stranger(folder: &Path) -> Command {
    let mut command = program_by(Command::new("setpriv"), folder);
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command
}

#[test]
fn a_data_folder_of_another_user_works_or_says_what_to_do() {
    let folder = Folder::new("stranger");
    let mut test = as_a_stranger(&folder.0);
    // Its user may have to reach the program, too.
    test.args([env!("CARGO_BIN_EXE_perplex"), "help"]);
    if !can(test) {
        return;
    }
    let data = folder.0.join("data");
    fs::create_dir(&data).expect("a folder");
    let serve = |log: Stdio| {
        let mut command = as_a_stranger(&folder.0);
        command.args([env!("CARGO_BIN_EXE_perplex"), "serve"]);
        Server::run_with(command, log)
    };
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("ours");
    };
    let log = || {
        let file = fs::File::create(folder.0.join("log")).expect("a log");
        Stdio::from(file)
    };
    let advice = format!("chown -R 65534 {}", data.display());

    // It may only look into it.
    mode(&data, 0o755);
    assert!(serve(log()).is_err());
    has(&log_of(&folder.0), &advice);
    has(
        &log_of(&folder.0),
        "belongs to user 0, and the program runs as user 65534",
    );
    // It may not even do that.
    mode(&data, 0o700);
    assert!(serve(log()).is_err());
    has(&log_of(&folder.0), &advice);
    // It may write there: it says that it is not private, and works, twice.
    mode(&data, 0o777);
    for _ in 0..2 {
        let server = serve(log()).unwrap_or_else(|line| panic!("{line}: {}", log_of(&folder.0)));
        threads().block_on(async {
            let mut visitor = Client::new(server.address);
            assert_eq!(visitor.get("/readyz").await.expect("an answer"), 200);
        });
        has(&log_of(&folder.0), "others may look into the data folder");
        assert_eq!(server.stop().code(), Some(0));
    }
    // A database of another user that it may not write, and a key that it may not read.
    for (name, rights) in [("perplex.sqlite", 0o644), ("secret.key", 0o600)] {
        let path = data.join(name);
        std::os::unix::fs::chown(&path, Some(0), Some(0)).expect("root may");
        mode(&path, rights);
        assert!(serve(log()).is_err(), "{name}");
        has(
            &log_of(&folder.0),
            &format!("chown -R 65534 {}", path.display()),
        );
        std::os::unix::fs::chown(&path, Some(65534), Some(65534)).expect("root may");
        mode(&path, 0o600);
    }
    assert!(serve(log()).is_ok(), "{}", log_of(&folder.0));
}
