//! A small separate file system, which can become full or fail. Mounting it needs root.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A mounted file system of 8 MB, unmounted when it is dropped.
pub(crate) struct Disk {
    directory: tempfile::TempDir,
}

impl Disk {
    /// Creates and mounts the file system; `None` if this process is not root. Other tests limit the size of a file
    /// instead, which needs no root.
    pub(crate) fn new() -> Option<Disk> {
        if !rustix::process::geteuid().is_root() {
            println!("not tested: only root may mount a file system");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let disk = Disk { directory };
        File::create(disk.image())
            .unwrap()
            .set_len(8_000_000)
            .unwrap();
        fs::create_dir(disk.path()).unwrap();
        run("mkfs.ext4", &["-q", "-E", "root_owner"], &[&disk.image()]);
        disk.mount();
        Some(disk)
    }

    fn image(&self) -> PathBuf {
        self.directory.path().join("image")
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("disk")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    pub(crate) fn store(&self) -> String {
        format!("sqlite:{}", self.path().join("noughts.db").display())
    }

    fn mount(&self) {
        let options = ["-o", "loop,errors=remount-ro"];
        run("mount", &options, &[&self.image(), &self.path()]);
    }

    /// Makes the file system report an error, as on a broken disk, so that it becomes read-only.
    pub(crate) fn fail(&self) {
        let found = Command::new("findmnt")
            .args(["-n", "-o", "SOURCE"])
            .arg(self.path())
            .output();
        let device = String::from_utf8(found.unwrap().stdout).unwrap();
        let device = device.trim().trim_start_matches("/dev/");
        let trigger = format!("/sys/fs/ext4/{device}/trigger_fs_error");
        fs::write(trigger, "a test").unwrap();
    }

    /// With `--freeze`, everything that writes waits until `--unfreeze`.
    pub(crate) fn freeze(&self, option: &str) {
        run("fsfreeze", &[option], &[&self.path()]);
    }

    pub(crate) fn repair(&self) {
        run("umount", &[], &[&self.path()]);
        let checked = Command::new("e2fsck").arg("-fp").arg(self.image()).output();
        // 1: errors were corrected.
        assert!(checked.unwrap().status.code() <= Some(1));
        self.mount();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

fn run(program: &str, options: &[&str], paths: &[&Path]) {
    let ran = Command::new(program).args(options).args(paths).output();
    let ran = ran.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(ran.status.success(), "{program}: {ran:?}");
}
