import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'
import { parseBytes } from './bytes.ts'
import { parsePath } from './path.ts'

/** An in-memory file system: where, and how large and open it may be. */
export type Tmpfs = {
  readonly kind: 'tmpfs'
  readonly path: string
  readonly sizeBytes?: number
  readonly mode?: number
}

/** `/run` or `/run:size=64m,mode=1770`. */
export function parseTmpfs(text: string): Parsed<Tmpfs> {
  const colon = text.indexOf(':')
  const path = parsePath(colon === -1 ? text : text.slice(0, colon))
  if (!path.ok) return path
  const options = colon === -1 ? [] : text.slice(colon + 1).split(',')
  let tmpfs: Tmpfs = { kind: 'tmpfs', path: path.value }
  for (const option of options) {
    const setting = readOption(option)
    if (!setting.ok) return setting
    tmpfs = { ...tmpfs, ...setting.value }
  }
  return parsed(tmpfs)
}

/** Permission bits in octal, `1777`. */
export function parseMode(text: string): Parsed<number> {
  return /^[0-7]{1,5}$/.test(text) && Number.parseInt(text, 8) <= 0o7777
    ? parsed(Number.parseInt(text, 8))
    : malformed(`"${text}" is no octal mode such as 1777`)
}

function readOption(option: string): Parsed<Partial<Tmpfs>> {
  const [name, value = ''] = option.split('=', 2)
  switch (name) {
    case 'size': {
      const size = parseBytes(value)
      return size.ok ? parsed({ sizeBytes: size.value }) : size
    }
    case 'mode': {
      const mode = parseMode(value)
      return mode.ok ? parsed({ mode: mode.value }) : mode
    }
    default:
      return malformed(`has the option "${option}"; there are size and mode`)
  }
}
