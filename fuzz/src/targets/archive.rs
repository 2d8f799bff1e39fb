//! Compressed files and archives, whole and damaged: what cannot be read is reported, and memory is bounded.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::generate::transcript;
use crate::oracle::Form;
use crate::sandbox::Sandbox;

use super::commands;

/// How long a text is that is a short file, in bytes.
const LONG: usize = 1 << 18;

pub(crate) fn run(bytes: &[u8]) {
    let [kind, command, damage, rest @ ..] = bytes else { return };
    let (edits, rest) = rest.split_at(rest.len().min(usize::from(damage % 4) * 3));
    let (name, mut file) = file(*kind, rest);
    for edit in edits.chunks_exact(3) {
        let at = usize::from(u16::from_be_bytes([edit[0], edit[1]])) % file.len().max(1);
        if let Some(byte) = file.get_mut(at) {
            *byte = edit[2];
        }
    }
    if damage & 0x80 != 0 {
        file.truncate(file.len() * usize::from(*damage & 0x7c) / 0x80);
    }
    let sandbox = Sandbox::new();
    let Some(name) = sandbox.write(&format!("transcripts/{name}"), &file) else { return };
    let path = format!("./{name}");
    match command % 4 {
        0 => drop(commands::run(&["check"], Form::Text)),
        1 => drop(commands::run(&["check", "--format", "json", "--transcripts", &path], Form::JsonLines)),
        2 => drop(commands::run(&["transcript", "stats", &path], Form::Text)),
        _ => drop(commands::run(&["transcript", "parse", "--format", "json", &path], Form::JsonLines)),
    }
}

/// A compressed file, and its name.
fn file(kind: u8, bytes: &[u8]) -> (String, Vec<u8>) {
    let (name, inner) = transcript(bytes);
    // A long text that is a short file.
    let inner = if kind & 0x80 != 0 { inner.repeat(1 + LONG / inner.len().max(1)) } else { inner };
    match kind % 9 {
        0 => (format!("{name}.gz"), gzip(&inner)),
        1 => (format!("{name}.gz"), [gzip(&inner), gzip(bytes)].concat()),
        2 => (format!("{name}.zst"), zstd(&inner)),
        3 => (format!("{name}.zst"), [zstd(&inner), zstd(bytes)].concat()),
        4 => ("a.zip".to_owned(), zip(&[(&name, &inner, 0), ("b.json", bytes, 0)])),
        5 => ("a.eval".to_owned(), zip(&[("samples/é.json", &inner, 8), ("header.json", bytes, 0)])),
        6 => (format!("{name}.gz"), [&[0x1f, 0x8b], bytes].concat()),
        7 => (format!("{name}.zst"), [&[0x28, 0xb5, 0x2f, 0xfd], bytes].concat()),
        _ => ("a.zip".to_owned(), [b"PK\x03\x04", bytes].concat()),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// A ZIP archive of members: name, bytes, method (0 stored, 8 deflated).
fn zip(members: &[(&str, &[u8], u16)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes, method) in members {
        let packed = if *method == 8 { deflate(bytes) } else { bytes.to_vec() };
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let start = out.len();
        let mut common = Vec::new();
        for field in [20, 0x800, *method, 0, 0] {
            common.extend(field.to_le_bytes());
        }
        for field in [crc.sum(), size(packed.len()), size(bytes.len())] {
            common.extend(field.to_le_bytes());
        }
        common.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        common.extend(0u16.to_le_bytes());
        out.extend([b"PK\x03\x04", common.as_slice(), name.as_bytes(), &packed].concat());
        directory.extend([b"PK\x01\x02\x14\x00", common.as_slice()].concat());
        directory.extend([0u8; 10]);
        directory.extend(size(start).to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let count = u16::try_from(members.len()).unwrap().to_le_bytes();
    let end = [
        b"PK\x05\x06\0\0\0\0".as_slice(),
        &count,
        &count,
        &size(directory.len()).to_le_bytes(),
        &size(out.len()).to_le_bytes(),
        &[0, 0],
    ];
    [out, directory, end.concat()].concat()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn size(len: usize) -> u32 {
    u32::try_from(len).unwrap()
}
