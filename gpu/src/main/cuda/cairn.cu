// SPDX-License-Identifier: Apache-2.0

// What a device computes for Cairn: digests of many blocks at once, and a copy of chosen blocks
// side by side. Nothing here is launched once a block.
//
// The same source is compiled twice: by nvcc to the PTX text that is loaded (cairn.ptx, see
// make-ptx.sh), and by any C++ compiler to a plain twin for machines without a device, which tests
// compare with what Cairn computes in Java. So that one text serves both, a kernel is a function of
// one "team" of threads which have one block, written in phases:
//
//   EACH(t) { ... }     what every thread of the team does: on the device this thread alone, in the
//                       twin one after the other
//   MINE(x, t)          what a thread keeps of its own from phase to phase
//   FROM(x, s)          what thread s of the team has kept; never of what this phase changes
//
// A digest is two words, low and high, as in org.cairn.hash.BlockHasher.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef __CUDACC__

#define FUNCTION static __device__ __forceinline__
#define CALLED extern "C" __device__ __noinline__
#define TABLE static __constant__ const
#define LOOKUP static __device__ const
#define EACH(t) for (u32 t = threadIdx.x & (T - 1), once = 1; once; once = 0)
#define KEPT(type, name) type name[1]
#define MINE(x, t) x[0]
#define FROM(x, s) __shfl_sync(teamMask<T>(), x[0], s, T)
#define UNROLL _Pragma("unroll")
#define THREADS 256u
#define KERNEL(name, threads, body)                                              \
  extern "C" __global__ void __launch_bounds__(256) name(Job job) {              \
    u32 team = (blockIdx.x * THREADS + threadIdx.x) / threads;                   \
    if (team < job.count) {                                                      \
      body(job, team);                                                           \
    }                                                                            \
  }

template <u32 T>
FUNCTION u32 teamMask() {
  return T == 32 ? 0xffffffffu : ((1u << (T & 31)) - 1) << (threadIdx.x & 31 & ~(T - 1));
}

FUNCTION u64 highProduct(u64 a, u64 b) { return __umul64hi(a, b); }

#else

#define FUNCTION static inline
#define CALLED static
#define TABLE static const
#define LOOKUP static const
#define EACH(t) for (u32 t = 0; t < T; t++)
#define KEPT(type, name) type name[T]
#define MINE(x, t) x[t]
#define FROM(x, s) x[s]
#define UNROLL
#define KERNEL(name, threads, body)                                              \
  extern "C" void name(Job job) {                                                \
    for (u32 team = 0; team < job.count; team++) {                               \
      body(job, team);                                                           \
    }                                                                            \
  }

FUNCTION u64 highProduct(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }

#endif

// What a launch is given; Kernels.java writes it.
struct Job {
  const u8* data;      // the first block
  u64 length;          // bytes from there to the end of the last block, which may be short
  u64* out;            // two words a block; or where chosen blocks are copied to
  const u32* chosen;   // the numbers of blocks to be copied
  u32 blockSize;
  u32 count;           // blocks, and so teams
};

FUNCTION u64 lengthOf(const Job& job, u32 block) {
  u64 left = job.length - (u64)block * job.blockSize;
  return left < job.blockSize ? left : job.blockSize;
}

FUNCTION u64 loadBytes(const u8* p, u32 count) {
  u64 word = 0;
  for (u32 i = 0; i < count; i++) {
    word |= (u64)p[i] << (8 * i);
  }
  return word;
}

// A word that does not begin at a multiple of 8.
CALLED u64 cairn_load_apart(const u8* p) {
  if (((u64)p & 3) == 0) {
    return *(const u32*)p | (u64) * (const u32*)(p + 4) << 32;
  }
  return loadBytes(p, 8);
}

FUNCTION u64 load64(const u8* p) {
  return ((u64)p & 7) == 0 ? *(const u64*)p : cairn_load_apart(p);
}

FUNCTION u32 load32(const u8* p) { return (u32)loadBytes(p, 4); }

struct alignas(16) Pair {
  u64 a, b;
};

// Sixteen bytes; at once if it is known that they lie well.
template <bool ALIGNED>
FUNCTION Pair loadPair(const u8* p) {
  if (ALIGNED) {
    return *(const Pair*)p;
  }
  Pair pair = {load64(p), load64(p + 8)};
  return pair;
}

// ---------------------------------------------------------------- XXH3-128

TABLE u64 SECRET[24] = {
    0xbe4ba423396cfeb8ULL, 0x1cad21f72c81017cULL, 0xdb979083e96dd4deULL,
    0x1f67b3b7a4a44072ULL, 0x78e5c0cc4ee679cbULL, 0x2172ffcc7dd05a82ULL,
    0x8e2443f7744608b8ULL, 0x4c263a81e69035e0ULL, 0xcb00c391bb52283cULL,
    0xa32e531b8b65d088ULL, 0x4ef90da297486471ULL, 0xd8acdea946ef1938ULL,
    0x3f349ce33f76faa8ULL, 0x1d4f0bc7c7bbdcf9ULL, 0x3159b4cd4be0518aULL,
    0x647378d9c97e9fc8ULL, 0xc3ebd33483acc5eaULL, 0xeb6313faffa081c5ULL,
    0x49daf0b751dd0d17ULL, 0x9e68d429265516d3ULL, 0xfca1477d58be162bULL,
    0xce31d07ad1b8f88fULL, 0x280416958f3acb45ULL, 0x7e404bbbcafbd7afULL};

#define PRIME32_1 0x9E3779B1ULL
#define PRIME32_2 0x85EBCA77ULL
#define PRIME32_3 0xC2B2AE3DULL
#define PRIME64_1 0x9E3779B185EBCA87ULL
#define PRIME64_2 0xC2B2AE3D27D4EB4FULL
#define PRIME64_3 0x165667B19E3779F9ULL
#define PRIME64_4 0x85EBCA77C2B2AE63ULL
#define PRIME64_5 0x27D4EB2F165667C5ULL
#define PRIME_MX1 0x165667919E3779F9ULL
#define PRIME_MX2 0x9FB21C651E98DF25ULL

TABLE u64 INITIAL[8] = {PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3,
                        PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};

// The word that begins at this byte of the secret.
FUNCTION u64 secret(u32 at) {
  u32 shift = 8 * (at & 7);
  u64 low = SECRET[at / 8] >> shift;
  return shift == 0 ? low : low | SECRET[at / 8 + 1] << (64 - shift);
}

FUNCTION u64 folded(u64 a, u64 b) { return (a * b) ^ highProduct(a, b); }

FUNCTION u64 avalanche(u64 value) {
  u64 h = (value ^ (value >> 37)) * PRIME_MX1;
  return h ^ (h >> 32);
}

FUNCTION u64 oldAvalanche(u64 value) {
  u64 h = (value ^ (value >> 33)) * PRIME64_2;
  h = (h ^ (h >> 29)) * PRIME64_3;
  return h ^ (h >> 32);
}

FUNCTION u64 reversed(u64 x) {
  x = (x & 0x00ff00ff00ff00ffULL) << 8 | (x >> 8 & 0x00ff00ff00ff00ffULL);
  x = (x & 0x0000ffff0000ffffULL) << 16 | (x >> 16 & 0x0000ffff0000ffffULL);
  return x << 32 | x >> 32;
}

FUNCTION void store(u64* out, u64 low, u64 high) {
  out[0] = low;
  out[1] = high;
}

FUNCTION void upTo3(const u8* p, u32 length, u64* out) {
  u32 low = (u32)p[0] << 16 | (u32)p[length >> 1] << 24 | p[length - 1] | length << 8;
  u32 turned = (u32)(reversed(low) >> 32);
  u32 high = turned << 13 | turned >> 19;
  u64 first = secret(0);
  u64 second = secret(8);
  store(out, oldAvalanche(low ^ (u32)(first ^ first >> 32)),
        oldAvalanche(high ^ (u32)(second ^ second >> 32)));
}

FUNCTION void upTo8(const u8* p, u32 length, u64* out) {
  u64 keyed = (load32(p) + ((u64)load32(p + length - 4) << 32)) ^ secret(16) ^ secret(24);
  u64 factor = PRIME64_1 + (length << 2);
  u64 low = keyed * factor;
  u64 high = highProduct(keyed, factor) + (low << 1);
  low ^= high >> 3;
  low = (low ^ (low >> 35)) * PRIME_MX2;
  store(out, low ^ (low >> 28), avalanche(high));
}

FUNCTION void upTo16(const u8* p, u32 length, u64* out) {
  u64 first = load64(p);
  u64 last = load64(p + length - 8);
  u64 keyed = first ^ last ^ secret(32) ^ secret(40);
  u64 low = keyed * PRIME64_1 + ((u64)(length - 1) << 54);
  u64 flipped = last ^ secret(48) ^ secret(56);
  u64 high = highProduct(keyed, PRIME64_1) + flipped + (u64)(u32)flipped * (PRIME32_2 - 1);
  low ^= reversed(high);
  u64 mixedHigh = highProduct(low, PRIME64_2) + high * PRIME64_2;
  store(out, avalanche(low * PRIME64_2), avalanche(mixedHigh));
}

FUNCTION void mix(const u8* p, const u8* q, u32 key, Pair& sum) {
  u64 p0 = load64(p);
  u64 p1 = load64(p + 8);
  u64 q0 = load64(q);
  u64 q1 = load64(q + 8);
  u64 low = sum.a + folded(p0 ^ secret(key), p1 ^ secret(key + 8));
  u64 high = sum.b + folded(q0 ^ secret(key + 16), q1 ^ secret(key + 24));
  sum.a = low ^ (q0 + q1);
  sum.b = high ^ (p0 + p1);
}

FUNCTION void upTo240(const u8* p, u32 length, u64* out) {
  Pair sum = {length * PRIME64_1, 0};
  if (length <= 128) {
    for (int i = (length - 1) / 32; i >= 0; i--) {
      mix(p + 16 * i, p + length - 16 * (i + 1), 32 * i, sum);
    }
  } else {
    for (u32 i = 0; i < 4; i++) {
      mix(p + 32 * i, p + 32 * i + 16, 32 * i, sum);
    }
    sum.a = avalanche(sum.a);
    sum.b = avalanche(sum.b);
    for (u32 i = 4; i < length / 32; i++) {
      mix(p + 32 * i, p + 32 * i + 16, 3 + 32 * (i - 4), sum);
    }
    mix(p + length - 16, p + length - 32, 136 - 17 - 16, sum);
  }
  u64 mixedHigh = sum.a * PRIME64_1 + sum.b * PRIME64_4 + length * PRIME64_2;
  store(out, avalanche(sum.a + sum.b), 0 - avalanche(mixedHigh));
}

CALLED void cairn_short_xxh3(const u8* p, u32 length, u64* out) {
  if (length > 16) {
    upTo240(p, length, out);
  } else if (length > 8) {
    upTo16(p, length, out);
  } else if (length > 3) {
    upTo8(p, length, out);
  } else if (length > 0) {
    upTo3(p, length, out);
  } else {
    store(out, oldAvalanche(secret(64) ^ secret(72)), oldAvalanche(secret(80) ^ secret(88)));
  }
}

FUNCTION u64 product(u64 keyed) { return (keyed & 0xffffffffULL) * (keyed >> 32); }

FUNCTION void absorb(Pair word, u64 keyA, u64 keyB, u64& a, u64& b) {
  a += product(word.a ^ keyA) + word.b;
  b += product(word.b ^ keyB) + word.a;
}

FUNCTION u64 scrambled(u64 acc, u64 key) { return (acc ^ acc >> 47 ^ key) * PRIME32_1; }

// Two of the eight lanes of a round of 1 KiB, which begins at p: what its stripes add to them. All
// of a round is added before the lanes are scrambled, so it does not matter what they were: rounds
// can be summed by different threads.
template <bool ALIGNED>
FUNCTION void sumRound(const u8* p, u32 stripes, u32 key, u64& a, u64& b) {
  a = 0;
  b = 0;
  if (ALIGNED && stripes == 16) {
    UNROLL
    for (u32 half = 0; half < 16; half += 8) {
      Pair words[8]; // on their way all at once
      UNROLL
      for (u32 n = 0; n < 8; n++) {
        words[n] = loadPair<ALIGNED>(p + 64 * (half + n));
      }
      UNROLL
      for (u32 n = 0; n < 8; n++) {
        absorb(words[n], SECRET[key + half + n], SECRET[key + half + n + 1], a, b);
      }
    }
  } else {
    for (u32 n = 0; n < stripes; n++) {
      absorb(loadPair<ALIGNED>(p + 64 * n), SECRET[key + n], SECRET[key + n + 1], a, b);
    }
  }
}

// More than 240 bytes by a team of 4 * GROUPS threads. Of eight lanes those of numbers 2q and
// 2q + 1 exchange words, so a thread has both; four threads, a group, sum a round, and each group
// another. Then every group adds all sums one after the other to lanes of its own.
template <u32 GROUPS, bool ALIGNED>
FUNCTION void longXxh3(const u8* p, u64 length, u64* out) {
  const u32 T = 4 * GROUPS;
  KEPT(u64, laneA);
  KEPT(u64, laneB);
  KEPT(u64, sumA);
  KEPT(u64, sumB);
  u64 stripes = (length - 1) / 64;
  u64 rounds = stripes / 16;
  EACH(t) {
    MINE(laneA, t) = INITIAL[2 * (t & 3)];
    MINE(laneB, t) = INITIAL[2 * (t & 3) + 1];
  }
  for (u64 base = 0; base <= rounds; base += GROUPS) {
    EACH(t) {
      u32 q = t & 3;
      u64 round = base + t / 4;
      u32 count = round < rounds ? 16 : round == rounds ? (u32)(stripes % 16) : 0;
      sumRound<ALIGNED>(p + 1024 * round + 16 * q, count, 2 * q, MINE(sumA, t), MINE(sumB, t));
    }
    EACH(t) {
      u32 q = t & 3;
      u64 a = MINE(laneA, t);
      u64 b = MINE(laneB, t);
      UNROLL
      for (u32 group = 0; group < GROUPS; group++) {
        u64 fromA = FROM(sumA, 4 * group + q);
        u64 fromB = FROM(sumB, 4 * group + q);
        if (base + group < rounds) {
          a = scrambled(a + fromA, SECRET[16 + 2 * q]);
          b = scrambled(b + fromB, SECRET[17 + 2 * q]);
        } else if (base + group == rounds) {
          a += fromA;
          b += fromB;
        }
      }
      MINE(laneA, t) = a;
      MINE(laneB, t) = b;
    }
  }
  KEPT(u64, low);
  KEPT(u64, high);
  EACH(t) {
    u32 at = 16 * (t & 3);
    u64 a = MINE(laneA, t);
    u64 b = MINE(laneB, t);
    absorb(loadPair<false>(p + length - 64 + at), secret(121 + at), secret(129 + at), a, b);
    MINE(low, t) = folded(a ^ secret(11 + at), b ^ secret(19 + at));
    MINE(high, t) = folded(a ^ secret(117 + at), b ^ secret(125 + at));
  }
  EACH(t) {
    u64 lowSum = length * PRIME64_1;
    u64 highSum = ~(length * PRIME64_2);
    UNROLL
    for (u32 q = 0; q < 4; q++) {
      lowSum += FROM(low, q);
      highSum += FROM(high, q);
    }
    if (t == 0) {
      store(out, avalanche(lowSum), avalanche(highSum));
    }
  }
}

template <u32 GROUPS, bool ALIGNED>
FUNCTION void xxh3(const Job& job, u32 block) {
  const u32 T = 4 * GROUPS;
  const u8* p = job.data + (u64)block * job.blockSize;
  u64 length = lengthOf(job, block);
  u64* out = job.out + 2 * (u64)block;
  if (length > 240) {
    longXxh3<GROUPS, ALIGNED>(p, length, out);
  } else {
    EACH(t) {
      if (t == 0) {
        cairn_short_xxh3(p, (u32)length, out);
      }
    }
  }
}

FUNCTION void tinyXxh3(const Job& job, u32 block) {
  const u8* p = job.data + (u64)block * job.blockSize;
  cairn_short_xxh3(p, (u32)lengthOf(job, block), job.out + 2 * (u64)block);
}

// Blocks of up to 240 bytes; of less than 2, 4, 8 KiB; and larger. Those with u are for blocks that
// do not begin at multiples of 16.
KERNEL(cairn_xxh3_tiny, 1, tinyXxh3)
#define BODY_1 xxh3<1, true>
#define BODY_1U xxh3<1, false>
#define BODY_2 xxh3<2, true>
#define BODY_4 xxh3<4, true>
#define BODY_8 xxh3<8, true>
#define BODY_8U xxh3<8, false>
KERNEL(cairn_xxh3_1, 4, (BODY_1))
KERNEL(cairn_xxh3_1u, 4, (BODY_1U))
KERNEL(cairn_xxh3_2, 8, (BODY_2))
KERNEL(cairn_xxh3_4, 16, (BODY_4))
KERNEL(cairn_xxh3_8, 32, (BODY_8))
KERNEL(cairn_xxh3_8u, 32, (BODY_8U))

// ---------------------------------------------------------------- weak ones, for the study of them

// Rotating XOR of 64 bits is the XOR of all words, each rotated by how many follow it.
FUNCTION u64 rotated(u64 word, u64 by) {
  u32 bits = (u32)by & 63;
  return bits == 0 ? word : word << bits | word >> (64 - bits);
}

FUNCTION void rotatingXor(const Job& job, u32 block) {
  const u32 T = 32;
  const u8* p = job.data + (u64)block * job.blockSize;
  u64 length = lengthOf(job, block);
  u64 words = (length + 7) / 8;
  KEPT(u64, hash);
  EACH(t) {
    u64 mine = 0;
    for (u64 i = t; i < words; i += T) {
      u64 left = length - 8 * i;
      u64 word = left >= 8 ? load64(p + 8 * i) : loadBytes(p + 8 * i, (u32)left);
      mine ^= rotated(word, words - 1 - i);
    }
    MINE(hash, t) = mine;
  }
  EACH(t) {
    u64 all = 0;
    for (u32 s = 0; s < T; s++) {
      all ^= FROM(hash, s);
    }
    if (t == 0) {
      store(job.out + 2 * (u64)block, all, 0);
    }
  }
}
KERNEL(cairn_rotating_xor, 32, rotatingXor)

FUNCTION u64 byteSum(u64 word) {
  u64 pairs = (word & 0x00ff00ff00ff00ffULL) + (word >> 8 & 0x00ff00ff00ff00ffULL);
  return (pairs * 0x0001000100010001ULL) >> 48;
}

// 8 * b0 + 7 * b1 + ... + b7.
FUNCTION u64 weighted(u64 word) {
  u64 even = word & 0x00ff00ff00ff00ffULL;
  u64 odd = word >> 8 & 0x00ff00ff00ff00ffULL;
  return ((even * 0x0008000600040002ULL) >> 48) + ((odd * 0x0007000500030001ULL) >> 48);
}

// Adler-32: a byte enters the second sum as often as there are bytes from it to the end.
FUNCTION void adler(const Job& job, u32 block) {
  const u32 T = 32;
  const u8* p = job.data + (u64)block * job.blockSize;
  u64 length = lengthOf(job, block);
  KEPT(u64, sum);
  KEPT(u64, sumOfSums);
  EACH(t) {
    u64 one = 0;
    u64 two = 0;
    for (u64 i = 8 * t; i < length; i += 8 * T) {
      u64 left = length - i;
      u64 word = left >= 8 ? load64(p + i) : loadBytes(p + i, (u32)left);
      u64 bytes = byteSum(word);
      one += bytes;
      // Bytes beyond the end are zero; left - 8 may be negative, and wraps to the right sum.
      two += (left - 8) * bytes + weighted(word);
    }
    MINE(sum, t) = one % 65521;
    MINE(sumOfSums, t) = two % 65521;
  }
  EACH(t) {
    u64 one = 1;
    u64 two = length % 65521;
    for (u32 s = 0; s < T; s++) {
      one += FROM(sum, s);
      two += FROM(sumOfSums, s);
    }
    if (t == 0) {
      store(job.out + 2 * (u64)block, two % 65521 << 16 | one % 65521, 0);
    }
  }
}
KERNEL(cairn_adler, 32, adler)

struct CrcTable {
  u32 of[4][256];
  constexpr CrcTable() : of() {
    for (u32 i = 0; i < 256; i++) {
      u32 crc = i;
      for (int bit = 0; bit < 8; bit++) {
        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
      }
      of[0][i] = crc;
    }
    for (u32 i = 0; i < 256; i++) {
      for (u32 k = 1; k < 4; k++) {
        of[k][i] = of[k - 1][i] >> 8 ^ of[0][of[k - 1][i] & 255];
      }
    }
  }
};
LOOKUP CrcTable CRC;

FUNCTION u32 crcWord(u32 crc) {
  return CRC.of[3][crc & 255] ^ CRC.of[2][crc >> 8 & 255] ^ CRC.of[1][crc >> 16 & 255] ^
         CRC.of[0][crc >> 24];
}

FUNCTION void crc32(const Job& job, u32 block) {
  const u8* p = job.data + (u64)block * job.blockSize;
  u64 length = lengthOf(job, block);
  u32 crc = 0xffffffffu;
  u64 i = 0;
  for (; i + 8 <= length; i += 8) {
    u64 word = load64(p + i);
    crc = crcWord(crc ^ (u32)word);
    crc = crcWord(crc ^ (u32)(word >> 32));
  }
  for (; i < length; i++) {
    crc = crc >> 8 ^ CRC.of[0][(crc ^ p[i]) & 255];
  }
  store(job.out + 2 * (u64)block, crc ^ 0xffffffffu, 0);
}
KERNEL(cairn_crc32, 1, crc32)

// ---------------------------------------------------------------- MD5, SHA-256

FUNCTION u32 left(u32 x, u32 by) { return x << by | x >> (32 - by); }
FUNCTION u32 right(u32 x, u32 by) { return x >> by | x << (32 - by); }
FUNCTION u32 swapped(u32 x) { return (u32)(reversed(x) >> 32); }

// Four bytes of a message of this length with its padding: beyond the end 0x80, then zeros.
CALLED u32 cairn_padded(const u8* p, u64 length, u64 at) {
  u32 word = 0;
  for (u32 k = 0; k < 4; k++) {
    u32 byte = at + k < length ? p[at + k] : at + k == length ? 0x80 : 0;
    word |= byte << 8 * k;
  }
  return word;
}

// 64 bytes of it; the last of them are the number of bits.
template <bool BIG>
FUNCTION void chunk(const u8* p, u64 length, u64 at, bool last, u32* words) {
  if (at + 64 <= length) {
    UNROLL
    for (u32 i = 0; i < 8; i++) {
      u64 word = load64(p + at + 8 * i);
      words[2 * i] = (u32)word;
      words[2 * i + 1] = (u32)(word >> 32);
    }
  } else {
    UNROLL
    for (u32 i = 0; i < 16; i++) {
      words[i] = cairn_padded(p, length, at + 4 * i);
    }
  }
  if (BIG) {
    UNROLL
    for (u32 i = 0; i < 16; i++) {
      words[i] = swapped(words[i]);
    }
  }
  if (last) {
    words[BIG ? 15 : 14] = (u32)(length << 3);
    words[BIG ? 14 : 15] = (u32)(length >> 29);
  }
}

TABLE u32 MD5_SINES[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
    0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
    0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
    0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
    0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
    0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
    0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
    0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
    0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

TABLE u32 MD5_SHIFTS[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

FUNCTION void md5(const Job& job, u32 block) {
  const u8* p = job.data + (u64)block * job.blockSize;
  u64 length = lengthOf(job, block);
  u64 chunks = (length + 9 + 63) / 64;
  u32 state[4] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
  for (u64 c = 0; c < chunks; c++) {
    u32 words[16];
    chunk<false>(p, length, 64 * c, c == chunks - 1, words);
    u32 a = state[0];
    u32 b = state[1];
    u32 d = state[2];
    u32 e = state[3];
    UNROLL
    for (u32 i = 0; i < 64; i++) {
      u32 f;
      u32 g;
      if (i < 16) {
        f = (b & d) | (~b & e);
        g = i;
      } else if (i < 32) {
        f = (e & b) | (~e & d);
        g = (5 * i + 1) & 15;
      } else if (i < 48) {
        f = b ^ d ^ e;
        g = (3 * i + 5) & 15;
      } else {
        f = d ^ (b | ~e);
        g = (7 * i) & 15;
      }
      u32 next = b + left(a + f + MD5_SINES[i] + words[g], MD5_SHIFTS[4 * (i / 16) + (i & 3)]);
      a = e;
      e = d;
      d = b;
      b = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += d;
    state[3] += e;
  }
  store(job.out + 2 * (u64)block, state[0] | (u64)state[1] << 32, state[2] | (u64)state[3] << 32);
}
KERNEL(cairn_md5, 1, md5)

TABLE u32 SHA_ROOTS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

FUNCTION void sha256(const Job& job, u32 block) {
  const u8* p = job.data + (u64)block * job.blockSize;
  u64 length = lengthOf(job, block);
  u64 chunks = (length + 9 + 63) / 64;
  u32 state[8] = {
      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (u64 c = 0; c < chunks; c++) {
    u32 words[16];
    chunk<true>(p, length, 64 * c, c == chunks - 1, words);
    u32 s[8];
    UNROLL
    for (u32 i = 0; i < 8; i++) {
      s[i] = state[i];
    }
    UNROLL
    for (u32 i = 0; i < 64; i++) {
      u32 word;
      if (i < 16) {
        word = words[i];
      } else {
        u32 x = words[(i + 1) & 15];
        u32 y = words[(i + 14) & 15];
        word = words[i & 15] + words[(i + 9) & 15] + (right(x, 7) ^ right(x, 18) ^ x >> 3) +
               (right(y, 17) ^ right(y, 19) ^ y >> 10);
        words[i & 15] = word;
      }
      u32 e = s[4];
      u32 a = s[0];
      u32 one = s[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & s[5]) ^ (~e & s[6])) +
                SHA_ROOTS[i] + word;
      u32 two = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) +
                ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      s[7] = s[6];
      s[6] = s[5];
      s[5] = e;
      s[4] = s[3] + one;
      s[3] = s[2];
      s[2] = s[1];
      s[1] = a;
      s[0] = one + two;
    }
    UNROLL
    for (u32 i = 0; i < 8; i++) {
      state[i] += s[i];
    }
  }
  store(job.out + 2 * (u64)block, swapped(state[0]) | (u64)swapped(state[1]) << 32,
        swapped(state[2]) | (u64)swapped(state[3]) << 32);
}
KERNEL(cairn_sha256, 1, sha256)

// ---------------------------------------------------------------- copies of chosen blocks

// Chosen blocks side by side, each in the room of a whole one.
template <u32 T, bool ALIGNED>
FUNCTION void gather(const Job& job, u32 team) {
  u32 block = job.chosen[team];
  const u8* from = job.data + (u64)block * job.blockSize;
  u8* to = (u8*)job.out + (u64)team * job.blockSize;
  u64 length = lengthOf(job, block);
  EACH(t) {
    u64 done = 0;
    if (ALIGNED) {
      for (; done + 64 * T <= length; done += 64 * T) {
        Pair words[4];
        UNROLL
        for (u32 i = 0; i < 4; i++) {
          words[i] = loadPair<true>(from + done + 16 * (i * T + t));
        }
        UNROLL
        for (u32 i = 0; i < 4; i++) {
          *(Pair*)(to + done + 16 * (i * T + t)) = words[i];
        }
      }
      for (; done + 16 * T <= length; done += 16 * T) {
        *(Pair*)(to + done + 16 * t) = loadPair<true>(from + done + 16 * t);
      }
    }
    for (u64 i = done + t; i < length; i += T) {
      to[i] = from[i];
    }
  }
}
#define GATHER_8 gather<8, true>
#define GATHER_32 gather<32, true>
#define GATHER_32U gather<32, false>
KERNEL(cairn_gather_8, 8, (GATHER_8))
KERNEL(cairn_gather_32, 32, (GATHER_32))
KERNEL(cairn_gather_32u, 32, (GATHER_32U))
