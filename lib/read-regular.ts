import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/** The content of a file, and what the system says of it. */
export type RegularFile = { readonly bytes: Buffer; readonly stats: Stats }

/** How much is read at most; absent: as much as there is. */
type Bound = { readonly mostBytes?: number }

/** Never waits for the other end of a pipe, and takes no terminal over. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/**
 * Reads a file that somebody else may have put there. Fails with a code, as the system does, or with `not a file`: a
 * pipe to which nobody writes would never be read to its end, and keep the process from ending, too; a device may have
 * no end. Fails with `too large` above that many bytes.
 */
export async function readRegular(path: string, { mostBytes = unbounded }: Bound = {}): Promise<RegularFile> {
  await using file = await open(path, flags)
  const stats = demandFile(await file.stat(), mostBytes)
  return { bytes: await file.readFile(), stats }
}

/** Reads the text of such a file. */
export async function readRegularText(path: string): Promise<string> {
  return (await readRegular(path)).bytes.toString()
}

/** Reads such a file at once. */
export function readRegularNow(path: string, bound?: Bound): Buffer {
  return withRegular(path, fd => readFileSync(fd), bound)
}

/** Calls `use` with such a file that is open for reading, and closes it afterwards. */
export function withRegular<T>(
  path: string,
  use: (fd: number) => T,
  { mostBytes = unbounded }: Bound = {},
): T {
  const fd = openSync(path, flags)
  try {
    demandFile(fstatSync(fd), mostBytes)
    return use(fd)
  } finally {
    closeSync(fd)
  }
}

const unbounded = Number.POSITIVE_INFINITY

function demandFile(stats: Stats, mostBytes: number): Stats {
  if (!stats.isFile()) throw Object.assign(new Error('it is not a file'), { code: 'not a file' })
  if (stats.size > mostBytes)
    throw Object.assign(new Error(`it is larger than ${mostBytes / 1024 ** 2} MiB`), { code: 'too large' })
  return stats
}
