#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a version as a container and as a shared directory, from docs/format/container.md and segment.md alone.

    cairn_writer.py FILE                a container of one rank
    cairn_writer.py --shared DIRECTORY  the same state as rank 0 of two, in two groups; rank 1 has nothing but zeros

What is in the datasets follows from their names, see sample(). Prints the root digest of each rank.
"""
import os
import struct
import sys
import time
import zlib

sys.dont_write_bytecode = True
from cairn_format import (  # noqa: E402
    M64, M128, Dataset, VersionId, field, part, root_bytes, show_root, xxh3)

START = 8192
ORDER = 0x0A0B0C0D if sys.byteorder == "little" else 0x0D0C0B0A
RAW, CODED, ZERO = 1, 2, 3
JOB, RUN, TOKEN = 0x0123456789ABCDEFFEDCBA9876543210, 0x5F0C91AA3344BBCC, 0xCAFE0007


def number(size, value):
    return value.to_bytes(size, "little")


# ---------------------------------------------------------------------------------------------------------------------
# What is saved
# ---------------------------------------------------------------------------------------------------------------------

def sample():
    """Pairs of a dataset and its bytes: a number, doubles with a block of zeros, words with a codec, zeros, nothing."""
    u = [i / 8 if i < 2048 else 0.0 for i in range(5000)]
    u[4999] = -1.0
    words = b"It is written. " * 100
    return [
        (Dataset("step", 6, 1, 0, 128, [1], 8), struct.pack("=q", 7)),
        (Dataset("u", 8, 1, 0, 16384, [50, 100], 40000), struct.pack("=5000d", *u)),
        (Dataset("words", 1, 5, 3, 512, [len(words)], len(words)), words),
        (Dataset("zeros", 5, 3, 0, 128, [1000], 4000), bytes(4000)),
        (Dataset("nothing", 4, 1, 0, 128, [0], 0), b""),
    ]


def zeros(datasets):
    return [(d, bytes(len(data))) for d, data in datasets]


def deflated(plain):
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    return z.compress(plain) + z.flush()


def blocks(d, data):
    """(block length, kind, codec, stored bytes, digest) of all blocks of a dataset."""
    for i in range(d.blocks()):
        plain = data[i * d.block_size:][:d.block_size]
        if not any(plain):
            yield len(plain), ZERO, 0, b"", bytes(16)
            continue
        coded = deflated(plain) if d.codec == 3 else plain
        if len(coded) < len(plain):
            yield len(plain), CODED, 3, coded, d.digest(plain)
        else:
            yield len(plain), RAW, 0, plain, d.digest(plain)


def root_digest(datasets):
    total = 0
    for d, data in datasets:
        total += d.term()
        for i, (_, kind, _, _, digest) in enumerate(blocks(d, data)):
            total += d.zeros_term(i, 1) if kind == ZERO else d.block_term(i, digest)
    return total & M128


# ---------------------------------------------------------------------------------------------------------------------
# Records that both have
# ---------------------------------------------------------------------------------------------------------------------

def catalog_of(datasets):
    entries, slot = b"", 0
    for d, _ in datasets:
        entries += part(
            field(1, d.name.encode("utf-8"))
            + field(2, struct.pack("<BBBBIQ", d.kind, d.algorithm, d.codec, 0, d.block_size, d.byte_length))
            + field(3, b"".join(number(8, e) for e in d.extents))
            + field(4, struct.pack("<II", slot, d.blocks()) if d.blocks() else b""))
        slot += d.blocks()
    return b"CATL" + number(4, len(datasets)) + entries


def lineage_of(ranks, now):
    run = part(field(1, number(8, RUN)) + field(2, number(8, now)) + field(3, number(4, ranks))
               + field(5, b"\0") + field(6, b""))
    return part(field(1, struct.pack("<QQ", JOB >> 64, JOB & M64)) + field(2, b"") + field(3, run))


def version_fields(version, datasets, written, now):
    size = sum(len(data) for _, data in datasets)
    count = sum(d.blocks() for d, _ in datasets)
    return (field(1, version.packed()) + field(2, root_bytes(root_digest(datasets)))
            + field(3, struct.pack("<5Q", now, size, count, count, written)) + field(4, number(4, 0)))


# ---------------------------------------------------------------------------------------------------------------------
# A container
# ---------------------------------------------------------------------------------------------------------------------

def pointer(offset, data):
    return struct.pack("<QQ", offset, len(data)) + xxh3(data)


def write_blocks(datasets, file):
    """Writes what must be stored; the answer is the map record. Neighbours that are alike share a run."""
    runs, slot = [], 0  # a run: kind, codec, block length, first slot, count, place, entries
    for d, data in datasets:
        for length, kind, codec, stored, digest in blocks(d, data):
            place = 0 if kind == ZERO else file.tell()
            file.write(stored)
            entry = {ZERO: b"", RAW: digest, CODED: digest + struct.pack("<II", len(stored), 0)}[kind]
            if runs and runs[-1][:3] == [kind, codec, length]:
                runs[-1][4] += 1
                runs[-1][6] += entry
            else:
                runs.append([kind, codec, length, slot, 1, place, entry])
            slot += 1
    record = b"MAPB" + struct.pack("<IQ", 0, len(runs))
    for kind, codec, length, first, count, place, entries in runs:
        record += struct.pack("<BBHIQQQ", kind, codec, 0, length, first, count, place) + entries
    return record


def write_container(path, datasets, now):
    version = VersionId(JOB, RUN, 1, 1, 1)
    scratch = path + ".new"
    with open(scratch, "wb+") as file:
        file.seek(START)
        record = write_blocks(datasets, file)
        record_pointer = pointer(file.tell(), record)
        file.write(record)
        catalog = catalog_of(datasets)
        catalog_pointer = pointer(file.tell(), catalog)
        file.write(catalog)
        entry = version_fields(version, datasets, file.tell() - START, now) + field(5, number(4, 0)) + field(6, catalog_pointer)
        root = b"ROOT" + part(
            field(1, b"")
            + field(2, struct.pack("<III", 1, 0, 1) + lineage_of(1, now))
            + field(3, struct.pack("<II", 1, 0) + record_pointer)
            + field(4, part(entry)))
        root_pointer = pointer(file.tell(), root)
        file.write(root)
        end, identity = file.tell(), os.urandom(16)
        for sequence in (0, 1):
            superblock = (b"\x89CAIRN\r\n" + number(4, ORDER) + number(4, 2) + identity
                          + struct.pack("<QQQ", sequence, 1, version.sequence) + root_pointer + number(8, end))
            file.seek(sequence * 4096)
            file.write(superblock + xxh3(superblock))
        file.flush()
        os.fsync(file.fileno())
    os.rename(scratch, path)


# ---------------------------------------------------------------------------------------------------------------------
# A shared directory
# ---------------------------------------------------------------------------------------------------------------------

def v(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def sealed(kind, fields):
    record = kind + part(fields)
    return record + xxh3(record)


def beginning(letter, version, token, group, now):
    preamble = sealed(b"PREA", field(1, lineage_of(version.ranks, now)) + field(2, b""))
    header = (b"\x89CAIRN" + letter + b"\n" + number(4, ORDER) + number(4, 2) + version.packed()
              + struct.pack("<IIIQ", token, group, len(preamble), now))
    return header + xxh3(header) + preamble


def reference(name, size, live, checksum):
    return part(field(1, name.encode()) + field(2, number(8, size)) + field(3, number(8, live)) + field(4, checksum))


def write_new(directory, name, data):
    with open(os.path.join(directory, name), "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def write_segment(directory, version, rank, datasets, now):
    """The segment of a group of one rank; the answer is its name, size, live bytes and checksum of the footer."""
    name = "seg-%s-%08x-g%d.cairn-seg" % (version.named(), TOKEN, rank)
    data = start = beginning(b"S", version, TOKEN, rank, now)
    runs, count = b"", 0
    for d, content in datasets:
        for length, kind, codec, stored, digest in blocks(d, content):
            count += 1
            if kind == ZERO:
                runs += b"\3" + v(1) + v(length) + digest
            elif kind == RAW:
                runs += b"\1" + v(1) + v(0) + v(len(data)) + v(0) + v(length) + v(length) + digest
            else:
                runs += b"\2" + v(1) + v(0) + v(len(data)) + v(codec) + v(length) + digest + v(len(stored))
            data += stored
    live = len(data) - len(start)
    root = root_bytes(root_digest(datasets))
    head = b"HEAD" + number(4, 0) + part(version_fields(version, datasets, live, now)) + catalog_of(datasets)
    index = sealed(
        b"MIDX",
        field(1, number(4, rank)) + field(2, part(name.encode()) if live else b"") + field(3, head)
        + field(4, number(4, count)) + field(5, runs) + field(6, root) + field(7, number(8, now)))
    member = part(
        field(1, number(4, rank)) + field(2, number(8, len(data))) + field(3, number(8, len(index)))
        + field(4, index[-16:]) + field(5, root) + field(6, number(8, now)))
    data += index
    footer = sealed(
        b"FOOT", field(1, member) + field(2, reference(name, 0, live, bytes(16))) + field(3, xxh3(start)))
    tail = struct.pack("<QQ", len(data), len(data) + len(footer) + 40)
    data += footer + tail + xxh3(tail) + b"\x89CAIRNS\n"
    write_new(directory, name, data)
    return name, len(data), live, footer[-16:]


def write_shared(directory, states, now):
    version = VersionId(JOB, RUN, 1, 1, len(states))
    groups = references = b""
    for rank, datasets in enumerate(states):
        segment = write_segment(directory, version, rank, datasets, now)
        groups += part(field(1, number(4, rank)) + field(2, segment[0].encode()) + field(3, number(4, rank))
                       + field(4, root_bytes(root_digest(datasets))))
        references += reference(*segment)
    manifest = beginning(b"M", version, 0, 0, now)
    manifest += b"MANI" + part(field(1, groups) + field(2, references) + field(3, number(8, now)))
    write_new(directory, "manifest-" + version.named(), manifest + xxh3(manifest))


def main(arguments):
    now = int(time.time() * 1000)
    if arguments[0] == "--shared":
        states = [sample(), zeros(sample())]
        write_shared(arguments[1], states, now)
    else:
        states = [sample()]
        write_container(arguments[0], states[0], now)
    for state in states:
        print(show_root(root_digest(state)))


if __name__ == "__main__":
    main(sys.argv[1:])
