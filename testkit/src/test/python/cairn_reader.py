#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads Cairn containers of format version 2, written from docs/format/container.md alone.

Nothing of Cairn's code is used, and nothing but the standard library: if this program and Cairn
agree, the page is complete. It verifies every checksum, computes root digests, verifies the
digests of blocks, and extracts datasets.

    cairn_reader.py FILE                         describe and verify all
    cairn_reader.py FILE --extract NAME OUTPUT   the bytes of a dataset of the newest version
    cairn_reader.py --xxh3 FILE                  XXH3-128 of a file, for tests
"""
import hashlib
import struct
import sys
import zlib

MASK = (1 << 64) - 1
MASK128 = (1 << 128) - 1


class Damage(Exception):
    """The file is not what the page says."""


class Unsupported(Exception):
    """The file is of another format, or has features that this program does not know."""


# ---------------------------------------------------------------- XXH3-128, as published

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def key(at):
    return u64(SECRET, at)


def avalanche(h):
    h = ((h ^ h >> 37) * MX1) & MASK
    return h ^ h >> 32


def old_avalanche(h):
    h = ((h ^ h >> 33) * P64_2) & MASK
    h = ((h ^ h >> 29) * P64_3) & MASK
    return h ^ h >> 32


def fold(a, b):
    product = a * b
    return (product & MASK) ^ product >> 64


def xxh3(data):
    """The digest as (low, high)."""
    n = len(data)
    if n > 240:
        return xxh3_long(data)
    if n > 16:
        return xxh3_mixed(data)
    if n > 8:
        first, last = u64(data, 0), u64(data, n - 8)
        product = (first ^ last ^ key(32) ^ key(40)) * P64_1
        low = (product + ((n - 1) << 54)) & MASK
        flipped = last ^ key(48) ^ key(56)
        high = ((product >> 64) + flipped + (flipped & 0xFFFFFFFF) * (P32_2 - 1)) & MASK
        low ^= int.from_bytes(high.to_bytes(8, "little"), "big")
        product = low * P64_2
        return avalanche(product & MASK), avalanche(((product >> 64) + high * P64_2) & MASK)
    if n > 3:
        keyed = (u32(data, 0) | u32(data, n - 4) << 32) ^ key(16) ^ key(24)
        product = keyed * (P64_1 + (n << 2))
        low, high = product & MASK, product >> 64
        high = (high + (low << 1)) & MASK
        low ^= high >> 3
        low = ((low ^ low >> 35) * MX2) & MASK
        return low ^ low >> 28, avalanche(high)
    if n > 0:
        low = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        turned = int.from_bytes(low.to_bytes(4, "little"), "big")
        high = (turned << 13 | turned >> 19) & 0xFFFFFFFF
        return (old_avalanche(low ^ u32(SECRET, 0) ^ u32(SECRET, 4)),
                old_avalanche(high ^ u32(SECRET, 8) ^ u32(SECRET, 12)))
    return old_avalanche(key(64) ^ key(72)), old_avalanche(key(80) ^ key(88))


def xxh3_mixed(data):
    n = len(data)
    low, high = (n * P64_1) & MASK, 0

    def mix(low, high, p, q, at):
        p0, p1, q0, q1 = u64(data, p), u64(data, p + 8), u64(data, q), u64(data, q + 8)
        low = (low + fold(p0 ^ key(at), p1 ^ key(at + 8))) & MASK
        high = (high + fold(q0 ^ key(at + 16), q1 ^ key(at + 24))) & MASK
        return low ^ ((q0 + q1) & MASK), high ^ ((p0 + p1) & MASK)

    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            low, high = mix(low, high, 16 * i, n - 16 * (i + 1), 32 * i)
    else:
        for i in range(4):
            low, high = mix(low, high, 32 * i, 32 * i + 16, 32 * i)
        low, high = avalanche(low), avalanche(high)
        for i in range(4, n // 32):
            low, high = mix(low, high, 32 * i, 32 * i + 16, 3 + 32 * (i - 4))
        low, high = mix(low, high, n - 16, n - 32, 136 - 17 - 16)
    mixed = (low * P64_1 + high * P64_4 + n * P64_2) & MASK
    return avalanche((low + high) & MASK), -avalanche(mixed) & MASK


def xxh3_long(data):
    n = len(data)
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    secrets = [struct.unpack_from("<8Q", SECRET, 8 * i) for i in range(16)]
    scramble = struct.unpack_from("<8Q", SECRET, 128)

    def absorb(words, secret):
        for i in range(8):
            keyed = words[i] ^ secret[i]
            acc[i] = (acc[i] + (keyed & 0xFFFFFFFF) * (keyed >> 32)) & MASK
            acc[i ^ 1] = (acc[i ^ 1] + words[i]) & MASK

    for stripe in range((n - 1) // 64):
        absorb(struct.unpack_from("<8Q", data, 64 * stripe), secrets[stripe % 16])
        if stripe % 16 == 15:
            for i in range(8):
                acc[i] = ((acc[i] ^ acc[i] >> 47 ^ scramble[i]) * P32_1) & MASK
    absorb(struct.unpack_from("<8Q", data, n - 64), struct.unpack_from("<8Q", SECRET, 121))

    def merge(at, start):
        total = start
        for i in range(0, 8, 2):
            total += fold(acc[i] ^ key(at + 8 * i), acc[i + 1] ^ key(at + 8 * i + 8))
        return avalanche(total & MASK)

    return merge(11, (n * P64_1) & MASK), merge(117, ~(n * P64_2) & MASK)


# ---------------------------------------------------------------- digests of blocks

def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def fletcher(data, modulus):
    first = second = 0
    padded = data + b"\0" * (len(data) % 2)
    for (word,) in struct.iter_unpack("<H", padded):
        first = (first + word) % modulus
        second = (second + first) % modulus
    return second << 16 | first


def rotating_xor(data):
    value = 0
    for (word,) in struct.iter_unpack("<Q", data + b"\0" * (-len(data) % 8)):
        value = ((value << 1 | value >> 63) & MASK) ^ word
    return value


def first_128(digest):
    return u64(digest, 0), u64(digest, 8)


ALGORITHMS = {
    1: ("xxh3-128", xxh3),
    2: ("crc32", lambda data: (zlib.crc32(data), 0)),
    3: ("crc32c", lambda data: (crc32c(data), 0)),
    4: ("md5", lambda data: first_128(hashlib.md5(data).digest())),
    5: ("sha-256", lambda data: first_128(hashlib.sha256(data).digest())),
    6: ("adler-32", lambda data: (zlib.adler32(data), 0)),
    7: ("fletcher-32-mod-65535", lambda data: (fletcher(data, 65535), 0)),
    8: ("fletcher-32-mod-65536", lambda data: (fletcher(data, 65536), 0)),
    9: ("rotating-xor", lambda data: (rotating_xor(data), 0)),
}
CODECS = {0: "none", 1: "lz4", 2: "zstd", 3: "deflate"}
TYPES = {1: "byte", 2: "boolean", 3: "char", 4: "short", 5: "int", 6: "long", 7: "float",
         8: "double", 9: "opaque"}


# ---------------------------------------------------------------- records

class Record:
    """Bytes that are read from front to back and never beyond."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        if count > self.left():
            raise Damage("a record ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def u8(self):
        return self.number(1)

    def u16(self):
        return self.number(2)

    def u32(self):
        return self.number(4)

    def u64(self):
        return self.number(8)

    def counted(self):
        return self.take(self.u32())

    def end(self):
        if self.left():
            raise Damage("%d bytes too many in a record" % self.left())


def fields(data, known):
    record, found, before = Record(data), {}, 0
    while record.left():
        tag = record.u16()
        if tag <= before:
            raise Damage("field %04x after field %04x" % (tag, before))
        before = tag
        found[tag] = record.counted()
        if tag >= 0x8000 and tag not in known:
            raise Unsupported("field %04x must be known" % tag)
    return found


def version_id(record):
    job = "%016x%016x" % (record.u64(), record.u64())
    run = "%016x" % record.u64()
    return {"job": job, "run": run, "epoch": record.u64(), "sequence": record.u64(),
            "ranks": record.u32()}


def name_of(version):
    return "%d.%d@%s" % (version["epoch"], version["sequence"], version["run"][:8])


def pointer(record):
    return record.u64(), record.u64(), (record.u64(), record.u64())


# ---------------------------------------------------------------- the root digest

def mix(x):
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def dataset_term(dataset):
    name = dataset["name"].encode()
    record = struct.pack("<IIIIQ", dataset["type"], dataset["algorithm"], dataset["block_size"],
                         len(dataset["shape"]), dataset["byte_length"])
    record += b"".join(struct.pack("<Q", extent) for extent in dataset["shape"])
    low, high = xxh3(record + struct.pack("<I", len(name)) + name)
    return high << 64 | low


def root_digest(datasets, block_of):
    """block_of(dataset, i) is None for zeros, or the digest as (low, high)."""
    total = 0
    for dataset in datasets:
        total += dataset_term(dataset)
        low, high = xxh3(struct.pack("<II", dataset["block_size"], dataset["algorithm"])
                         + dataset["name"].encode())
        zero = mix(high) << 64 | mix(low) | 1
        for i in range(len(dataset["slots"])):
            digest = block_of(dataset, i)
            if digest is None:
                total += (i + 1) * zero
                continue
            p = (i + 1) * 0x9E3779B97F4A7C15
            a = mix(digest[0] ^ mix((low + p) & MASK))
            b = mix(((digest[1] ^ mix((high + p) & MASK)) + a) & MASK)
            total += b << 64 | (a + mix(b)) & MASK
    return total & MASK128


# ---------------------------------------------------------------- the file

class Container:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.file = file.read()
        self.superblock, self.problems = self.newest_superblock()
        self.read_root()

    def newest_superblock(self):
        found, problems, unsupported = [], [], []
        for slot in range(2):
            raw = self.file[4096 * slot:4096 * slot + 112]
            try:
                found.append(self.parse_superblock(raw))
            except Damage as damage:
                problems.append("superblock %d: %s" % (slot, damage))
            except Unsupported as reason:
                unsupported.append(reason)
        if unsupported:
            raise unsupported[0]
        if not found:
            raise Damage("; ".join(problems))
        found.sort(key=lambda one: -one["sequence"])
        for superblock in found:
            try:
                self.extent(superblock["root"], 8 << 20)
                return superblock, problems
            except Damage as damage:
                problems.append("root: %s" % damage)
        raise Damage("; ".join(problems))

    @staticmethod
    def parse_superblock(raw):
        if len(raw) < 112:
            raise Damage("the file is cut off")
        if raw[:8] != b"\x89CAIRN\r\n":
            raise Damage("not a container")
        if xxh3(raw[:96]) != (u64(raw, 96), u64(raw, 104)):
            raise Damage("its checksum does not hold")
        order, version = u32(raw, 8), u32(raw, 12)
        if version != 2:
            raise Unsupported("format version %d" % version)
        record = Record(raw[16:96])
        identity = record.take(16)
        found = {"id": identity, "sequence": record.u64(), "epoch": record.u64(),
                 "last_sequence": record.u64(), "root": pointer(record), "end": record.u64(),
                 "order": {0x0A0B0C0D: "little", 0x0D0C0B0A: "big"}.get(order)}
        if found["order"] is None:
            raise Damage("byte order mark %08x" % order)
        return found

    def extent(self, place, limit):
        offset, length, checksum = place
        if length == 0 or length > limit or offset < 8192 or offset + length > len(self.file):
            raise Damage("%d bytes at %d are impossible" % (length, offset))
        data = self.file[offset:offset + length]
        if xxh3(data) != checksum:
            raise Damage("%d bytes at %d have another checksum" % (length, offset))
        return data

    def read_root(self):
        record = Record(self.extent(self.superblock["root"], 8 << 20))
        if record.take(4) != b"ROOT":
            raise Damage("no root")
        root = fields(record.counted(), ())
        record.end()
        self.features = self.read_features(Record(root[1]))
        self.owner = self.read_ownership(Record(root[2]))
        self.records = []
        records = Record(root[3])
        while records.left():
            base = records.u32() != 0
            records.u32()
            self.records.append((base, pointer(records)))
        self.versions = []
        versions = Record(root[4])
        while versions.left():
            self.versions.append(self.read_version(fields(versions.counted(), ())))

    @staticmethod
    def read_features(record):
        found = []
        while record.left():
            need, name = record.u32(), record.counted().decode("ascii")
            if need >= 2:
                raise Unsupported('feature "%s" is needed to read the file' % name)
            found.append((name, need))
        return found

    @staticmethod
    def read_ownership(record):
        kind, rank, ranks = record.u32(), record.u32(), record.u32()
        lineage = fields(record.counted(), ())
        record.end()
        job = Record(lineage[1])
        owner = {"kind": {1: "state", 2: "copy", 4: "parity"}.get(kind, str(kind)), "rank": rank,
                 "ranks": ranks, "job": "%016x%016x" % (job.u64(), job.u64()),
                 "name": lineage[2].decode(), "runs": []}
        runs = Record(lineage[3])
        while runs.left():
            run = fields(runs.counted(), ())
            left, behind = Record(run[6]), []
            while left.left():
                behind.append(version_id(left))
            owner["runs"].append({
                "run": "%016x" % Record(run[1]).u64(), "began": Record(run[2]).u64(),
                "ranks": Record(run[3]).u32(), "chosen": Record(run[5]).u8() != 0,
                "continues": version_id(Record(run[4])) if 4 in run else None,
                "left_behind": behind})
        return owner

    @staticmethod
    def read_version(version):
        figures, digest, catalog = Record(version[3]), Record(version[2]), Record(version[6])
        return {"id": version_id(Record(version[1])),
                "digest": digest.u64() | digest.u64() << 64, "taken_at": figures.u64(),
                "protected_bytes": figures.u64(), "blocks": figures.u64(),
                "dirty_blocks": figures.u64(), "bytes_written": figures.u64(),
                "tiers": Record(version[4]).u32(), "last_record": Record(version[5]).u32(),
                "catalog": pointer(catalog)}

    def datasets(self, version):
        record = Record(self.extent(version["catalog"], 16 << 20))
        if record.take(4) != b"CATL":
            raise Damage("no catalog")
        found = []
        for _ in range(record.u32()):
            found.append(self.read_dataset(fields(record.counted(), ())))
        record.end()
        if len({dataset["name"] for dataset in found}) < len(found):
            raise Damage("two datasets of one name")
        return found

    @staticmethod
    def read_dataset(dataset):
        layout, shape, runs, slots = Record(dataset[2]), [], Record(dataset[4]), []
        numbers = Record(dataset[3])
        while numbers.left():
            shape.append(numbers.u64())
        while runs.left():
            first, count = runs.u32(), runs.u32()
            slots.extend(range(first, first + count))
        kind, algorithm, codec, _ = layout.u8(), layout.u8(), layout.u8(), layout.u8()
        found = {"name": dataset[1].decode(), "type": kind, "algorithm": algorithm,
                 "codec": codec, "block_size": layout.u32(), "byte_length": layout.u64(),
                 "shape": shape, "slots": slots}
        if len(slots) != -(-found["byte_length"] // found["block_size"]):
            raise Damage("%d slots for %d bytes" % (len(slots), found["byte_length"]))
        return found

    def map(self, version):
        """Slot → None for zeros, or (offset, stored length, codec, digest)."""
        first = version["last_record"]
        while first > 0 and not self.records[first][0]:
            first -= 1
        slots = {}
        for base, place in self.records[first:version["last_record"] + 1]:
            self.apply(Record(self.extent(place, 1 << 32)), base, slots)
        return slots

    @staticmethod
    def apply(record, base, slots):
        if record.take(4) != (b"MAPB" if base else b"MAPD"):
            raise Damage("no map record")
        record.u32()
        for _ in range(record.u64()):
            kind, codec, _ = record.u8(), record.u8(), record.u16()
            length, slot, count, place = record.u32(), record.u64(), record.u64(), record.u64()
            for i in range(slot, slot + count):
                if kind == 3:
                    slots[i] = None
                elif kind == 4:
                    slots.pop(i, None)
                elif kind in (1, 2):
                    digest = record.u64(), record.u64()
                    stored = length
                    if kind == 2:
                        stored = record.u32()
                        record.u32()
                    slots[i] = (place, stored, codec if kind == 2 else 0, digest)
                    place += stored
                else:
                    raise Damage("a run of kind %d" % kind)
        record.end()

    def block(self, dataset, i, slots):
        """The bytes of a block; None if this program does not have the codec."""
        length = min(dataset["block_size"], dataset["byte_length"] - i * dataset["block_size"])
        entry = slots[dataset["slots"][i]]
        if entry is None:
            return b"\0" * length
        offset, stored, codec, digest = entry
        data = self.file[offset:offset + stored]
        if codec == 3:
            data = zlib.decompress(data, -15)
        elif codec != 0:
            return None
        if len(data) != length:
            raise Damage("block %d of \"%s\" has %d bytes" % (i, dataset["name"], len(data)))
        found = ALGORITHMS[dataset["algorithm"]][1](data)
        if found != digest:
            raise Damage("block %d of \"%s\" has another digest" % (i, dataset["name"]))
        return data

    def verify(self, version):
        """The root digest, and what was found of each dataset."""
        datasets, slots = self.datasets(version), self.map(version)
        for dataset in datasets:
            for slot in dataset["slots"]:
                if slot not in slots:
                    raise Damage("slot %d of \"%s\" is missing" % (slot, dataset["name"]))
        digest = root_digest(
            datasets, lambda dataset, i: (slots[dataset["slots"][i]] or (0, 0, 0, None))[3])
        return digest, datasets, slots


# ---------------------------------------------------------------- the command line

def describe(container):
    owner = container.owner
    print("container %s, epoch %d, data %s-endian" % (
        container.superblock["id"].hex(), container.superblock["epoch"],
        container.superblock["order"]))
    print("%s of rank %d of %d, job %s \"%s\"" % (
        owner["kind"], owner["rank"], owner["ranks"], owner["job"], owner["name"]))
    for run in owner["runs"]:
        continues = run["continues"]
        print("run %s of %d ranks continues %s%s, left behind %s" % (
            run["run"], run["ranks"], name_of(continues) if continues else "nothing",
            " (chosen)" if run["chosen"] else "",
            " ".join(name_of(version) for version in run["left_behind"]) or "nothing"))
    for name, need in container.features:
        print("feature %s, need %d" % (name, need))
    for problem in container.problems:
        print("problem: %s" % problem)
    return sum(describe_version(container, version) for version in reversed(container.versions))


def describe_version(container, version):
    print("version %s root %032x" % (name_of(version["id"]), version["digest"]))
    digest, datasets, slots = container.verify(version)
    damages = 0
    if digest != version["digest"]:
        damages += 1
        print("damage: root digest %032x" % digest)
    for dataset in datasets:
        content, undecoded = hashlib.sha256(), 0
        for i in range(len(dataset["slots"])):
            try:
                data = container.block(dataset, i, slots)
            except (Damage, zlib.error) as damage:
                damages += 1
                print("damage: %s" % damage)
                continue
            if data is None:
                undecoded += 1
            else:
                content.update(data)
        print("  \"%s\" %s%s blocks of %d, %s, codec %s: %s" % (
            dataset["name"], TYPES[dataset["type"]], dataset["shape"], dataset["block_size"],
            ALGORITHMS[dataset["algorithm"]][0], CODECS[dataset["codec"]],
            "%d blocks not decoded" % undecoded if undecoded else content.hexdigest()))
    return damages


def extract(container, name, output):
    version = container.versions[-1]
    _, datasets, slots = container.verify(version)
    dataset = next(one for one in datasets if one["name"] == name)
    with open(output, "wb") as file:
        for i in range(len(dataset["slots"])):
            file.write(container.block(dataset, i, slots))


def main(arguments):
    if arguments[0] == "--xxh3":
        with open(arguments[1], "rb") as file:
            low, high = xxh3(file.read())
        print("%016x%016x" % (high, low))
        return 0
    try:
        container = Container(arguments[0])
        if arguments[1:2] == ["--extract"]:
            extract(container, arguments[2], arguments[3])
            return 0
        return 1 if describe(container) else 0
    except Damage as damage:
        print("damage: %s" % damage)
        return 1
    except Unsupported as reason:
        print("unsupported: %s" % reason)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
