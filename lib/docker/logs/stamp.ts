/** The time that the engine writes in front of what it got, and what follows it. */
export type Stamped = { readonly at: string; readonly bytes: Buffer }

const form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.)(\d{9})(Z|[+-]\d\d:\d\d) /
const longestStamp = 36
/** The engine cuts what is written without a line break into pieces of this size, and gives each a time. */
const pieceBytes = 16 * 1024

/** Takes the engine's time off; `at` is empty if there is none. */
export function takeStamp(bytes: Buffer): Stamped {
  const [found = '', seconds = '', fraction = '', zone = ''] =
    form.exec(bytes.toString('latin1', 0, longestStamp)) ?? []
  const at = zone === 'Z' || found === '' ? found.trimEnd() : inUtc(`${seconds}${fraction}${zone}`, fraction)
  // A container may write what only looks like one.
  return at === undefined ? { at: '', bytes } : { at, bytes: bytes.subarray(found.length) }
}

/** Takes off the times that the engine wrote into a long line of a terminal, too: nothing else separates its pieces. */
export function takeStamps(line: Buffer): Stamped {
  const first = takeStamp(line)
  const pieces: Buffer[] = []
  let { bytes } = first
  while (bytes.length > pieceBytes) {
    const next = takeStamp(bytes.subarray(pieceBytes))
    if (next.at === '') break
    pieces.push(bytes.subarray(0, pieceBytes))
    bytes = next.bytes
  }
  return { at: first.at, bytes: Buffer.concat([...pieces, bytes]) }
}

/** Undefined if there is no such time. */
function inUtc(time: string, fraction: string): string | undefined {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.\d+Z$/, `.${fraction}Z`)
}
