/**
 * BLAKE2b (RFC 7693), as far as it is needed: browsers bring no BLAKE2 along.
 *
 * Words are kept in DataViews, which wrap to 64 bits what is put into them.
 */

const DIGEST_BYTES = 8;
const BLOCK_BYTES = 128;
const WORD_BYTES = 8;

const START: readonly bigint[] = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n
];

/** Which word of the block is mixed in when: a row for each round, a hexadecimal digit each. */
const ORDER: readonly string[] = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
  '0123456789abcdef',
  'ea489fd61c02b753'
];

/** The four words of each mixing: the columns first, then the diagonals. */
const MIXED: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14]
];

/**
 * The server's name for a cell's text. A run that rewrites or deletes a cell says with it what the
 * cell had in it when the run wrote it.
 */
export function fingerprint(cellType: string, source: string): string {
  const data = new TextEncoder().encode(`${cellType}\n${source}`);
  const state = words(START);
  put(state, 0, word(state, 0) ^ BigInt(0x01010000 | DIGEST_BYTES));
  for (let start = 0; start === 0 || start < data.length;) {
    const end = Math.min(start + BLOCK_BYTES, data.length);
    const block = new Uint8Array(BLOCK_BYTES);
    block.set(data.subarray(start, end));
    compress(state, new DataView(block.buffer), end, end === data.length);
    start += BLOCK_BYTES;
  }
  const digest = new Uint8Array(state.buffer, 0, DIGEST_BYTES);
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join(
    ''
  );
}

/** Whether an operation that is meant for a cell as it was written may change it. */
export function saysStill(
  cellType: string,
  source: string,
  written: string | null | undefined
): boolean {
  return (
    written === null ||
    written === undefined ||
    fingerprint(cellType, source) === written
  );
}

function compress(
  state: DataView,
  block: DataView,
  bytesSoFar: number,
  isLast: boolean
): void {
  const v = words([...START.map((_, index) => word(state, index)), ...START]);
  put(v, 12, word(v, 12) ^ BigInt(bytesSoFar));
  if (isLast) {
    put(v, 14, ~word(v, 14));
  }
  for (const order of ORDER) {
    MIXED.forEach(([a, b, c, d], index) => {
      const [x, y] = [order.charAt(2 * index), order.charAt(2 * index + 1)];
      put(v, a, word(v, a) + word(v, b) + word(block, parseInt(x, 16)));
      turn(v, d, a, 32n);
      put(v, c, word(v, c) + word(v, d));
      turn(v, b, c, 24n);
      put(v, a, word(v, a) + word(v, b) + word(block, parseInt(y, 16)));
      turn(v, d, a, 16n);
      put(v, c, word(v, c) + word(v, d));
      turn(v, b, c, 63n);
    });
  }
  START.forEach((_, index) => {
    put(state, index, word(state, index) ^ word(v, index) ^ word(v, index + 8));
  });
}

/** The word at `at`, xor the one at `by`, rotated to the right. */
function turn(v: DataView, at: number, by: number, bits: bigint): void {
  const both = word(v, at) ^ word(v, by);
  put(v, at, (both >> bits) | (both << (64n - bits)));
}

function words(values: readonly bigint[]): DataView {
  const view = new DataView(new ArrayBuffer(values.length * WORD_BYTES));
  values.forEach((value, index) => {
    put(view, index, value);
  });
  return view;
}

function word(view: DataView, index: number): bigint {
  return view.getBigUint64(index * WORD_BYTES, true);
}

function put(view: DataView, index: number, value: bigint): void {
  view.setBigUint64(index * WORD_BYTES, value, true);
}
