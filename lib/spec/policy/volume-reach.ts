import { addressOf } from '../../state/application/claim.ts'

/** What the options of the engine's own volume driver lead to. The engine passes them to `mount` unchanged. */
export type VolumeReach =
  /** A directory of the engine's own, or memory. */
  | { readonly to: 'nothing' }
  /** A directory of the host, by a bind. */
  | { readonly to: 'host'; readonly path: string }
  /** Shares of other machines, each in lower case. */
  | { readonly to: 'servers'; readonly servers: readonly string[] }
  /** Something else of the host, or something that the options do not tell. */
  | { readonly to: 'elsewhere' }

/** Returns where the data of a volume with these options is. */
export function volumeReach(options: Readonly<Record<string, string>>): VolumeReach {
  const { type = '', device = '', o = '' } = options
  const words = o.split(',').map(word => word.trim())
  if (words.some(word => remaking.test(word))) return { to: 'elsewhere' }
  if (words.some(word => /^r?bind$/.test(word))) return { to: 'host', path: device }
  if (words.some(word => propagating.test(word))) return { to: 'elsewhere' }
  if (type === 'tmpfs' || (type === '' && device === '' && o === '')) return { to: 'nothing' }
  if (/^nfs4?$/.test(type)) return sharesOf([hostOfNfs(device), ...valuesOf(words)], words)
  if (/^(cifs|smb3)$/.test(type)) return sharesOf([hostOfCifs(device), ...valuesOf(words)], words)
  return { to: 'elsewhere' }
}

/** Returns the name or address of a server in the one form in which they are compared. */
export function serverName(text: string): string {
  return addressOf(text.replace(/^\[(.*)\]$/, '$1')).toLowerCase()
}

/** Options that change an existing mount. */
const remaking = /^(remount|move)$/
const propagating = /^r?(shared|slave|private|unbindable)$/
/** Options by which the kernel finds a server. */
const naming = /^(?:addr|ip|mountaddr|mounthost)=(.*)$/
/** Options that replace the device, or change the meaning of a comma. */
const renaming = /^(source|unc|target|path|sep)=/

function valuesOf(words: readonly string[]): readonly string[] {
  return words.flatMap(word => naming.exec(word)?.[1] ?? [])
}

function sharesOf(names: readonly (string | undefined)[], words: readonly string[]): VolumeReach {
  const servers = names.flatMap(name => (name === undefined || name === '' ? [] : [serverName(name)]))
  if (servers.length === 0 || words.some(word => renaming.test(word))) return { to: 'elsewhere' }
  return { to: 'servers', servers: [...new Set(servers)] }
}

/** Returns the host of `10.0.0.9:/srv`. Mostly it is only `:/srv`. */
function hostOfNfs(device: string): string | undefined {
  return /^(.*?):\//.exec(device)?.[1]
}

/** Returns the host of `//files/share`. */
function hostOfCifs(device: string): string | undefined {
  return /^[/\\]{2}([^/\\]*)/.exec(device)?.[1]
}
