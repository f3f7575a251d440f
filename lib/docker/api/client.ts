import { Readable } from 'node:stream'
import { steadyMs } from '../../clock.ts'
import { endpointOf, type SiteEndpoint, type TlsFiles } from '../../endpoint.ts'
import type { RegistryLogin } from '../../engine.ts'
import { lateAnswer } from '../../errors/late-answer.ts'
import type { Failure } from '../../errors.ts'
import { type KeepUsedLimits, type KeptWhileUsed, keepUsed } from '../../memo/keep-used.ts'
import { optional } from '../../object.ts'
import { type Redact, redactNothing } from '../../text/redaction/redact.ts'
import { abortable } from '../../wait/abortable.ts'
import { createLanes, type Lanes } from '../../wait/lanes.ts'
import { linkedAbort } from '../../wait/linked-abort.ts'
import { later, type Timer } from '../../wait/timer.ts'
import type { Registered } from '../metadata/registered.ts'
import type { Looks } from '../observe/looks.ts'
import { dial, type EngineAnswer, type EngineRequest } from './connection/dial.ts'
import { expiredCertificate } from './connection/expired-certificate.ts'
import { mayBeRepeated, takeIn } from './connection/kept-connection.ts'
import { loginFilesMark } from './connection/login-files.ts'
import { type OpenedEngine, openEngine } from './connection/open.ts'
import { limitedIn, usualLimitMs } from './connection/time-limits.ts'
import type { WaitingConnections } from './connection/waiting-connections.ts'
import { connectionFailure } from './connection-failure.ts'
import { isLeaving } from './refusal.ts'

/** The connection to one engine. */
export type Client = {
  readonly site: string
  readonly tls?: TlsFiles
  /** The path of its socket, if it is reached by one. */
  readonly socket?: string
  /** Whether the ingress on this site is a container of the operator. */
  readonly hasExternalIngress: boolean
  /** Reads the login for a registry's host at each call (G21). */
  readonly login: (host: string) => Promise<RegistryLogin | undefined>
  /**
   * Asks the engine once. A refusal is an answer. Fails with `engine-unreachable`, `engine-denied`,
   * `engine-unsupported`, or, if the signal aborts, `interrupted`. `T` is the body that the Engine API documents for
   * the path.
   */
  call<T>(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer<T>>
  /** The engine's version, as it told it with the last connection; undefined before the first call. */
  engineVersion(): string | undefined
  /** Whether the engine accepts new connections. An engine that shuts down does not, while it ends its containers. */
  knock(): Promise<boolean>
  /**
   * Whether the engine was unreachable a short time ago. Around that time it ends and restores its containers, but for one
   * that we started since: that has not ended because of it.
   */
  wasAway(container?: string): boolean
  /** Records that we started a container. */
  noteStarted(container: string): void
  /** Whether the engine answered a call within that time, in ms. */
  answeredWithin(ms: number): boolean
  /**
   * Records that the engine went away, as the end of one of its streams shows. Calls and knocks record it themselves.
   */
  noteAway(): void
  /** Runs what concerns one thing of the engine one after the other. */
  readonly inLane: Lanes
  /** The versions of programs in containers, by the container's id. They never change. */
  readonly versions: KeptWhileUsed<string, string>
  /** Hides the secrets of the environment in the output of containers (G16). */
  readonly redact: Redact
  /** The engine's own ids of images, by their digest. They never change. */
  readonly imageIds: KeptWhileUsed<string, string>
  /** What is known of images, by the digest or the id of each. It never changes. */
  readonly imageFacts: KeptWhileUsed<string, ImageFacts>
  readonly looks: Looks
  /** Which pods the metadata service of an environment could tell of, by its volume. */
  readonly registered: Map<string, Registered>
  /** Ends the connections, each as soon as nothing uses it. A later call connects again, for as long as more follow. */
  close(): void
}

/** What a client remembers of images and programs, of each as long as it is used. */
export type RemembersImages = Pick<Client, 'versions' | 'imageIds' | 'imageFacts'>

/**
 * Returns what a client remembers at first. Ten thousand sites that kept a kilobyte of each image that they ever had would
 * need a gigabyte more after a year (G22).
 */
export function nothingRemembered(clockMs?: () => number): RemembersImages {
  return {
    versions: keepUsed(memoryLimits, clockMs),
    imageIds: keepUsed(memoryLimits, clockMs),
    imageFacts: keepUsed(memoryLimits, clockMs),
  }
}

/** As many images as a site has, and more. What a change uses is used again while it goes on. */
const memoryLimits: KeepUsedLimits = { most: 1_000, unusedMs: 60 * 60_000 }

/** The reserved labels of an image, and the names of its variables. */
export type ImageFacts = {
  readonly reserved: Readonly<Record<string, string>>
  readonly variables: readonly string[]
}

export type ClientOptions = {
  /** Whether the ingress on this site is a container of the operator. */
  readonly hasExternalIngress?: boolean
  /** Lets few connections to one SSH server be under way at a time, over all sites. */
  readonly starts?: Lanes
  /** What the calls of all sites share where the process may open few files; absent: nothing. */
  readonly connections?: Connections
  /** How long connections wait for the next call after `close`, in ms; absent: a minute. */
  readonly lingerMs?: number
  /** Waits for the turn of an answer that is there, and of whoever asked; absent: it is read at once. */
  readonly turn?: () => Promise<void>
}

/** The connections of a process to all its engines. */
export type Connections = {
  /** Where they wait for their next call. */
  readonly waiting: WaitingConnections
  /** Makes a call as soon as one more connection may be open. */
  place<T>(site: string, call: () => Promise<T>): Promise<T>
}

/** An SSH server drops some connections as soon as ten have not logged in (MaxStartups). */
export const startsAtATime = 4

/**
 * Creates a client, which connects at the first call. Fails with `config-invalid` if the address is invalid.
 * - Commands that ask no engine never load dockerode, which takes 100 ms and 30 MB.
 * - The API version is negotiated once per connection, and again after the connection was lost.
 * - The next call uses renewed certificates and keys. While their files cannot be read, the former ones are used.
 * - Connections are kept alive and used again, as far as there is room for them. If one is closed just when a call that
 *   only reads uses it, that call is made once more on a new one. Any other call fails then, because the engine may have
 *   begun with it.
 */
export function openClient(
  site: SiteEndpoint,
  login: Client['login'],
  {
    hasExternalIngress = false,
    starts = createLanes(startsAtATime),
    connections,
    lingerMs = 60_000,
    turn,
  }: ClientOptions = {},
): Client {
  const { name } = site
  const shared = { starts, ...optional('waiting', connections?.waiting) }
  const endpoint = endpointOf(site, process.env)
  let opened: Promise<OpenedEngine> | undefined
  let version: string | undefined
  let openedWith: string | undefined
  let awayAtMs = Number.NEGATIVE_INFINITY
  /** What was started since the engine was away, for as long as that matters. */
  const started = new Set<string>()
  const noteAway = () => {
    awayAtMs = steadyMs()
    started.clear()
  }
  const wasAway = () => steadyMs() - awayAtMs < restoresWithinMs
  /** Ends the calls under way that may take longer than others, and only read. */
  const patient = new Set<(failure: Failure) => void>()
  let answeredAtMs = Number.NEGATIVE_INFINITY
  /** What is under way comes to its end. */
  const forget = () => {
    opened?.then(
      ({ close }) => close(),
      () => undefined,
    )
    opened = undefined
  }
  let isClosed = false
  let lingering: Timer | undefined
  /** What is under way when a client is closed may have more to ask, and leaves nothing behind. */
  const linger = () => {
    lingering?.cancel()
    lingering = later(lingerMs, forget)
    lingering.unref()
  }
  const connected = async () => {
    const files = await loginFilesMark(endpoint)
    if (files !== undefined && files !== openedWith) forget()
    openedWith = files ?? openedWith
    const opening = opened ?? openEngine(name, endpoint, shared)
    opened = opening
    const engine = await opening.catch(error => {
      // Another one may be there by now, because the login files were changed meanwhile.
      if (opened === opening) opened = undefined
      throw error
    })
    version = engine.version
    if (isClosed) linger()
    return engine
  }
  return {
    site: name,
    ...(endpoint.kind === 'tcp' && endpoint.tls !== undefined ? { tls: endpoint.tls } : {}),
    ...(endpoint.kind === 'unix' ? { socket: endpoint.path } : {}),
    hasExternalIngress,
    login,
    inLane: createLanes(),
    ...nothingRemembered(),
    engineVersion: () => version,
    knock: async () => {
      const isThere = await connected().then(
        engine => engine.knock(),
        () => false,
      )
      if (!isThere) noteAway()
      return isThere
    },
    wasAway: container => wasAway() && !(container !== undefined && started.has(container)),
    noteStarted: container => {
      if (wasAway()) started.add(container)
    },
    answeredWithin: ms => steadyMs() - answeredAtMs < ms,
    noteAway,
    redact: redactNothing,
    looks: new Map(),
    registered: new Map(),
    close: () => {
      isClosed = true
      forget()
    },
    call: async <T>(request: EngineRequest, signal: AbortSignal) => {
      const limitMs = request.limitMs ?? usualLimitMs
      const limit = linkedAbort(signal)
      const limited = limit.signal
      let timer: Timer | undefined
      const giveUp = (failure: Failure) => limit.abort(failure)
      if (limitMs > usualLimitMs && request.method === 'GET' && request.stream === undefined)
        patient.add(giveUp)
      const make = async () => {
        // Connecting has limits of its own.
        const { docker } = await abortable(connected(), limited)
        timer ??= later(limitMs, () => limit.abort(lateAnswer(name, limitMs)))
        await takeIn()
        await turn?.()
        return limitedIn(name, request, await dial<T>(docker, request, limited, turn))
      }
      const insist = () =>
        make().catch(error => {
          if (limited.aborted || !mayBeRepeated(request, error)) throw error
          forget()
          return make()
        })
      try {
        // A stream may last for as long as somebody reads it, and would keep its place from all others.
        const isPlaced = connections !== undefined && request.stream === undefined
        const answer = await (isPlaced ? abortable(connections.place(name, insist), limited) : insist())
        answeredAtMs = steadyMs()
        if (answer.ok && answer.body instanceof Readable) answer.body.once('close', limit[Symbol.dispose])
        else limit[Symbol.dispose]()
        if (!answer.ok && request.asksRegistry === undefined && isLeaving(answer)) noteAway()
        if (!answer.ok && /client version \S+ is too (old|new)/.test(answer.message)) forget()
        return answer
      } catch (error) {
        limit[Symbol.dispose]()
        const expired = await expiredCertificate(endpoint)
        const failure = connectionFailure(name, error, signal, expired)
        if (failure.code === 'engine-unreachable') {
          noteAway()
          // A connection that was lost without a word would keep its call waiting, whoever else is answered by then.
          for (const end of patient) if (end !== giveUp) end(failure)
        }
        if (failure.code === 'engine-unreachable' || failure.code === 'engine-denied') forget()
        throw failure
      } finally {
        patient.delete(giveUp)
        timer?.cancel()
      }
    },
  }
}

/** An engine that was restarted has restored its containers within this time. */
const restoresWithinMs = 30_000
/** For a call that may move many bytes, or makes the engine look for a plugin, which takes up to a minute. */
export const patientMs: number = 120_000
