import type { Mount } from '../../state/application/container/container.ts'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'
import { parseBytes } from './bytes.ts'
import { parseId } from './id.ts'
import { parsePath } from './path.ts'

/** An in-memory file system: its path, owner, size and permissions. */
export type Tmpfs = Extract<Mount, { kind: 'tmpfs' }>

/** Parses `/run` or `/run:size=64m,mode=1770,uid=1000,gid=1000,exec`. */
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

/** Parses permission bits in octal, `1777` or `0o1777`. */
export function parseMode(text: string): Parsed<number> {
  const digits = text.replace(/^0o/, '')
  return /^[0-7]{1,5}$/.test(digits) && Number.parseInt(digits, 8) <= 0o7777
    ? parsed(Number.parseInt(digits, 8))
    : malformed(`"${text}" is no octal mode such as 1777`)
}

/** The default options of every one. */
const always = ['rw', 'noexec', 'nosuid', 'nodev']

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
    case 'uid':
    case 'gid': {
      const id = parseId(value)
      return id.ok ? parsed({ [name]: id.value }) : id
    }
  }
  if (option === 'exec') return parsed({ exec: true })
  return always.includes(option)
    ? parsed({})
    : malformed(`has the option "${option}"; there are size, mode, uid, gid and exec`)
}
