// SPDX-License-Identifier: BSD-3-Clause
//
// Links with what pkg-config says.
use std::process::Command;

fn main() {
    let out = Command::new("pkg-config").args(["--libs", "causeway"]).output().expect("pkg-config");
    assert!(out.status.success(), "pkg-config does not know causeway");
    for word in String::from_utf8(out.stdout).unwrap().split_whitespace() {
        println!("cargo:rustc-link-arg={}", word);
    }
}
