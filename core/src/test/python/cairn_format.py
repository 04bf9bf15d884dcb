# SPDX-License-Identifier: Apache-2.0
"""What reader and writer of Cairn's files share: numbers, checksums, digests, fields, codecs.

Written from docs/format/container.md and docs/format/segment.md, and XXH3 from its published specification
(https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), without a look at any code of Cairn. Nothing but the
standard library is needed. Slow, and meant to be: it is there to be compared with.
"""

import ctypes
import ctypes.util
import hashlib
import struct
import subprocess
import zlib

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1
M128 = (1 << 128) - 1


class Damage(Exception):
    """The bytes are not what the page says."""


class Refused(Exception):
    """The bytes may be right, but this program must not read them."""


class Undecoded(Exception):
    """The bytes may be right, but this program lacks the codec."""


def need(condition, message):
    if not condition:
        raise Damage(message)


# ---------------------------------------------------------------------------------------------------------------------
# XXH3-128 with seed 0 and the default secret
# ---------------------------------------------------------------------------------------------------------------------

P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def _secret(offset, count):
    return struct.unpack_from("<%dQ" % count, SECRET, offset)


def _avalanche(x):
    x ^= x >> 37
    x = x * MX1 & M64
    return x ^ x >> 32


def _avalanche64(x):
    x ^= x >> 33
    x = x * P64_2 & M64
    x ^= x >> 29
    x = x * P64_3 & M64
    return x ^ x >> 32


def _swap32(x):
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def _swap64(x):
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def _fold(x):
    return (x & M64) ^ (x >> 64)


def _small(data):
    n = len(data)
    if n == 0:
        s = _secret(64, 4)
        return _avalanche64(s[0] ^ s[1]), _avalanche64(s[2] ^ s[3])
    if n <= 3:
        combined = data[-1] | n << 8 | data[0] << 16 | data[n >> 1] << 24
        s = struct.unpack_from("<4I", SECRET, 0)
        swapped = _swap32(combined)
        rotated = (swapped << 13 | swapped >> 19) & M32
        return _avalanche64(s[0] ^ s[1] ^ combined), _avalanche64(s[2] ^ s[3] ^ rotated)
    if n <= 8:
        first, = struct.unpack_from("<I", data, 0)
        last, = struct.unpack_from("<I", data, n - 4)
        s = _secret(16, 2)
        product = (s[0] ^ s[1] ^ (first | last << 32)) * (P64_1 + (n << 2))
        low, high = product & M64, product >> 64
        high = (high + (low << 1)) & M64
        low ^= high >> 3
        low ^= low >> 35
        low = low * MX2 & M64
        low ^= low >> 28
        return low, _avalanche(high)
    first, = struct.unpack_from("<Q", data, 0)
    last, = struct.unpack_from("<Q", data, n - 8)
    s = _secret(32, 4)
    one = s[0] ^ s[1] ^ first ^ last
    two = s[2] ^ s[3] ^ last
    product = one * P64_1
    low = ((product & M64) + ((n - 1) << 54)) & M64
    high = ((product >> 64) + two + (two & M32) * (P32_2 - 1)) & M64
    low ^= _swap64(high)
    product = low * P64_2
    low = product & M64
    high = ((product >> 64) + high * P64_2) & M64
    return _avalanche(low), _avalanche(high)


def _medium(data):
    n = len(data)
    acc = [n * P64_1 & M64, 0]

    def step(a, b, at):
        s = _secret(at, 2)
        return _fold((a ^ s[0]) * (b ^ s[1]))

    def two(i, j, at):
        a = struct.unpack_from("<2Q", data, i)
        b = struct.unpack_from("<2Q", data, j)
        acc[0] = (acc[0] + step(a[0], a[1], at) & M64) ^ (b[0] + b[1] & M64)
        acc[1] = (acc[1] + step(b[0], b[1], at + 16) & M64) ^ (a[0] + a[1] & M64)

    if n <= 128:
        for i in range((n - 1) >> 5, -1, -1):
            two(i * 16, n - i * 16 - 16, i * 32)
    else:
        for i in range(4):
            two(i * 32, i * 32 + 16, i * 32)
        acc = [_avalanche(acc[0]), _avalanche(acc[1])]
        for i in range(4, n >> 5):
            two(i * 32, i * 32 + 16, (i - 4) * 32 + 3)
        two(n - 16, n - 32, 103)
    low = (acc[0] + acc[1]) & M64
    high = (acc[0] * P64_1 + acc[1] * P64_4 + n * P64_2) & M64
    return _avalanche(low), -_avalanche(high) & M64


_STRIPE_SECRETS = [_secret(i * 8, 8) for i in range(16)]
_LAST_SECRET = _secret(192 - 71, 8)
_SCRAMBLE_SECRET = _secret(192 - 64, 8)


def _large(data):
    n = len(data)
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]

    def accumulate(at, secret):
        stripe = struct.unpack_from("<8Q", data, at)
        for i in range(8):
            value = stripe[i] ^ secret[i]
            acc[i ^ 1] += stripe[i]
            acc[i] += (value & M32) * (value >> 32)

    rounds = (n - 1) // 1024
    for r in range(rounds):
        for i in range(16):
            accumulate(r * 1024 + i * 64, _STRIPE_SECRETS[i])
        for i in range(8):
            a = acc[i] & M64
            acc[i] = (a ^ a >> 47 ^ _SCRAMBLE_SECRET[i]) * P32_1 & M64
    start = rounds * 1024
    for i in range((n - start - 1) // 64):
        accumulate(start + i * 64, _STRIPE_SECRETS[i])
    accumulate(n - 64, _LAST_SECRET)

    def merge(result, at):
        s = _secret(at, 8)
        for i in range(0, 8, 2):
            result += _fold((acc[i] & M64 ^ s[i]) * (acc[i + 1] & M64 ^ s[i + 1]))
        return _avalanche(result & M64)

    return merge(n * P64_1 & M64, 11), merge(~(n * P64_2) & M64, 192 - 75)


def xxh3_halves(data):
    """Low and high half of XXH3-128."""
    if len(data) <= 16:
        return _small(data)
    if len(data) <= 240:
        return _medium(data)
    return _large(data)


def xxh3(data):
    """XXH3-128 as the 16 bytes that files hold: low half first."""
    return struct.pack("<QQ", *xxh3_halves(data))


# ---------------------------------------------------------------------------------------------------------------------
# The other digests
# ---------------------------------------------------------------------------------------------------------------------

def _crc32c_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


_CRC32C = _crc32c_table()


def crc32c(data):
    crc = M32
    for b in data:
        crc = _CRC32C[(crc ^ b) & 0xFF] ^ crc >> 8
    return crc ^ M32


def fletcher(data, modulus):
    if len(data) % 2:
        data = data + b"\0"
    first = second = 0
    for word, in struct.iter_unpack("<H", data):
        first = (first + word) % modulus
        second = (second + first) % modulus
    return (second << 16) + first


def rotating_xor(data):
    data = data + bytes(-len(data) % 8)
    h = 0
    for word, in struct.iter_unpack("<Q", data):
        h = ((h << 1 | h >> 63) & M64) ^ word
    return h


def _turn(word, bits):
    return (word << bits | word >> 64 - bits) & M64


def _spooky_short(data):
    a, b, c, d = 0, 0, SPOOKY, SPOOKY
    whole = len(data) // 16 * 16
    for n, (first, second) in enumerate(struct.iter_unpack("<QQ", data[:whole])):
        if n % 2:
            a, b = a + first & M64, b + second & M64
            continue
        c, d = c + first & M64, d + second & M64
        for bits in (50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36):
            # One step, and the words change places: after twelve each is where it was.
            c = _turn(c, bits) + d & M64
            a ^= c
            a, b, c, d = b, c, d, a
    rest = data[whole:]
    first, second = struct.unpack("<QQ", rest + bytes(16 - len(rest))) if rest else (SPOOKY, SPOOKY)
    c, d = c + first & M64, d + second + (len(data) << 56) & M64
    for bits in (15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63):
        d ^= c
        c = _turn(c, bits)
        d = d + c & M64
        a, b, c, d = b, c, d, a
    return struct.pack("<QQ", b, c)


def _spooky_long(data):
    s = [0, 0, SPOOKY] * 4
    whole = len(data) // 96 * 96
    for words in struct.iter_unpack("<12Q", data[:whole]):
        for i, bits in enumerate((11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46)):
            s[i] = s[i] + words[i] & M64
            s[(i + 2) % 12] ^= s[i - 2]
            s[i - 1] ^= s[i]
            s[i] = _turn(s[i], bits)
            s[i - 1] = s[i - 1] + s[(i + 1) % 12] & M64
    rest = data[whole:]
    words = struct.unpack("<12Q", rest + bytes(95 - len(rest)) + bytes([len(rest)]))
    s = [one + word & M64 for one, word in zip(s, words)]
    for _ in range(3):
        for i, bits in enumerate((44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54)):
            after = (i + 1) % 12
            s[i - 1] = s[i - 1] + s[after] & M64
            s[(i + 2) % 12] ^= s[i - 1]
            s[after] = _turn(s[after], bits)
    return struct.pack("<QQ", s[0], s[1])


SPOOKY = 0xDEADBEEFDEADBEEF


def spooky(data):
    """SpookyHash V2 with 128 bits and both seeds 0."""
    return _spooky_short(data) if len(data) < 192 else _spooky_long(data)


def _low(number):
    return struct.pack("<QQ", number, 0)


DIGESTS = {
    1: xxh3,
    2: lambda data: _low(zlib.crc32(data)),
    3: lambda data: _low(crc32c(data)),
    4: lambda data: hashlib.md5(data, usedforsecurity=False).digest(),
    5: lambda data: hashlib.sha256(data).digest()[:16],
    6: lambda data: _low(zlib.adler32(data)),
    7: lambda data: _low(fletcher(data, 65535)),
    8: lambda data: _low(fletcher(data, 65536)),
    9: lambda data: _low(rotating_xor(data)),
    10: spooky,
}

ALGORITHMS = {1: "xxh3-128", 2: "crc32", 3: "crc32c", 4: "md5", 5: "sha-256", 6: "adler-32",
              7: "fletcher-32-mod-65535", 8: "fletcher-32-mod-65536", 9: "rotating-xor", 10: "spooky-128"}

TYPES = {1: ("byte", 1), 2: ("boolean", 1), 3: ("char", 2), 4: ("short", 2), 5: ("int", 4), 6: ("long", 8),
         7: ("float", 4), 8: ("double", 8), 9: ("opaque", 1)}


# ---------------------------------------------------------------------------------------------------------------------
# The root digest
# ---------------------------------------------------------------------------------------------------------------------

def _mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return x ^ x >> 31


class Dataset:
    """Name and layout of one dataset, and its terms of the root digest."""

    def __init__(self, name, kind, algorithm, codec, block_size, extents, byte_length, critical=b""):
        self.name, self.kind, self.algorithm, self.codec = name, kind, algorithm, codec
        self.block_size, self.extents, self.byte_length = block_size, extents, byte_length
        self.critical = critical
        text = name.encode("utf-8")
        self._klow, self._khigh = xxh3_halves(struct.pack("<II", block_size, algorithm) + text)

    def blocks(self):
        return -(-self.byte_length // self.block_size)

    def length_of(self, block):
        return min(self.block_size, self.byte_length - block * self.block_size)

    def digest(self, plain):
        return DIGESTS[self.algorithm](plain)

    def term(self):
        text = self.name.encode("utf-8")
        data = struct.pack("<IIIIQ", self.kind, self.algorithm, self.block_size, len(self.extents), self.byte_length)
        data += struct.pack("<%dQ" % len(self.extents), *self.extents)
        data += struct.pack("<I", len(text)) + text + self.critical
        low, high = xxh3_halves(data)
        return high << 64 | low

    def block_term(self, block, digest):
        low, high = struct.unpack("<QQ", digest)
        p = (block + 1) * 0x9E3779B97F4A7C15 & M64
        a = _mix(low ^ _mix(self._klow + p & M64))
        top = _mix((high ^ _mix(self._khigh + p & M64)) + a & M64)
        return top << 64 | (a + _mix(top) & M64)

    def zeros_term(self, first, count):
        """Of blocks first to first + count - 1, all zero, in closed form."""
        z = _mix(self._khigh) << 64 | (_mix(self._klow) | 1)
        return z * (count * first + count * (count + 1) // 2) & M128


def show_root(number):
    return "%032x" % number


def root_bytes(number):
    return struct.pack("<QQ", number & M64, number >> 64)


# ---------------------------------------------------------------------------------------------------------------------
# Numbers, texts, fields
# ---------------------------------------------------------------------------------------------------------------------

class Cursor:
    """Bytes, read from the front."""

    def __init__(self, data, what):
        self.data, self.at, self.what = data, 0, what

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        need(count <= self.left(), "%s: %d bytes wanted, %d left" % (self.what, count, self.left()))
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

    def count64(self):
        value = self.u64()
        need(value < 1 << 63, "%s: %d is not below 2^63" % (self.what, value))
        return value

    def v(self):
        value = shift = 0
        while True:
            b = self.u8()
            value |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                break
            need(shift < 63, self.what + ": a number of more than 63 bits")
        return value

    def v31(self):
        value = self.v()
        need(value < 1 << 31, self.what + ": a number of more than 31 bits")
        return value

    def text(self):
        return utf8(self.take(self.u32()), self.what)

    def rest(self):
        return self.take(self.left())

    def end(self):
        need(self.left() == 0, "%s: %d bytes too many" % (self.what, self.left()))


def utf8(data, what):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Damage(what + ": not UTF-8") from None


class Fields:
    """Tagged fields: those from 1 to `known`, by tag. What is above may be passed over, unless it must be known."""

    def __init__(self, data, known, what, optional=(), features=None, understood=(), known_features=()):
        self.what, self.by_tag = what, {}
        c = Cursor(data, what)
        last = 0
        while c.left():
            tag, length = c.u16(), c.u32()
            need(tag > last, "%s: tag %d behind tag %d" % (what, tag, last))
            last = tag
            self.by_tag[tag] = c.take(length)
        # Features come first: who must not read the file must not call it damaged either.
        self.features = (
            read_features(self.by_tag[features], what, known_features) if features in self.by_tag else [])
        for tag in self.by_tag:
            if tag >= 0x8000 and tag not in understood:
                raise Refused("%s: field %#x must be known" % (what, tag))
        for tag in range(1, known + 1):
            need(tag in optional or tag in self.by_tag, "%s: field %d is not there" % (what, tag))

    def has(self, tag):
        return tag in self.by_tag

    def raw(self, tag):
        return self.by_tag[tag]

    def cursor(self, tag):
        return Cursor(self.by_tag[tag], "%s, field %d" % (self.what, tag))

    def single(self, tag, read):
        """A field that holds one thing and nothing behind it."""
        c = self.cursor(tag)
        value = read(c)
        c.end()
        return value


def field(tag, data):
    return struct.pack("<HI", tag, len(data)) + data


def part(data):
    return struct.pack("<I", len(data)) + data


class VersionId:
    """Which version of which job."""

    def __init__(self, job, run, epoch, sequence, ranks):
        self.job, self.run, self.epoch, self.sequence, self.ranks = job, run, epoch, sequence, ranks

    def key(self):
        return self.epoch, self.sequence, self.ranks, self.job, self.run

    def packed(self):
        return struct.pack("<QQQQQI", self.job >> 64, self.job & M64, self.run, self.epoch, self.sequence, self.ranks)

    def __eq__(self, other):
        return isinstance(other, VersionId) and self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def __str__(self):
        return "%d.%d@%08x" % (self.epoch, self.sequence, self.run >> 32)

    def named(self):
        return "%032x-%016x-%d.%d-r%d" % (self.job, self.run, self.epoch, self.sequence, self.ranks)


def read_job(c):
    high = c.u64()
    return high << 64 | c.u64()


def read_version_id(c):
    job, run = read_job(c), c.u64()
    return VersionId(job, run, c.count64(), c.count64(), c.u32())


class Lineage:
    """Job, its name, its runs."""

    def __init__(self, data, what):
        f = Fields(data, 3, what)
        self.job = f.single(1, read_job)
        self.name = utf8(f.raw(2), what)
        self.runs = []
        c = f.cursor(3)
        while c.left():
            r = Fields(c.take(c.u32()), 7, what + ", run", optional=(4, 7))
            run = {"run": r.single(1, Cursor.u64), "began": r.single(2, Cursor.count64), "ranks": r.single(3, Cursor.u32),
                   "continues": r.single(4, read_version_id) if r.has(4) else None, "chosen": r.single(5, Cursor.u8),
                   "left": [], "follows": r.single(7, Cursor.u64) if r.has(7) else None}
            left = r.cursor(6)
            while left.left():
                run["left"].append(read_version_id(left))
            need(len(run["left"]) <= 1000, what + ": too many versions left behind")
            self.runs.append(run)
        need(1 <= len(self.runs) <= 1000, what + ": %d runs" % len(self.runs))

    def includes(self, version):
        """Whether the last run took a version, or descends from it."""
        known = {run["run"]: run for run in self.runs}
        run, seen = self.runs[-1], set()
        if version.job != self.job:
            return False
        if version.run == run["run"]:
            return True
        while run is not None and run["run"] not in seen and run["continues"] is not None:
            seen.add(run["run"])
            parent = run["continues"]
            if parent.run == version.run and version.key() <= parent.key():
                return True
            run = known.get(parent.run)
        return False


def read_features(data, what, known=()):
    c = Cursor(data, what + ", features")
    features = []
    while c.left():
        level, name = c.u32(), c.text()
        need(1 <= len(name) <= 128 and all(33 <= ord(x) <= 126 for x in name), what + ": name of a feature")
        features.append((level, name))
        if level >= 2 and name not in known:
            raise Refused("%s: feature %s, which is not known" % (what, name))
    need(len(features) <= 256, what + ": too many features")
    return features


# ---------------------------------------------------------------------------------------------------------------------
# Codecs
# ---------------------------------------------------------------------------------------------------------------------

def lz4(stored, length):
    """The LZ4 block format: sequences of literals and matches, the last one without a match."""
    out = bytearray()
    c = Cursor(stored, "LZ4")

    def more(n):
        if n == 15:
            while True:
                b = c.u8()
                n += b
                if b < 255:
                    break
        return n

    while True:
        token = c.u8()
        out += c.take(more(token >> 4))
        if not c.left():
            break
        offset = c.u16()
        need(0 < offset <= len(out), "LZ4: an offset of %d" % offset)
        n = more(token & 15) + 4
        need(len(out) + n <= length, "LZ4: too long")
        for _ in range(n):
            out.append(out[-offset])
    return bytes(out)


def deflate(stored, length):
    z = zlib.decompressobj(-15)
    try:
        out = z.decompress(stored, length + 1)
    except zlib.error as e:
        raise Damage("deflate: %s" % e) from None
    need(z.eof and not z.unused_data and not z.unconsumed_tail, "deflate: does not end with the last stored byte")
    return out


def zstd(stored, length):
    """By whatever is there: few releases of Python bring Zstandard with them."""
    for way in (zstd_by_module, zstd_by_library, zstd_by_command):
        out = way(stored, length)
        if out is not None:
            return out
    raise Undecoded("there is neither a module zstandard, nor libzstd, nor a command zstd")


def zstd_by_module(stored, length):
    try:
        import zstandard
    except ImportError:
        return None
    decoder = zstandard.ZstdDecompressor().decompressobj()
    try:
        out = decoder.decompress(stored)
    except zstandard.ZstdError:
        raise Damage("Zstandard: a frame that cannot be expanded") from None
    need(decoder.eof and not decoder.unused_data, "Zstandard: a frame that does not end with the last stored byte")
    return out


def zstd_by_command(stored, length):
    try:
        done = subprocess.run(["zstd", "-dcq"], input=stored, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    need(done.returncode == 0, "Zstandard: a frame that cannot be expanded")
    return done.stdout


def zstd_by_library(stored, length):
    try:
        library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    except OSError:
        return None
    for name, result, arguments in (
            ("ZSTD_isError", ctypes.c_uint, [ctypes.c_size_t]),
            ("ZSTD_findFrameCompressedSize", ctypes.c_size_t, [ctypes.c_char_p, ctypes.c_size_t]),
            ("ZSTD_decompress", ctypes.c_size_t,
             [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t])):
        getattr(library, name).restype, getattr(library, name).argtypes = result, arguments
    need(library.ZSTD_findFrameCompressedSize(stored, len(stored)) == len(stored),
         "Zstandard: a frame that does not end with the last stored byte")
    out = ctypes.create_string_buffer(length)
    found = library.ZSTD_decompress(out, length, stored, len(stored))
    need(not library.ZSTD_isError(found), "Zstandard: a frame that cannot be expanded")
    return out.raw[:found]


CODECS = {1: lz4, 2: zstd, 3: deflate}
CODEC_NAMES = {0: "none", 1: "lz4", 2: "zstd", 3: "deflate"}


def expand(codec, stored, length):
    if codec not in CODECS:
        raise Damage("codec %d" % codec)
    out = CODECS[codec](stored, length)
    need(len(out) == length, "a block expands to %d bytes, not %d" % (len(out), length))
    return out
