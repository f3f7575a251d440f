/** The size of what a delta makes: known before it is applied. */
export function deltaSize(delta: Buffer): number {
  const base = readSize(delta, 0)
  return readSize(delta, base.next).size
}

/**
 * The object a delta makes of its base; undefined when it does not fit the base or is damaged.
 * The result's size is the delta's own word: check `deltaSize` first.
 */
export function applyDelta(base: Buffer, delta: Buffer): Buffer | undefined {
  const baseSize = readSize(delta, 0)
  const resultSize = readSize(delta, baseSize.next)
  if (baseSize.size !== base.byteLength) return undefined
  const result = Buffer.allocUnsafe(resultSize.size)
  let written = 0
  let at = resultSize.next
  while (at < delta.byteLength) {
    const instruction = delta[at] ?? 0
    if (instruction === 0) return undefined
    const piece = instruction & 0x80 ? readCopy(base, delta, at) : readInsert(delta, at + 1, instruction)
    if (piece === undefined || written + piece.bytes.byteLength > result.byteLength) return undefined
    written += piece.bytes.copy(result, written)
    at = piece.next
  }
  return written === result.byteLength ? result : undefined
}

type Piece = { readonly bytes: Buffer; readonly next: number }

function readInsert(delta: Buffer, start: number, length: number): Piece | undefined {
  const next = start + length
  return next > delta.byteLength ? undefined : { bytes: delta.subarray(start, next), next }
}

/** Seven bits of the instruction say which bytes of offset (4) and size (3) follow. */
function readCopy(base: Buffer, delta: Buffer, at: number): Piece | undefined {
  const instruction = delta[at] ?? 0
  let next = at + 1
  let offset = 0
  let size = 0
  for (let bit = 0; bit < 4; bit += 1) {
    if (instruction & (1 << bit)) offset += (delta[next++] ?? 0) * 2 ** (8 * bit)
  }
  for (let bit = 0; bit < 3; bit += 1) {
    if (instruction & (0x10 << bit)) size += (delta[next++] ?? 0) * 2 ** (8 * bit)
  }
  const length = size === 0 ? 0x10000 : size
  if (next > delta.byteLength || offset + length > base.byteLength) return undefined
  return { bytes: base.subarray(offset, offset + length), next }
}

function readSize(delta: Buffer, start: number): { readonly size: number; readonly next: number } {
  let size = 0
  for (let at = start, factor = 1; at < delta.byteLength && at < start + 7; at += 1, factor *= 128) {
    const byte = delta[at] ?? 0
    size += (byte & 0x7f) * factor
    if (!(byte & 0x80)) return { size, next: at + 1 }
  }
  return { size: Number.POSITIVE_INFINITY, next: delta.byteLength }
}
