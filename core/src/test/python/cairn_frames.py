# SPDX-License-Identifier: Apache-2.0
"""Frames of segments, written from docs/format/segment.md alone: tables, transforms, addresses."""
import bisect
import struct

from cairn_format import Cursor, Refused, expand, need, xxh3

FRAMED, LENT = 255, 254  # numbers in the place of a codec: the block lies in a frame
NONE, ZSTD = 0, 2
BIG, FLOATING, SHUFFLED = 1, 2, 4
MOST_PLAIN, MOST_PIECES = 1 << 28, 65536
WORDS = {1: "B", 2: "H", 4: "I", 8: "Q"}


class FrameInfo:
    """What is told of a frame."""

    def __init__(self, c):
        self.stored, self.plain, self.codec, self.checksum = c.v(), c.v(), c.u8(), c.take(16)
        if self.codec not in (NONE, ZSTD):
            raise Refused("%s: a frame with codec %d" % (c.what, self.codec))
        need(self.plain <= MOST_PLAIN and self.stored >= 1, "%s: a frame of %d bytes" % (c.what, self.plain))


def plain_bytes(info, stored, what):
    """The plain bytes of a frame, with all its pieces."""
    need(len(stored) == info.stored and xxh3(stored) == info.checksum, what + ": its checksum does not hold")
    content = stored if info.codec == NONE else expand(ZSTD, stored, content_size(stored, info, what))
    c = Cursor(content, what)
    pieces = [(c.v(), Transform(c)) for _ in range(at_most(c.v(), MOST_PIECES, what))]
    out = b"".join(transform.undo(c.take(length)) for length, transform in pieces)
    c.end()
    need(len(out) == info.plain, "%s: pieces of %d bytes, not %d" % (what, len(out), info.plain))
    return out


def at_most(count, most, what):
    need(count <= most, "%s: %d is more than %d" % (what, count, most))
    return count


def content_size(stored, info, what):
    """What a zstd frame says of itself, RFC 8878, 3.1.1.1; looked at before memory is taken."""
    c = Cursor(stored, what)
    need(c.take(4) == b"\x28\xb5\x2f\xfd", what + ": no zstd frame")
    descriptor = c.u8()
    single = descriptor >> 5 & 1
    c.take((0 if single else 1) + (0, 1, 2, 4)[descriptor & 3])
    size = (single, 2, 4, 8)[descriptor >> 6]
    need(size, what + ": a zstd frame that does not tell its size")
    found = c.number(size) + (256 if size == 2 else 0)
    need(info.plain < found <= info.plain + MOST_PIECES * 32, "%s: a frame of %d bytes" % (what, found))
    return found


class Transform:
    """What was done to a piece."""

    def __init__(self, c):
        self.prediction, flags, self.width, axes = c.u8(), c.u8(), c.v31(), c.v31()
        need(axes <= 3, "%s: %d axes" % (c.what, axes))
        self.strides = [c.v31() for _ in range(axes)]
        if self.prediction > 2 or flags > 7:
            raise Refused("%s: transform number %d, flags %d; of a newer release" % (c.what, self.prediction, flags))
        self.big, self.floating, self.shuffled = flags & BIG, flags & FLOATING, flags & SHUFFLED
        need(1 <= self.width <= 4096 and all(a < b for a, b in zip([0] + self.strides, self.strides)), c.what + ": a transform")
        need(not axes if not self.prediction else axes >= 1 and self.width in WORDS, c.what + ": a prediction")

    def undo(self, data):
        whole = len(data) - len(data) % self.width
        body = data[:whole]
        if self.shuffled:
            body = self._side_by_side(body)
        if self.prediction:
            body = self._from_rest(body)
        return body + data[whole:]

    def _side_by_side(self, data):
        """From all first bytes, all second bytes and so on to elements."""
        count, out = len(data) // self.width, bytearray(len(data))
        # What is left of predicted values is little-endian; of others the least significant byte comes first, too.
        backwards = self.big and not self.prediction and self.width in WORDS
        for k in range(self.width):
            out[self.width - 1 - k if backwards else k::self.width] = data[k * count:(k + 1) * count]
        return bytes(out)

    def _from_rest(self, data):
        bits = 8 * self.width
        mask, top = (1 << bits) - 1, 1 << bits - 1
        count = len(data) // self.width
        values = list(struct.unpack("<%d%s" % (count, WORDS[self.width]), data))
        if self.prediction == 2:
            stride = self.strides[0]
            for i in range(stride, count):
                values[i] ^= values[i - stride]
        else:
            values = [(v >> 1) ^ (mask if v & 1 else 0) for v in values]
            for stride in reversed(self.strides):
                for i in range(stride, count):
                    values[i] = (values[i] + values[i - stride]) & mask
            if self.floating:
                values = [v ^ top if v & top else v ^ mask for v in values]
        return struct.pack("%s%d%s" % (">" if self.big else "<", count, WORDS[self.width]), *values)


class FrameList:
    """The frames of a segment, by the addresses of their plain bytes."""

    def __init__(self, fields, read):
        self._read, self.frames, self.addresses, self._last = read, [], [], (None, b"")
        address, behind, c = 0, 0, fields.cursor(1)
        while c.left():
            offset, info = c.v(), FrameInfo(c)
            need(offset >= behind, "%s: a frame at %d" % (c.what, offset))
            self.frames.append((offset, info))
            self.addresses.append(address)
            behind, address = offset + info.stored, address + info.plain
        self.efforts = self._efforts(fields.cursor(3)) if fields.has(3) else []

    def _efforts(self, c):
        """(number of frames, level, why), as far as that was told."""
        efforts = []
        while c.left():
            efforts.append((c.v31(), c.v31(), c.text()))
            need(efforts[-1][0] >= 1 and sum(one[0] for one in efforts) <= len(self.frames), c.what + ": levels")
        return efforts

    def bytes(self, address, length, what):
        """The plain bytes of a block; it lies in one frame."""
        number = bisect.bisect_right(self.addresses, address) - 1
        need(number >= 0, what + ": in no frame")
        offset, info = self.frames[number]
        inside = address - self.addresses[number]
        need(inside + length <= info.plain, "%s: a block at address %d is in no frame" % (what, address))
        if self._last[0] != number:
            self._last = number, plain_bytes(info, self._read(offset, info.stored), "%s, frame at %d" % (what, offset))
        return self._last[1][inside:inside + length]
