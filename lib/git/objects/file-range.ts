import { closeSync, openSync, readSync } from 'node:fs'

/** Reads bytes of an open file; at its end it returns fewer. */
export function readRange(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(end - start, 0))
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.byteLength, start))
}

/** Calls `use` with a file that is open for reading, and closes the file afterwards. */
export function withFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openSync(path, 'r')
  try {
    return use(fd)
  } finally {
    closeSync(fd)
  }
}
