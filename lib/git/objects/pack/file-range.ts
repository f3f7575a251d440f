import { readSync } from 'node:fs'

/** Reads bytes of an open file; at its end it returns fewer. */
export function readRange(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(end - start, 0))
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.byteLength, start))
}
