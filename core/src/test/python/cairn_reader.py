#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads Cairn's containers, shared directories and packs, written from docs/format/container.md and segment.md alone.

Nothing of Cairn's code is used, and nothing but the standard library and, for what is compressed, Zstandard in whatever
form is there (a module zstandard, libzstd, or the command zstd): if this program and Cairn agree, the pages are
complete. It verifies every checksum, computes root digests, verifies the digests of blocks, and extracts datasets.

    cairn_reader.py FILE                                   describe and verify a container
    cairn_reader.py FILE --extract NAME OUTPUT             the bytes of a dataset of the newest version
    cairn_reader.py PACK                                   describe and verify a pack, with the SHA-256 of its files
    cairn_reader.py PACK --unpack DIRECTORY                all files of a pack, with modes and times
    cairn_reader.py DIRECTORY                              describe and verify a shared directory
    cairn_reader.py DIRECTORY --records                    without heads and blocks
    cairn_reader.py --frames FILE…                         frames by themselves, right behind what is told of them
    cairn_reader.py DIRECTORY --extract RANK NAME OUTPUT   the bytes of a dataset of the newest version

Exit codes: 0 all is well, 1 damage, 2 not for this program to read.
"""
import bisect
import hashlib
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
from cairn_format import (  # noqa: E402
    ALGORITHMS, CODEC_NAMES, DIGESTS, M128, TYPES, Cursor, Damage, Dataset, Fields, Lineage, Refused, Undecoded, VersionId,
    expand, need, read_job, read_version_id, root_bytes, show_root, utf8, xxh3)
from cairn_frames import FRAMED, LENT, FrameInfo, FrameList, plain_bytes  # noqa: E402

# ---------------------------------------------------------------------------------------------------------------------
# Containers
# ---------------------------------------------------------------------------------------------------------------------

MAGIC = b"\x89CAIRN\r\n"
LITTLE, BIG = 0x0A0B0C0D, 0x0D0C0B0A
OURS, OTHER = (LITTLE, BIG) if sys.byteorder == "little" else (BIG, LITTLE)
START = 8192
RAW, CODED, ZERO, RELEASED = 1, 2, 3, 4


class Run:
    """A run of slots as a map record has it."""

    def __init__(self, kind, codec, block_length, first, count, place, entries):
        self.kind, self.codec, self.block_length = kind, codec, block_length
        self.first, self.count, self.place, self.entries = first, count, place, entries
        if kind == CODED:
            self.offsets = [place]
            for i in range(count):
                self.offsets.append(self.offsets[-1] + self.stored(i))

    def stored(self, i):
        if self.kind == RAW:
            return self.block_length
        return struct.unpack_from("<I", self.entries, i * 24 + 16)[0]

    def offset(self, i):
        return self.offsets[i] if self.kind == CODED else self.place + i * self.block_length

    def digest(self, i):
        size = 24 if self.kind == CODED else 16
        return self.entries[i * size:i * size + 16]


class SlotMap:
    """What is known of each slot: intervals that do not overlap, so that a long run of zeros is one step."""

    def __init__(self):
        self.starts, self.ends, self.runs = [], [], []

    def apply(self, run):
        """What this run says overrides what was said before."""
        first, end = run.first, run.first + run.count
        i = bisect.bisect_right(self.starts, first) - 1
        if i < 0 or self.ends[i] <= first:
            i += 1
        j = bisect.bisect_left(self.starts, end)
        starts, ends, runs = [first], [end], [run]
        if i < j:
            if self.starts[i] < first:
                starts.insert(0, self.starts[i])
                ends.insert(0, first)
                runs.insert(0, self.runs[i])
            if self.ends[j - 1] > end:
                starts.append(end)
                ends.append(self.ends[j - 1])
                runs.append(self.runs[j - 1])
        self.starts[i:j], self.ends[i:j], self.runs[i:j] = starts, ends, runs

    def pieces(self, first, count):
        """(first slot, count, run) of what these slots are made of; run is None where nothing is known."""
        at, end = first, first + count
        while at < end:
            i = bisect.bisect_right(self.starts, at) - 1
            if i < 0 or self.ends[i] <= at:
                upto = self.starts[i + 1] if i + 1 < len(self.starts) else end
                run = None
            else:
                upto, run = self.ends[i], self.runs[i]
            upto = min(upto, end)
            yield at, upto - at, run
            at = upto


class Container:
    """One container file."""

    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")
        self.size = os.fstat(self.file.fileno()).st_size
        self.problems = []
        self._open()

    def at(self, offset, length):
        need(offset + length <= self.size, "%d bytes at %d, but the file has %d" % (length, offset, self.size))
        self.file.seek(offset)
        data = self.file.read(length)
        need(len(data) == length, "the file became shorter")
        return data

    def pointed(self, pointer, limit, what):
        offset, length, checksum = pointer
        need(offset >= START and length <= limit, "%s: %d bytes at %d" % (what, length, offset))
        data = self.at(offset, length)
        need(xxh3(data) == checksum, what + ": its checksum does not hold")
        return data

    def _open(self):
        found = []
        for slot in (0, 1):
            try:
                found.append((slot, self._superblock(slot)))
            except Damage as e:
                self.problems.append("superblock %d: %s" % (slot, e))
        for slot, s in sorted(found, key=lambda x: -x[1]["sequence"]):
            try:
                self._root(s["root"])
            except Damage as e:
                self.problems.append("superblock %d: %s" % (slot, e))
                continue
            self.superblock = s
            return
        raise Damage("; ".join(self.problems))

    def _superblock(self, slot):
        data = self.at(slot * 4096, 112)
        need(data[:8] == MAGIC, "no container")
        need(xxh3(data[:96]) == data[96:], "its checksum does not hold")
        c = Cursor(data, "superblock")
        c.take(8)
        order, version = c.u32(), c.u32()
        if version != 2:
            raise Refused("format version %d" % version)
        if order == OTHER:
            raise Refused("data of the other byte order")
        need(order == OURS, "byte order %#x" % order)
        return {"id": read_job(c), "sequence": c.count64(), "epoch": c.count64(), "last": c.count64(),
                "root": read_pointer(c), "end": c.count64()}

    def _root(self, pointer):
        data = self.pointed(pointer, 8 << 20, "root")
        c = Cursor(data, "root")
        need(c.take(4) == b"ROOT" and c.u32() == c.left(), "root: its head")
        f = Fields(c.rest(), 4, "root", features=1, known_features=(SPOOKY,))
        self.features = f.features
        o = f.cursor(2)
        self.kind, self.rank, self.ranks = o.u32(), o.u32(), o.u32()
        self.lineage = Lineage(o.take(o.u32()), "lineage")
        o.end()
        need(self.kind in (1, 2, 4) and self.rank < self.ranks, "ownership")
        self.records, m = [], f.cursor(3)
        while m.left():
            base = m.u32()
            m.u32()
            need(base <= 1, "a map record that is neither base nor delta")
            self.records.append((base, read_pointer(m)))
        self.versions, v = [], f.cursor(4)
        while v.left():
            self.versions.append(Version(self, v.take(v.u32())))
        need(len(self.versions) <= 4096, "too many versions")
        for a, b in zip(self.versions, self.versions[1:]):
            need(a.id.key() < b.id.key() and a.last_record < b.last_record, "versions that do not ascend")
        places = [p[:2] for _, p in self.records] + list({v.catalog[:2] for v in self.versions})
        places.sort()
        for (a, n), (b, _) in zip(places, places[1:]):
            need(a + n <= b, "records that overlap")


def read_pointer(c):
    return c.count64(), c.count64(), c.take(16)


class Version:
    """One version in a container."""

    def __init__(self, container, data):
        self.container = container
        f = Fields(data, 6, "version")
        self.id = f.single(1, read_version_id)
        need(self.id.epoch < 1 << 62 and self.id.sequence < 1 << 62, "version: epoch or sequence")
        low, high = struct.unpack("<QQ", f.single(2, lambda c: c.take(16)))
        self.root = high << 64 | low
        self.figures = f.single(3, lambda c: [c.count64() for _ in range(5)])
        self.tiers = f.single(4, Cursor.u32)
        self.last_record = f.single(5, Cursor.u32)
        self.catalog = f.single(6, read_pointer)
        need(self.last_record < len(container.records), "version: record %d" % self.last_record)
        self._datasets = self._slots = None

    def datasets(self):
        """The datasets, each with its runs of slots."""
        if self._datasets is None:
            data = self.container.pointed(self.catalog, 16 << 20, "catalog")
            self._datasets = read_catalog(data)
        return self._datasets

    def slots(self):
        if self._slots is None:
            self._slots = self._read_slots()
        return self._slots

    def _read_slots(self):
        first = self.last_record
        while first > 0 and not self.container.records[first][0]:
            first -= 1
        need(self.last_record - first < 256, "too many map records")
        slots = SlotMap()
        for base, pointer in self.container.records[first:self.last_record + 1]:
            for run in read_map_record(self.container.pointed(pointer, 4 << 30, "map record"), base):
                slots.apply(run)
        return slots

    def check(self):
        """Refuses a map that is not the one of this version. Reads no blocks."""
        total, used, places = 0, [], []
        for d in self.datasets():
            total += d.term()
            for block, count, run, inside in blocks_of(d, self.slots()):
                used.append((run.first + inside, count))
                if run.kind == ZERO:
                    total += d.zeros_term(block, count)
                    continue
                for i in range(inside, inside + count):
                    total += d.block_term(block + i - inside, run.digest(i))
                    places.append((run.offset(i), run.stored(i)))
        for what, ranges in (("slots", used), ("places", places)):
            ranges.sort()
            for (a, n), (b, _) in zip(ranges, ranges[1:]):
                need(a + n <= b, what + " that two blocks share")
        need(total & M128 == self.root, "root digest %s" % show_root(total & M128))

    def blocks(self, d):
        """(block, codec, stored bytes or None if it is zero, digest) of all blocks of a dataset."""
        for block, count, run, inside in blocks_of(d, self.slots()):
            for i in range(count):
                if run.kind == ZERO:
                    yield block + i, 0, None, None
                else:
                    at = inside + i
                    yield block + i, run.codec, self.container.at(run.offset(at), run.stored(at)), run.digest(at)


def blocks_of(d, slots):
    """(first block, count, run, place in the run) of what a dataset is made of."""
    block = 0
    for first, count in d.slot_runs:
        for at, n, run in slots.pieces(first, count):
            need(run is not None and run.kind != RELEASED, 'block %d of "%s" is not in the map' % (block, d.name))
            for b in (block, block + n - 1):
                need(run.block_length == d.length_of(b), 'block %d of "%s" has another length' % (b, d.name))
            yield block, n, run, at - run.first
            block += n


def read_catalog(data):
    c = Cursor(data, "catalog")
    need(c.take(4) == b"CATL", "catalog: its head")
    count = c.u32()
    need(count <= 131072, "catalog: too many datasets")
    datasets, names = [], set()
    for _ in range(count):
        f = Fields(c.take(c.u32()), 4, "dataset")
        name = utf8(f.raw(1), "name of a dataset")
        need(len(f.raw(1)) <= 65536 and name not in names, "name of a dataset")
        names.add(name)
        what = 'dataset "%s"' % name
        l = f.cursor(2)
        kind, algorithm, codec, _, block_size, byte_length = l.u8(), l.u8(), l.u8(), l.u8(), l.u32(), l.count64()
        l.end()
        need(kind in TYPES and algorithm in DIGESTS and codec in (0, 1, 2, 3), what + ": unknown layout")
        need(128 <= block_size <= 1 << 20, what + ": block size")
        e, extents, product = f.cursor(3), [], TYPES[kind][1]
        while e.left():
            extents.append(e.count64())
            product *= extents[-1]
        need(len(extents) <= 255 and product == byte_length, what + ": extents")
        d = Dataset(name, kind, algorithm, codec, block_size, extents, byte_length)
        s, d.slot_runs, blocks = f.cursor(4), [], 0
        while s.left():
            first, n = s.u32(), s.u32()
            need(n >= 1 and first + n <= (1 << 31) - 1, what + ": slots")
            d.slot_runs.append((first, n))
            blocks += n
        need(blocks == d.blocks(), what + ": number of slots")
        datasets.append(d)
    c.end()
    return datasets


def read_map_record(data, base):
    c = Cursor(data, "map record")
    need(c.take(4) == (b"MAPB" if base else b"MAPD"), "map record: its head")
    c.u32()
    runs, covered = [], 0
    for _ in range(c.count64()):
        kind, codec = c.u8(), c.u8()
        c.u16()
        length, first, count, place = c.u32(), c.count64(), c.count64(), c.count64()
        covered += count
        need(kind in (RAW, CODED, ZERO, RELEASED), "a run of kind %d" % kind)
        need(count >= 1 and covered <= (1 << 31) - 1 and first + count <= (1 << 31) - 1, "a run of %d slots" % count)
        need((codec != 0) == (kind == CODED) and codec <= 3, "a run with codec %d" % codec)
        need(length == 0 if kind == RELEASED else 1 <= length <= 1 << 20, "a run with blocks of %d bytes" % length)
        need(place >= START if kind in (RAW, CODED) else place == 0, "a run at %d" % place)
        run = Run(kind, codec, length, first, count, place, c.take(count * {RAW: 16, CODED: 24}.get(kind, 0)))
        if kind == CODED:
            need(all(1 <= run.stored(i) < length for i in range(count)), "a stored length")
        runs.append(run)
    c.end()
    return runs

# ---------------------------------------------------------------------------------------------------------------------
# Shared directories
# ---------------------------------------------------------------------------------------------------------------------

EQUAL, VARIED, ZEROS, UNCHANGED = 1, 2, 3, 4
LINK, FRAMED_HEAD = 0x8009, 0x800A
FRAMES = "org.cairn.frames"
SPOOKY = "org.cairn.spooky"
SEGMENT_MAGIC, INDEX_MAGIC, MANIFEST_MAGIC = b"\x89CAIRNS\n", b"\x89CAIRNI\n", b"\x89CAIRNM\n"
IDENTITY = r"([0-9a-f]{32})-([0-9a-f]{16})-(\d+)\.(\d+)-r(\d+)"
MANIFEST = re.compile("manifest-" + IDENTITY + "$")
SEGMENT = re.compile("(?:seg|index)-" + IDENTITY + r"-([0-9a-f]{8})-g(\d+)\.cairn-seg$")


def identity(match):
    job, run, epoch, sequence, ranks = match.groups()[:5]
    return VersionId(int(job, 16), int(run, 16), int(epoch), int(sequence), int(ranks))


def sealed(c, kind):
    """The fields of a sealed record, and its checksum."""
    start = c.at
    need(c.take(4) == kind, "%s: no %s" % (c.what, kind.decode()))
    fields = c.take(c.u32())
    body = c.data[start:c.at]
    checksum = c.take(16)
    need(xxh3(body) == checksum, "%s: the checksum of %s does not hold" % (c.what, kind.decode()))
    return fields, checksum


def read_name(data, what):
    name = utf8(data, what)
    need(1 <= len(name) <= 255 and name not in (".", "..")
         and all(32 <= ord(x) <= 126 and x not in '/\\:*?"<>|' for x in name), what + ": a name")
    return name


class File:
    """A segment or manifest: header and preamble. One that lies under a name of its own is of any version."""

    def __init__(self, directory, name, magic, id=None, token=0, group=0):
        self.name, self.what = name, name
        self.file = open(os.path.join(directory, name), "rb")
        self.size = os.fstat(self.file.fileno()).st_size
        header = self.at(0, 96)
        need(header[:8] == magic, name + ": not ours")
        c = Cursor(header, name)
        c.take(8)
        order, version = c.u32(), c.u32()
        if order == OTHER:
            raise Refused(name + ": written on a machine of the other byte order")
        right = xxh3(header[:80]) == header[80:]
        if right and version != 2:
            raise Refused("%s: format version %d" % (name, version))
        need(right and order == OURS, name + ": its header is damaged")
        self.id = read_version_id(c)
        self.token, self.group, length, self.time = c.u32(), c.u32(), c.u32(), c.count64()
        need(id is None or self.id == id and self.token == token and self.group == group, name + ": is another file")
        need(length <= 16 << 20, name + ": preamble")
        preamble = self.at(96, length)
        self.start = header + preamble
        c = Cursor(preamble, name + ", preamble")
        fields, _ = sealed(c, b"PREA")
        c.end()
        f = Fields(fields, 2, name + ", preamble", features=2, known_features=(FRAMES,))
        c = f.cursor(1)
        self.lineage = Lineage(c.take(c.u32()), name + ", lineage")
        c.end()
        need(self.lineage.includes(self.id), name + ": a version of another lineage")

    def at(self, offset, length):
        need(offset + length <= self.size, "%s: %d bytes at %d, but it has %d" % (self.what, length, offset, self.size))
        self.file.seek(offset)
        data = self.file.read(length)
        need(len(data) == length, self.what + ": became shorter")
        return data


def read_references(c):
    references = {}
    while c.left():
        f = Fields(c.take(c.u32()), 4, c.what + ", reference")
        name = read_name(f.raw(1), c.what)
        need(name not in references, c.what + ": two references to " + name)
        references[name] = (f.single(2, Cursor.count64), f.single(3, Cursor.count64), f.single(4, lambda x: x.take(16)))
    return references


class Segment(File):
    """One segment, with blocks or of indices alone: its footer is read at once, indices and blocks when asked for."""

    def __init__(self, directory, name):
        match = SEGMENT.match(name)
        need(match, name + ": not the name of a segment")
        magic = INDEX_MAGIC if name.startswith("index-") else SEGMENT_MAGIC
        super().__init__(directory, name, magic, identity(match), int(match[6], 16), int(match[7]))
        self._read_end(magic)

    def _read_end(self, magic):
        name = self.name
        tail = self.at(self.size - 40, 40)
        c = Cursor(tail, name + ", tail")
        footer, size = c.count64(), c.count64()
        need(xxh3(tail[:16]) == c.take(16) and c.take(8) == magic, name + ": its tail is damaged")
        need(size == self.size, "%s: has %d bytes, not %d" % (name, self.size, size))
        need(len(self.start) <= footer <= size - 40, name + ": its footer")
        c = Cursor(self.at(footer, size - 40 - footer), name + ", footer")
        fields, self.checksum = sealed(c, b"FOOT")
        c.end()
        f = Fields(fields, 3, name + ", footer")
        need(xxh3(self.start) == f.raw(3), name + ": header or preamble of another segment")
        self.references = read_references(f.cursor(2))
        self.members, c = {}, f.cursor(1)
        while c.left():
            m = Fields(c.take(c.u32()), 7, name + ", member", optional=(7,))
            rank = m.single(1, Cursor.u32)
            need(rank not in self.members and rank < self.id.ranks, name + ": rank %d" % rank)
            self.members[rank] = {
                "offset": m.single(2, Cursor.count64), "length": m.single(3, Cursor.count64),
                "checksum": m.single(4, lambda x: x.take(16)), "root": m.single(5, lambda x: x.take(16)),
                "taken": m.single(6, Cursor.count64), "stamp": m.single(7, Cursor.count64) if m.has(7) else None}
        self.frames = self._frames(f.cursor(4)) if f.has(4) else None
        own = self.references.get(name)
        need(own and own[0] == 0 and own[2] == bytes(16), name + ": does not refer to itself")

    def _frames(self, place):
        offset, length, checksum = place.count64(), place.count64(), place.take(16)
        place.end()
        c = Cursor(self.at(offset, length), self.name + ", frames")
        fields, found = sealed(c, b"FRMS")
        c.end()
        need(found == checksum, c.what + ": another list than the footer says")
        return FrameList(Fields(fields, 1, c.what), self.at)

    def framed(self, address, length):
        need(self.frames is not None, self.name + ": has no frames")
        return self.frames.bytes(address, length, self.name)

    def index(self, rank):
        m = self.members[rank]
        c = Cursor(self.at(m["offset"], m["length"]), "%s, index of rank %d" % (self.name, rank))
        fields, checksum = sealed(c, b"MIDX")
        c.end()
        need(checksum == m["checksum"], c.what + ": another than the footer says")
        return Index(fields, rank, m, c.what)


class Index:
    """Where all blocks of a rank are."""

    def __init__(self, data, rank, member, what):
        f = Fields(data, 8, what, optional=(3, 8), understood=(LINK, FRAMED_HEAD))
        need(f.single(1, Cursor.u32) == rank, what + ": another rank")
        self.number, self.link = 0, None
        if f.has(LINK):
            l = Fields(f.raw(LINK), 3, what + ", link")
            self.number, self.link = l.single(1, Cursor.u32), (read_name(l.raw(2), what), l.single(3, lambda x: x.take(16)))
            need(1 <= self.number <= 63, what + ": number %d" % self.number)
        self.what, self.segments, c = what, [], f.cursor(2)
        while c.left():
            self.segments.append(read_name(c.take(c.u32()), what))
        self.catalog = f.raw(3) if f.has(3) else read_framed(f.cursor(FRAMED_HEAD))
        self.blocks = f.single(4, Cursor.u32)
        self.root = f.single(6, lambda x: x.take(16))
        self.taken = f.single(7, Cursor.count64)
        need(self.root == member["root"] and self.taken == member["taken"], what + ": another than the footer says")
        if f.has(8):
            need(len(f.raw(8)) == 532, what + ": verification")
        self.runs, c = [], f.cursor(5)
        while c.left():
            self.runs.append(IndexRun(c, len(self.segments)))
            need(self.link or self.runs[-1].kind != UNCHANGED, what + ": nothing it could be a change to")
        total = sum(run.count for run in self.runs)
        need(total == self.blocks, what + ": %d blocks, not %d" % (total, self.blocks))

    def live(self):
        """Bytes of blocks in each segment."""
        bytes_in = {name: 0 for name in self.segments}
        for run in self.runs:
            if run.kind not in (ZEROS, UNCHANGED) and not run.is_framed():
                bytes_in[self.segments[run.segment]] += sum(run.lengths)
        return bytes_in


def read_framed(c):
    """A frame by itself, right behind what is told of it."""
    info = FrameInfo(c)
    return plain_bytes(info, c.rest(), c.what)


class IndexRun:
    """Blocks that follow each other in a rank and in a segment, or are all zeros."""

    def __init__(self, c, segments):
        self.kind, self.count = c.u8(), c.v31()
        need(self.kind in (EQUAL, VARIED, ZEROS, UNCHANGED) and self.count >= 1, c.what + ": a run")
        if self.kind == UNCHANGED:
            return
        if self.kind == ZEROS:
            self.block_length = c.v31()
            c.take(16)
            return
        self.segment, offset, self.codec, self.block_length = c.v31(), c.v(), c.v31(), c.v31()
        need(self.segment < segments and (self.codec in CODEC_NAMES or self.is_framed()), c.what + ": a run")
        if self.kind == EQUAL:
            self.lengths = [c.v31()] * self.count
            self.digests = [c.take(16) for _ in range(self.count)]
        else:
            self.lengths, self.digests = [], []
            for _ in range(self.count):
                self.digests.append(c.take(16))
                self.lengths.append(c.v31())
        for n in self.lengths:
            whole = self.codec == 0 or self.is_framed()
            need(n == self.block_length if whole else n <= self.block_length, c.what + ": a stored length")
        self.offsets = []
        for n in self.lengths:
            self.offsets.append(offset)
            offset += n

    def is_framed(self):
        """Then offsets are addresses."""
        return self.codec in (FRAMED, LENT)


class Manifest(File):
    """What makes segments a version."""

    def __init__(self, directory, name):
        match = MANIFEST.match(name)
        need(match, name + ": not the name of a manifest")
        super().__init__(directory, name, MANIFEST_MAGIC, identity(match), 0, 0)
        need(self.size <= 1 << 30, name + ": too long")
        data = self.at(0, self.size)
        need(xxh3(data[:-16]) == data[-16:], name + ": its checksum does not hold")
        c = Cursor(data[len(self.start):-16], name)
        need(c.take(4) == b"MANI" and c.u32() == c.left(), name + ": its head")
        f = Fields(c.rest(), 3, name)
        self.references = read_references(f.cursor(2))
        self.taken = f.single(3, Cursor.count64)
        self.ranks, self.groups, c = {}, {}, f.cursor(1)
        while c.left():
            g = Fields(c.take(c.u32()), 4, name + ", group")
            group, segment = g.single(1, Cursor.u32), read_name(g.raw(2), name)
            need(group not in self.groups, name + ": group %d twice" % group)
            self.groups[group] = segment
            ranks, roots = g.cursor(3), g.cursor(4)
            while ranks.left():
                rank = ranks.u32()
                need(rank not in self.ranks, name + ": rank %d twice" % rank)
                self.ranks[rank] = (segment, roots.take(16))
            roots.end()
        need(sorted(self.ranks) == list(range(self.id.ranks)), name + ": not all ranks")


class SharedDirectory:
    """One shared directory."""

    def __init__(self, path):
        self.path, self.problems, self.versions, self._segments = path, [], [], {}
        for name in sorted(os.listdir(path)):
            if not name.startswith("manifest-"):
                continue
            try:
                self.versions.append(SharedVersion(self, Manifest(path, name)))
            except Damage as e:
                self.problems.append(str(e))
        self.versions.sort(key=lambda v: v.id.key())

    def segment(self, name):
        if name not in self._segments:
            try:
                self._segments[name] = Segment(self.path, name)
            except FileNotFoundError:
                raise Damage(name + ": is not there") from None
        return self._segments[name]


class SharedVersion:
    """A version in a shared directory, from manifest down to blocks."""

    def __init__(self, directory, manifest):
        self.directory, self.manifest, self.id = directory, manifest, manifest.id
        live, latest = {}, 0
        for name, (size, _, checksum) in manifest.references.items():
            segment = directory.segment(name)
            need(segment.size == size and segment.checksum == checksum, name + ": another than the manifest says")
        tokens = set()
        for group, name in manifest.groups.items():
            need(name in manifest.references, name + ": not among the references")
            segment = directory.segment(name)
            need(segment.id == self.id and segment.group == group, name + ": of another version or group")
            tokens.add(segment.token)
            for rank, member in segment.members.items():
                need(manifest.ranks.get(rank) == (name, member["root"]), name + ": rank %d" % rank)
                latest = max(latest, member["taken"])
            for other, (size, bytes_there, checksum) in segment.references.items():
                live[other] = live.get(other, 0) + bytes_there
                if other != name:
                    need(manifest.references.get(other, (None,))[0] == size
                         and manifest.references[other][2] == checksum, other + ": another than %s says" % name)
        need(len(tokens) == 1, "segments of several flushes")
        need(live == {n: r[1] for n, r in manifest.references.items()}, "live bytes are not the sums")
        need(latest == manifest.taken, "time taken is not the latest")

    def rank(self, rank):
        return SharedState(self, rank)


class Told:
    """What an index tells of a rank, and, if it is one of changes, the index that it is a change to."""

    def __init__(self, version, segment, rank, links=0, checksum=None, below=64):
        self.index = version.directory.segment(segment).index(rank)
        need(checksum is None or version.directory.segment(segment).members[rank]["checksum"] == checksum,
             self.index.what + ": not the one of the link")
        need(self.index.number < below and links <= 8, self.index.what + ": number %d, link %d" % (self.index.number, links))
        c = Cursor(self.index.catalog, self.index.what + ", head")
        need(c.take(4) == b"HEAD", c.what + ": none")
        c.u32()
        self.fields = Fields(c.take(c.u32()), 4, c.what)
        self.figures = self.fields.single(3, lambda x: [x.count64() for _ in range(5)])
        need(self.figures[0] == self.index.taken and self.figures[2] == self.index.blocks, c.what + ": other figures")
        self.datasets = read_catalog(c.rest())
        need(sum(d.byte_length for d in self.datasets) == self.figures[1], c.what + ": another size")
        need(sum(d.blocks() for d in self.datasets) == self.index.blocks, c.what + ": another number of blocks")
        self.older = None
        if self.index.link:
            name, checksum = self.index.link
            need(name in version.manifest.references, name + ": not among the references")
            self.older = Told(version, name, rank, links + 1, checksum, self.index.number)

    def pieces(self, wanted, start=0, count=None):
        """(first block, count, run, place in the run, index) of what blocks of a dataset are made of."""
        first = 0
        for d in self.datasets:
            if d is wanted:
                break
            first += d.blocks()
        first, end, at = first + start, first + (wanted.blocks() if count is None else start + count), 0
        for run in self.index.runs:
            low, high = max(at, first), min(at + run.count, end)
            if low < high:
                block = low - first + start
                if run.kind == UNCHANGED:
                    yield from self._unchanged(wanted, block, high - low)
                else:
                    for b in (block, block + high - low - 1):
                        need(run.block_length == wanted.length_of(b), self.index.what + ": length of a block")
                    yield block, high - low, run, low - at, self.index
            at += run.count

    def _unchanged(self, wanted, block, count):
        last = block + count - 1
        for d in self.older.datasets:
            if d.name == wanted.name:
                need(d.block_size == wanted.block_size and d.algorithm == wanted.algorithm and last < d.blocks()
                     and d.length_of(last) == wanted.length_of(last), self.index.what + ": block %d of before" % last)
                yield from self.older.pieces(d, block, count)
                return
        raise Damage('%s: there was no "%s"' % (self.index.what, wanted.name))


class SharedState:
    """What one rank has in a version of a shared directory."""

    def __init__(self, version, rank):
        segment, self.root_bytes = version.manifest.ranks[rank]
        self.directory, self.told = version.directory, Told(version, segment, rank)
        f = self.told.fields
        need(f.single(1, read_version_id) == version.id, f.what + ": of another version")
        need(f.raw(2) == self.root_bytes == self.told.index.root, f.what + ": another root digest")

    def datasets(self):
        return self.told.datasets

    def check(self):
        """Refuses an index that is not of the root digest. Reads no blocks."""
        total = 0
        for d in self.datasets():
            total += d.term()
            for block, count, run, inside, _ in self.told.pieces(d):
                if run.kind == ZEROS:
                    total += d.zeros_term(block, count)
                    continue
                for i in range(count):
                    total += d.block_term(block + i, run.digests[inside + i])
        need(root_bytes(total & M128) == self.root_bytes, "root digest %s" % show_root(total & M128))

    def blocks(self, d):
        """As of a version in a container."""
        for block, count, run, inside, index in self.told.pieces(d):
            for i in range(count):
                if run.kind == ZEROS:
                    yield block + i, 0, None, None
                else:
                    segment = self.directory.segment(index.segments[run.segment])
                    at, n, digest = run.offsets[inside + i], run.lengths[inside + i], run.digests[inside + i]
                    if run.is_framed():
                        yield block + i, 0, segment.framed(at, n), digest
                    else:
                        yield block + i, run.codec, segment.at(at, n), digest


# ---------------------------------------------------------------------------------------------------------------------
# Packs
# ---------------------------------------------------------------------------------------------------------------------

class Pack(Segment):
    """A segment whose members are files, by itself: directory, manifest and version in one."""

    def __init__(self, path):
        File.__init__(self, os.path.dirname(path), os.path.basename(path), SEGMENT_MAGIC)
        self.name = "seg-%032x-%016x-%d.%d-r%d-%08x-g%d.cairn-seg" % (
            self.id.job, self.id.run, self.id.epoch, self.id.sequence, self.id.ranks, self.token, self.group)
        self._read_end(SEGMENT_MAGIC)
        self.directory = self.manifest = self
        self.ranks = {rank: (self.name, member["root"]) for rank, member in self.members.items()}

    def segment(self, name):
        need(name == self.name, "%s: is not in this pack" % name)
        return self

    def files(self):
        return [PackedFile(SharedState(self, rank)) for rank in sorted(self.members)]


class PackedFile:
    """A file in a pack: tiles, each the next bytes of a stream, or a hole."""

    def __init__(self, state):
        self.state = state
        what = state.told.fields.what
        need(state.told.fields.has(16), what + ": a rank, no file")
        f = Fields(state.told.fields.raw(16), 5, what + ", file")
        self.name, self.size, self.mode = f.raw(1), f.single(2, Cursor.count64), f.single(3, Cursor.u32) & 0o777
        self.seconds, self.nanos = f.single(4, lambda c: struct.unpack("<qI", c.take(12)))
        parts = self.name.split(b"/")
        need(len(self.name) <= 4096 and b"\0" not in self.name and not {b"", b".", b".."} & set(parts), what + ": a name")
        self.tiles, c = [], f.cursor(5)
        while c.left():
            self.tiles.append((c.v31(), c.v()))
        datasets = state.datasets()
        need(all(n >= 1 and s <= len(datasets) for s, n in self.tiles), what + ": a tile")
        need(sum(n for _, n in self.tiles) == self.size, what + ": tiles that are not the file")
        for i, d in enumerate(datasets, 1):
            need(sum(n for s, n in self.tiles if s == i) == d.byte_length, '%s: tiles of "%s"' % (what, d.name))

    def show_name(self):
        return "".join(chr(b) if 33 <= b <= 126 and b != 37 else "%%%02X" % b for b in self.name)

    def content(self):
        """All bytes, verified, from the first to the last."""
        self.state.check()
        streams = [Stream(self.state, d) for d in self.state.datasets()]
        for stream, length in self.tiles:
            if stream == 0:
                for at in range(0, length, 1 << 20):
                    yield bytes(min(1 << 20, length - at))
            else:
                yield from streams[stream - 1].next(length)


class Stream:
    """The bytes of a dataset, block by block."""

    def __init__(self, state, d):
        self.blocks = (plain(d, *entry) for entry in state.blocks(d))
        self.open = b""

    def next(self, length):
        while length:
            if not self.open:
                self.open = next(self.blocks)
            some, self.open = self.open[:length], self.open[length:]
            length -= len(some)
            yield some


# ---------------------------------------------------------------------------------------------------------------------
# The command line
# ---------------------------------------------------------------------------------------------------------------------

def plain(d, block, codec, stored, digest):
    """The bytes of a block, verified."""
    length = d.length_of(block)
    if stored is None:
        return bytes(length)
    try:
        data = expand(codec, stored, length) if codec else stored
    except Damage as e:
        raise Damage('block %d of "%s": %s' % (block, d.name, e)) from None
    need(len(data) == length, 'block %d of "%s" has %d bytes' % (block, d.name, len(data)))
    need(d.digest(data) == digest, 'block %d of "%s" has another digest' % (block, d.name))
    return data


def describe_datasets(state):
    """Prints what a state has; the answer is how much of it is damaged."""
    state.check()
    damages = 0
    for d in state.datasets():
        content, undecoded = hashlib.sha256(), 0
        for entry in state.blocks(d):
            try:
                content.update(plain(d, *entry))
            except Undecoded:
                undecoded += 1
            except Damage as e:
                damages += 1
                print("damage: %s" % e)
        print('  "%s" %s%s blocks of %d, %s, codec %s: %s' % (
            d.name, TYPES[d.kind][0], d.extents, d.block_size, ALGORITHMS[d.algorithm], CODEC_NAMES[d.codec],
            "%d blocks not decoded" % undecoded if undecoded else content.hexdigest()))
    return damages


def describe_container(container):
    print("container %032x, epoch %d, %s of rank %d of %d" % (
        container.superblock["id"], container.superblock["epoch"],
        {1: "state", 2: "copy", 4: "parity"}.get(container.kind, container.kind), container.rank, container.ranks))
    describe_lineage(container.lineage)
    for problem in container.problems:
        print("problem: %s" % problem)
    damages = 0
    for version in reversed(container.versions):
        print("version %s root %s" % (version.id, show_root(version.root)))
        damages += describe_datasets(version)
    return damages


def describe_lineage(lineage):
    print('job %032x "%s"' % (lineage.job, lineage.name))
    for run in lineage.runs:
        print("run %016x of %d ranks continues %s%s, left behind %s" % (
            run["run"], run["ranks"], run["continues"] or "nothing", " (chosen)" if run["chosen"] else "",
            " ".join(str(version) for version in run["left"]) or "nothing"))


def describe_shared(directory, records_only):
    damages = 0
    for version in reversed(directory.versions):
        print("version %s of %d ranks" % (version.id, version.id.ranks))
        for rank, (segment, root) in sorted(version.manifest.ranks.items()):
            print("rank %d root %s" % (rank, show_root(int.from_bytes(root, "little"))))
            if records_only:
                index = directory.segment(segment).index(rank)
                for name, live in index.live().items():
                    print("  %d bytes in %s" % (live, name))
            else:
                damages += describe_datasets(version.rank(rank))
    for problem in directory.problems:
        damages += 1
        print("damage: %s" % problem)
    return damages


def describe_pack(pack):
    print("pack of %d files in %d frames" % (len(pack.members), len(pack.frames.frames) if pack.frames else 0))
    for count, level, why in pack.frames.efforts if pack.frames else ():
        print("%d frames with level %d: %s" % (count, level, why))
    damages = 0
    for file in pack.files():
        sha = hashlib.sha256()
        try:
            for some in file.content():
                sha.update(some)
            print("file %s %d bytes %04o %d.%09d %s" % (
                file.show_name(), file.size, file.mode, file.seconds, file.nanos, sha.hexdigest()))
        except Damage as e:
            damages += 1
            print("damage: %s: %s" % (file.show_name(), e))
    return damages


def unpack(pack, target):
    """Files appear in a folder; none is replaced."""
    for file in pack.files():
        path = os.path.join(os.fsencode(target), file.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as out:
            for some in file.content():
                out.write(some)
        os.chmod(path, file.mode)
        time = file.seconds * 10 ** 9 + file.nanos
        os.utime(path, ns=(time, time))


def is_pack(path):
    with open(path, "rb") as file:
        return file.read(8) == SEGMENT_MAGIC


def extract(state, name, output):
    state.check()
    d = next(one for one in state.datasets() if one.name == name)
    with open(output, "wb") as file:
        for entry in state.blocks(d):
            file.write(plain(d, *entry))


def main(arguments):
    path, options = arguments[0], arguments[1:]
    try:
        if path == "--frames":
            for name in options:
                with open(name, "rb") as file:
                    print("frame %s" % hashlib.sha256(read_framed(Cursor(file.read(), name))).hexdigest())
            return 0
        if os.path.isdir(path):
            directory = SharedDirectory(path)
            if options[:1] == ["--extract"]:
                extract(directory.versions[-1].rank(int(options[1])), *options[2:])
                return 0
            return 1 if describe_shared(directory, options == ["--records"]) else 0
        if is_pack(path):
            pack = Pack(path)
            if options[:1] == ["--unpack"]:
                unpack(pack, options[1])
                return 0
            return 1 if describe_pack(pack) else 0
        container = Container(path)
        if options[:1] == ["--extract"]:
            extract(container.versions[-1], *options[1:])
            return 0
        return 1 if describe_container(container) else 0
    except Damage as e:
        print("damage: %s" % e)
        return 1
    except (Refused, Undecoded) as e:
        print("refused: %s" % e)
        return 2


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:]))
