import { createHash } from 'node:crypto'
import { connect, createServer, type Server } from 'node:net'
import { basename } from 'node:path'
import { optional } from './object.ts'
import { parsedJson } from './parsed-json.ts'
import type { Identity } from './state/identity.ts'
import { byText } from './text/order.ts'
import { createLanes } from './wait/lanes.ts'
import { later } from './wait/timer.ts'
import { createLocks, type Lock } from './writer/lock.ts'
import { processInWords } from './writer/on-engine/machine.ts'
import { createSights } from './writer/sights.ts'
import {
  areStrangers,
  doorAt,
  type Holders,
  holdersInWords,
  lookAtHolders,
  namePrefix,
  type Sight,
} from './writer/socket-holders.ts'

/**
 * At most one Tallyman on a machine writes to one environment on one engine. A claim lives as long as its process, and
 * a kill -9 ends it. It has two parts:
 * - A socket in Linux's abstract namespace: no file can be left behind or deleted, and every user can create one. A
 *   process that connects to it is told whose it is.
 * - A file that root locks, because anybody can take the name of such a socket first. The process with the lock passes
 *   over a socket that only strangers hold, who may not open the engine's socket. Once it has the name itself, it gives
 *   up the lock: whoever comes then finds a holder who is no stranger.
 */
export type Writer = {
  /**
   * Claims the environment on these engines for the claimant. A claim lasts until `leave` or `release`. Two claimants in one
   * process exclude each other like two processes.
   */
  claim(claimant: object, identity: Identity, doors: readonly EngineDoor[]): Promise<ClaimResult>
  /** Gives up what the claimant has claimed on one engine, so that another process may write there. */
  leave(claimant: object, engineId: string): Promise<void>
  release(): Promise<void>
}

/** An engine by its own id, and the socket in the file system that leads to it, if there is one. */
export type EngineDoor = { readonly id: string; readonly socket?: string }

/**
 * `strangers`: who holds the socket without being able to write, in words. `rival`: who writes instead, if it says so.
 * `silent`: the socket of a holder that does not answer, and who that is, in words, as far as this user may know.
 */
export type ClaimResult =
  | { readonly isOurs: true; readonly strangers?: readonly string[] }
  | {
      readonly isOurs: false
      readonly rival?: OtherWriter
      readonly silent?: { readonly name: string; readonly holders: readonly string[] }
    }

/** What another writer says of itself, and where it runs; absent: it is of a version that does not say. */
export type OtherWriter = Identity & { readonly who?: string }

type Held = {
  readonly claimant: object
  /** Only as long as strangers hold the name. */
  lock?: Lock | undefined
  /** Absent as long as strangers hold the name. */
  server?: Server
  identity: Identity
}

/** A directory of root: nobody else can recognise strangers. */
const usualLocks = '/run/tallyman'

/**
 * Creates the writer of a process.
 * @param directory where the locks of this user are
 * @param look looks which processes of the machine have sockets with names of Tallyman open
 */
export function createWriter(directory: string = usualLocks, look = lookAtHolders): Writer {
  const locks = createLocks(directory)
  const sights = createSights(look)
  const held = new Map<string, Held>()
  /** Two claims of one name would have one lock, and both would give it up. */
  const inOrder = createLanes()
  /** All names that were ever asked for, by the engine that they are of. */
  const namesOn = new Map<string, Set<string>>()
  /**
   * Whoever is passed over has to be a stranger now. That a Tallyman holds the name may be known from a short time ago,
   * and is then asked of it: to look at what is open on the machine takes longer. Nobody is asked or named of whom
   * nothing is known.
   * @param asksStrangers they cannot be passed over, so that they are asked, too
   */
  const holderOf = async (
    name: string,
    socket: string | undefined,
    asksStrangers: boolean,
  ): Promise<Holder> => {
    const door = socket === undefined ? undefined : await doorAt(socket)
    const judged = (holders: Holders) => {
      const sight = holders(name)
      return { sight, areStrange: door !== undefined && areStrangers(sight, door) }
    }
    const before = judged(await sights.recent())
    if (before.sight.sockets.length > 0 && !before.areStrange) {
      const rival = await ask(`\0${name}`)
      if (rival !== undefined) return { ...before, rival }
    }
    const now = judged(await sights.now())
    if (now.areStrange && !asksStrangers) return now
    return { ...now, ...optional('rival', await ask(`\0${name}`)) }
  }
  const claimOne = async (
    name: string,
    claimant: object,
    identity: Identity,
    { socket }: EngineDoor,
  ): Promise<ClaimResult> => {
    const own = held.get(name)
    if (own !== undefined && own.claimant !== claimant) return { isOurs: false, rival: said(own.identity) }
    if (own?.server !== undefined) {
      own.identity = identity
      return { isOurs: true }
    }
    const lock = own?.lock ?? locks.take(basename(name))
    const mine: Held = own ?? { claimant, identity }
    mine.identity = identity
    mine.lock = typeof lock === 'string' ? undefined : lock
    const whose = () => holderOf(name, socket, typeof lock === 'string' && lock !== 'taken')
    if (lock === 'taken') {
      const holder = await whose()
      return holder.areStrange ? { isOurs: false } : theirs(name, holder)
    }
    held.set(name, mine)
    const server = await listen(`\0${name}`, mine)
    if (server !== undefined) {
      mine.server = server
      mine.lock?.release()
      mine.lock = undefined
      return { isOurs: true }
    }
    const holder = await whose()
    if (mine.lock !== undefined && holder.areStrange)
      return { isOurs: true, strangers: holdersInWords(holder.sight) }
    held.delete(name)
    mine.lock?.release()
    return theirs(name, holder)
  }
  const giveUp = async (names: readonly string[], claimant?: object) => {
    const giveUpOne = async (name: string) => {
      const one = held.get(name)
      if (one === undefined || (claimant !== undefined && one.claimant !== claimant)) return
      held.delete(name)
      const { server, lock } = one
      if (server !== undefined) await new Promise(resolve => server.close(resolve))
      lock?.release()
    }
    await Promise.all(names.map(name => inOrder(name, () => giveUpOne(name))))
  }
  return {
    async claim(claimant, identity, doors) {
      const strangers: string[] = []
      let isUsurped = false
      for (const door of [...doors].sort(byText(({ id }) => id))) {
        const name = nameOf(door.id, identity)
        namesOn.set(door.id, (namesOn.get(door.id) ?? new Set()).add(name))
        const claimed = await inOrder(name, () => claimOne(name, claimant, identity, door))
        if (!claimed.isOurs) return claimed
        isUsurped ||= claimed.strangers !== undefined
        for (const stranger of claimed.strangers ?? []) strangers.push(stranger)
      }
      return { isOurs: true, ...(isUsurped ? { strangers } : {}) }
    },
    leave: (claimant, engineId) => giveUp([...(namesOn.get(engineId) ?? [])], claimant),
    release: () => giveUp([...namesOn.values()].flatMap(names => [...names])),
  }
}

/** Who holds a name that is taken, and what it says of itself, if it was asked and answers. */
type Holder = { readonly sight: Sight; readonly areStrange: boolean; readonly rival?: OtherWriter }

function theirs(name: string, { sight, rival }: Holder): ClaimResult {
  if (rival !== undefined) return { isOurs: false, rival }
  return {
    isOurs: false,
    ...(sight.sockets.length === 0 ? {} : { silent: { name, holders: holdersInWords(sight) } }),
  }
}

/** Returns the name of the socket, which may have 107 bytes at most. */
function nameOf(engineId: string, { environment, source }: Identity): string {
  const hash = createHash('sha256').update(JSON.stringify([engineId, source, environment]))
  return `${namePrefix}${hash.digest('hex').slice(0, 32)}`
}

/** Keeps nothing else of whoever claims: there may be one for each of thousands of sites. */
function listen(name: string, of: { readonly identity: Identity }): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket =>
      socket.on('error', () => undefined).end(JSON.stringify(said(of.identity))),
    )
    server.unref()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(name, () => resolve(server))
  })
}

function said(identity: Identity): OtherWriter {
  return { ...identity, who: processInWords() }
}

const answerMs = 1_000
const longestAnswer = 8_000

/**
 * Returns the owner of the socket; undefined if it does not end its answer in time, or answers something else. Whoever it
 * is, nobody waits longer.
 */
function ask(name: string): Promise<OtherWriter | undefined> {
  return new Promise(resolve => {
    let said = ''
    const socket = connect(name).setEncoding('utf8')
    const limit = later(answerMs, () => socket.destroy())
    socket.on('data', text => {
      said += String(text)
      if (said.length > longestAnswer) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      limit.cancel()
      resolve(rivalIn(said))
    })
  })
}

/** Reads an answer, which may come from anybody on this machine. */
function rivalIn(said: string): OtherWriter | undefined {
  const value = parsedJson(said)
  const text = (key: string) => {
    const field = value === null || typeof value !== 'object' ? undefined : Reflect.get(value, key)
    return typeof field === 'string' ? field : undefined
  }
  const [environment, source, address, directory] = ['environment', 'source', 'address', 'directory'].map(
    text,
  )
  if (!environment || !source || !address || !directory) return undefined
  return { environment, source, address, directory, ...optional('who', text('who')) }
}
