import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'

/** The content of a file, and what the system says of it. */
export type RegularFile = { readonly bytes: Buffer; readonly stats: Stats }

/** How much is read at most. */
type Bound = { readonly mostBytes: number }

/** Never waits for the other end of a pipe, and takes no terminal over. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/** Far more than keys, certificates, passwords and refs have. */
const usualBound: Bound = { mostBytes: 32 * 1024 ** 2 }

/**
 * Reads a file that somebody else may have put there. Fails with a code, as the system does, or with `not a file`: a
 * pipe to which nobody writes would never be read to its end, and keep the process from ending, too; a device may have
 * no end. Fails with `too large` above that many bytes, whatever the system says how large it is: it says of its own files
 * that they are empty, and others grow.
 */
export async function readRegular(path: string, { mostBytes } = usualBound): Promise<RegularFile> {
  await using file = await open(path, flags)
  const stats = demandFile(await file.stat())
  demandSize(stats.size, mostBytes)
  // The end is the last byte that is read.
  const bytes = await buffer(file.createReadStream({ start: 0, end: mostBytes, autoClose: false }))
  demandSize(bytes.length, mostBytes)
  return { bytes, stats }
}

/** Reads the text of such a file. */
export async function readRegularText(path: string): Promise<string> {
  return (await readRegular(path)).bytes.toString()
}

/** Reads such a file at once; without a bound, as much as the system says that there is. */
export function readRegularNow(path: string, bound?: Bound): Buffer {
  return withRegular(path, (fd, { size }) => {
    if (bound === undefined) return readNow(fd, size, size)
    demandSize(size, bound.mostBytes)
    const bytes = readNow(fd, size + 1, bound.mostBytes + 1)
    demandSize(bytes.length, bound.mostBytes)
    return bytes
  })
}

/** Calls `use` with such a file that is open for reading, and closes it afterwards. */
export function withRegular<T>(path: string, use: (fd: number, stats: Stats) => T): T {
  const fd = openSync(path, flags)
  try {
    return use(fd, demandFile(fstatSync(fd)))
  } finally {
    closeSync(fd)
  }
}

/** Reads to the end, or that many bytes, in pieces of at least the size that is expected. */
function readNow(fd: number, expected: number, mostBytes: number): Buffer {
  const parts: Buffer[] = []
  for (let had = 0; ; ) {
    const part = Buffer.alloc(Math.min(Math.max(expected, pieceBytes), mostBytes - had))
    const bytesRead = part.length === 0 ? 0 : readSync(fd, part)
    if (bytesRead === 0) return parts.length === 1 ? (parts[0] ?? part) : Buffer.concat(parts)
    parts.push(part.subarray(0, bytesRead))
    had += bytesRead
  }
}

const pieceBytes = 4 * 1024

function demandFile(stats: Stats): Stats {
  if (!stats.isFile()) throw Object.assign(new Error('it is not a file'), { code: 'not a file' })
  return stats
}

function demandSize(bytes: number, mostBytes: number): void {
  if (bytes > mostBytes)
    throw Object.assign(new Error(`it is larger than ${mostBytes / 1024 ** 2} MiB`), { code: 'too large' })
}
