import { readdir, readFile, readlink, stat } from 'node:fs/promises'

/** A process that has a socket with a certain name open. */
export type SocketHolder = {
  readonly pid: number
  /** The command line, shortened. */
  readonly command: string
  /** The real user, even of a program with the set-user-ID bit. */
  readonly uid: number
  /** The real group and all other groups of the process. */
  readonly gids: readonly number[]
  /** Whether it was given capabilities of this machine's root. */
  readonly isCapable: boolean
}

/** Who holds a name, as far as this process can see. */
export type Sight = {
  /** For each socket of the name, the processes that have it open. */
  readonly sockets: readonly (readonly SocketHolder[])[]
  /** Whether every process of the machine was looked at. */
  readonly isWhole: boolean
}

/** What the names of all claims in the abstract namespace begin with. */
export const namePrefix = 'tallyman/'

/** The owner and mode of a socket in the file system, which say who may open it. */
export type Door = { readonly uid: number; readonly gid: number; readonly mode: number }

/** Who holds which name, at one look at the machine. */
export type Holders = (name: string) => Sight

/**
 * Looks which processes have sockets with the names of Tallyman in the abstract namespace open: once at all that every
 * process has open, for all names together. Never fails.
 */
export async function lookAtHolders(): Promise<Holders> {
  const links = linksByName(await textOf('/proc/net/unix'))
  const wanted = new Set([...links.values()].flat())
  const pids = wanted.size === 0 ? [] : await pidsNow()
  const looks = await Promise.all(pids.map(async pid => ({ pid, open: await openOf(pid, wanted) })))
  const holding = looks.filter(({ open }) => open === undefined || open.size > 0)
  const known = await Promise.all(
    holding.map(async ({ pid, open }) => ({ open, holder: open && (await holderOf(pid)) })),
  )
  const isWhole = (await seesAll()) && known.every(({ holder }) => holder !== undefined)
  const holders = new Map<string, SocketHolder[]>()
  for (const { open, holder } of known) {
    if (open === undefined || holder === undefined) continue
    for (const link of open) holders.set(link, [...(holders.get(link) ?? []), holder])
  }
  return name => {
    const own = links.get(name)
    if (own === undefined) return { sockets: [], isWhole: false }
    return { sockets: own.map(link => holders.get(link) ?? []), isWhole }
  }
}

async function pidsNow(): Promise<readonly number[]> {
  const entries = await readdir('/proc').catch(() => [])
  return entries.filter(entry => /^\d+$/.test(entry)).map(Number)
}

/**
 * Whether no holder of the name may open the engine's socket, so that none of them is a Tallyman that works on it. A
 * Tallyman does not share its socket, so one holder tells whose a socket is. A socket without a visible holder counts
 * as a Tallyman's, unless the whole machine was looked at: then it is being passed from one process to another.
 */
export function areStrangers({ sockets, isWhole }: Sight, door: Door): boolean {
  return (
    sockets.length > 0 &&
    sockets.every(
      holders => (isWhole || holders.length > 0) && holders.every(holder => !mayOpen(holder, door)),
    )
  )
}

function mayOpen({ uid, gids, isCapable }: SocketHolder, door: Door): boolean {
  return uid === 0 || isCapable || uid === door.uid || gids.includes(door.gid) || (door.mode & 0o002) !== 0
}

/** Returns the owner and mode of a socket; undefined if there is no visible file. */
export async function doorAt(path: string): Promise<Door | undefined> {
  return stat(path).catch(() => undefined)
}

/** Describes the holders, each once: `pid 71 (node squat.js) of uid 1000`. */
export function holdersInWords({ sockets }: Sight): readonly string[] {
  const words = sockets.flat().map(({ pid, command, uid }) => `pid ${pid} (${command}) of uid ${uid}`)
  return [...new Set(words)]
}

/**
 * Returns the sockets of each name of Tallyman, as what has them open names them. The path of a file may look like such
 * a name too. That only adds sockets.
 */
function linksByName(table: string): ReadonlyMap<string, readonly string[]> {
  const links = new Map<string, string[]>()
  for (const line of table.split('\n')) {
    if (!line.includes(namePrefix)) continue
    const [, , , , , , inode, path] = line.trim().split(/\s+/)
    if (inode === undefined || path?.startsWith(`@${namePrefix}`) !== true) continue
    const name = path.slice(1)
    links.set(name, [...(links.get(name) ?? []), `socket:[${inode}]`])
  }
  return links
}

/** Undefined if this user may not look. */
async function openOf(pid: number, wanted: ReadonlySet<string>): Promise<ReadonlySet<string> | undefined> {
  try {
    const fds = await readdir(`/proc/${pid}/fd`)
    const open = await Promise.all(fds.map(fd => linkAt(`/proc/${pid}/fd/${fd}`)))
    return new Set(open.filter(link => wanted.has(link)))
  } catch (error) {
    return hasEnded(error) ? new Set() : undefined
  }
}

async function linkAt(path: string): Promise<string> {
  try {
    return await readlink(path)
  } catch (error) {
    if (hasEnded(error)) return ''
    throw error
  }
}

function hasEnded(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')
}

async function holderOf(pid: number): Promise<SocketHolder | undefined> {
  const status = await textOf(`/proc/${pid}/status`)
  const field = (key: string) => new RegExp(`^${key}:\\s*(.*)$`, 'm').exec(status)?.[1]
  const numbers = (key: string) => (field(key) ?? '').split(/\s+/).filter(Boolean).map(Number)
  const [uid] = numbers('Uid')
  const [gid] = numbers('Gid')
  if (uid === undefined || gid === undefined) return undefined
  return {
    pid,
    command: await commandOf(pid),
    uid,
    gids: [gid, ...numbers('Groups')],
    isCapable: isSet(field('CapAmb')) && (await isOfOurUsers(pid)),
  }
}

const longestCommand = 60

async function commandOf(pid: number): Promise<string> {
  const words = (await textOf(`/proc/${pid}/cmdline`)).split('\0').join(' ').trim()
  return words.length > longestCommand ? `${words.slice(0, longestCommand)}…` : words
}

function isSet(mask: string | undefined): boolean {
  return mask !== undefined && !/^0*$/.test(mask)
}

/** Anybody can be root in a user namespace of their own. */
async function isOfOurUsers(pid: number): Promise<boolean> {
  const [ours, theirs] = await Promise.all([userNamespace('self'), userNamespace(pid)])
  return theirs === undefined || ours === theirs
}

function userNamespace(pid: number | 'self'): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/user`).catch(() => undefined)
}

/** The kernel's name of the namespace in which every process of the machine has an id. */
const allProcesses = 'pid:[4026531836]'

async function seesAll(): Promise<boolean> {
  return (await readlink('/proc/self/ns/pid').catch(() => '')) === allProcesses
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
