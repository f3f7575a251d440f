/** Returns the size of the result of a delta before it is computed; undefined if the delta is damaged. */
export function deltaSize(delta: Buffer): number | undefined {
  const base = readSize(delta, 0)
  return base === undefined ? undefined : readSize(delta, base.next)?.size
}

/**
 * Applies a delta to its base; undefined if it does not fit the base or is damaged. The delta itself states the size of
 * the result, so check `deltaSize` first.
 */
export function applyDelta(base: Buffer, delta: Buffer): Buffer | undefined {
  const from = readSize(delta, 0)
  const to = from === undefined ? undefined : readSize(delta, from.next)
  if (from?.size !== base.byteLength || to === undefined) return undefined
  const result = Buffer.allocUnsafe(to.size)
  let written = 0
  let at = to.next
  while (at < delta.byteLength) {
    const piece = readPiece(base, delta, at)
    if (piece === undefined || written + piece.end - piece.start > result.byteLength) return undefined
    written += piece.source.copy(result, written, piece.start, piece.end)
    at = piece.next
  }
  return written === result.byteLength ? result : undefined
}

type Piece = {
  readonly source: Buffer
  readonly start: number
  readonly end: number
  /** Where the next instruction begins. */
  readonly next: number
}

/** An instruction copies from the base, or inserts up to 127 bytes that follow it. Zero is reserved. */
function readPiece(base: Buffer, delta: Buffer, at: number): Piece | undefined {
  const instruction = delta[at] ?? 0
  if (instruction & 0x80) return readCopy(base, delta, at)
  const start = at + 1
  const end = start + instruction
  return instruction === 0 || end > delta.byteLength ? undefined : { source: delta, start, end, next: end }
}

/** Seven bits of the instruction say which bytes of the offset (4) and the size (3) follow. */
function readCopy(base: Buffer, delta: Buffer, at: number): Piece | undefined {
  const instruction = delta[at] ?? 0
  let next = at + 1
  let start = 0
  let size = 0
  for (let bit = 0; bit < 4; bit += 1) {
    if (instruction & (1 << bit)) start += (delta[next++] ?? 0) * 2 ** (8 * bit)
  }
  for (let bit = 0; bit < 3; bit += 1) {
    if (instruction & (0x10 << bit)) size += (delta[next++] ?? 0) * 2 ** (8 * bit)
  }
  const end = start + (size === 0 ? 0x10000 : size)
  return next > delta.byteLength || end > base.byteLength ? undefined : { source: base, start, end, next }
}

/** Reads a number of seven bits per byte, the lowest first. Undefined after seven bytes or at the end. */
function readSize(
  delta: Buffer,
  start: number,
): { readonly size: number; readonly next: number } | undefined {
  let size = 0
  for (let at = start, factor = 1; at < delta.byteLength && at < start + 7; at += 1, factor *= 128) {
    const byte = delta[at] ?? 0
    size += (byte & 0x7f) * factor
    if (!(byte & 0x80)) return { size, next: at + 1 }
  }
  return undefined
}
