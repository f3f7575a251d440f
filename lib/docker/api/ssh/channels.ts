import type { Duplex } from 'node:stream'
import type { Client, ClientChannel } from 'ssh2'
import type { SshEndpoint } from '../../../endpoint.ts'
import type { Lanes } from '../../../wait/lanes.ts'
import { later } from '../../../wait/timer.ts'
import { ChannelSocket, type EngineChannel } from './channel-socket.ts'
import { type LoginLimits, logIn } from './log-in.ts'
import { commandRefusal, lostConnection, sessionRefusal, silentHost, usualSocket } from './refusal.ts'

/** The channels to one engine over SSH. */
export type Channels = {
  /** Logs in, if nobody has. Fails as `logIn` does. */
  connect(): Promise<void>
  /** Returns a new one, which opens by itself, and tells after this long that nothing came. */
  open(idleMs: number): ChannelSocket
  /** Whether the engine answers on a new one. */
  knock(): Promise<boolean>
  /** Ends every connection as soon as its last channel is closed. */
  close(): void
}

/** In milliseconds: until a channel is open, and until an engine answers a knock. */
export type ChannelLimits = LoginLimits & { readonly channelMs: number; readonly knockMs: number }

const usualLimits: ChannelLimits = {
  loginMs: 10_000,
  silenceMs: 60_000,
  channelMs: 10_000,
  knockMs: 5_000,
}

/** A connection. It is ended when it has no channel, unless it is the first of a transport that is still used. */
type Link = {
  readonly client: Promise<Client>
  readonly sockets: Set<ChannelSocket>
  /** How many channels it may have. */
  room: number
  /** Whether the host may still be asked to forward to the socket of the engine. */
  mayForward: boolean
}

/** An SSH server refuses more than ten sessions of a connection, unless MaxSessions says otherwise. */
const mostChannels = 9

/**
 * Prepares channels to an engine, and connects when the first one is opened.
 * - One connection carries them all. What finds no room on it gets another one: waiting would cost a call its time, and
 *   a stream of events is never over.
 * - A channel leads to the socket of the engine. If the host does not forward to it, `docker system dial-stdio` does.
 * - What is lost with a connection breaks with ECONNRESET. The next channel connects again.
 * @param starts lets few connections to one host be under way at a time, because its server counts them (MaxStartups)
 */
export function openChannels(
  site: string,
  endpoint: SshEndpoint,
  starts: Lanes,
  limits: ChannelLimits = usualLimits,
): Channels {
  const links = new Set<Link>()
  let isClosed = false

  function newLink(): Link {
    const { host, port } = endpoint
    const link: Link = {
      client: starts(`${host}:${port}`, () => logIn(site, endpoint, limits)),
      sockets: new Set(),
      room: mostChannels,
      mayForward: true,
    }
    links.add(link)
    const lose = (why: string) => {
      links.delete(link)
      for (const socket of link.sockets) socket.destroy(lostConnection(endpoint, why))
    }
    link.client.then(
      client =>
        client
          .on('error', ({ message }) => lose(message))
          .on('close', () => lose('the host closed it, or the network is gone')),
      () => links.delete(link),
    )
    return link
  }

  async function channelFor(socket: ChannelSocket): Promise<EngineChannel> {
    for (;;) {
      const link = [...links].find(({ sockets, room }) => sockets.size < room) ?? newLink()
      link.sockets.add(socket)
      socket.once('close', () => leave(link, socket))
      const client = await link.client
      const late = later(limits.channelMs, () => {
        // Nothing new is begun on it. What is under way may still come to its end.
        links.delete(link)
        socket.destroy(silentHost(site, endpoint, limits.channelMs))
      })
      const opened = await channelOn(link, client).finally(late.cancel)
      if (!(opened instanceof Error)) return opened
      leave(link, socket)
      if (socket.destroyed) throw opened
      if (link.sockets.size === 0) throw sessionRefusal(site, endpoint, opened)
      link.room = link.sockets.size
    }
  }

  /** Returns the error if the host opens neither kind of channel. */
  async function channelOn(link: Link, client: Client): Promise<EngineChannel | Error> {
    const forwarded = link.mayForward
      ? await opening(done =>
          client.openssh_forwardOutStreamLocal(endpoint.socket ?? usualSocket, (error, channel) =>
            done(error, channel),
          ),
        )
      : undefined
    if (forwarded !== undefined && !(forwarded instanceof Error)) return { channel: forwarded }
    const channel = await opening(done =>
      client.exec(commandFor(endpoint), (error, channel) => done(error, channel)),
    )
    if (channel instanceof Error) return channel
    return {
      channel,
      refusal: end => commandRefusal(site, endpoint, end),
      onAnswer: () => {
        link.mayForward = false
      },
    }
  }

  function leave(link: Link, socket: ChannelSocket): void {
    if (!link.sockets.delete(socket) || link.sockets.size > 0) return
    const [first] = links
    if (isClosed || link !== first) end(link)
  }

  function end(link: Link): void {
    links.delete(link)
    link.client.then(
      client => {
        client.end()
        later(lingerMs, () => client.destroy()).unref()
      },
      () => undefined,
    )
  }

  const open = (idleMs: number) => new ChannelSocket(channelFor, idleMs)

  return {
    connect: async () => {
      const [first = newLink()] = links
      await first.client
    },
    open,
    knock: () => answers(open(limits.knockMs), limits.knockMs),
    close: () => {
      isClosed = true
      for (const link of links) if (link.sockets.size === 0) end(link)
    },
  }
}

/** The other side has this long to close a connection too. */
const lingerMs = 1_000

/** Returns the channel, or the error that it cannot be opened. */
function opening(
  open: (done: (error: Error | undefined, channel: ClientChannel) => void) => void,
): Promise<ClientChannel | Error> {
  return new Promise(resolve => {
    try {
      open((error, channel) => resolve(error ?? channel))
    } catch (error) {
      resolve(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

/** The path is made of signs that mean nothing to a shell. */
function commandFor({ socket }: SshEndpoint): string {
  return socket === undefined
    ? 'docker system dial-stdio'
    : `docker --host unix://${socket} system dial-stdio`
}

/** Whether an engine answers on a channel, which is closed then. */
function answers(channel: Duplex, limitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = later(limitMs, () => resolve(false))
  channel
    .once('data', () => resolve(true))
    .once('error', () => resolve(false))
    .once('close', () => resolve(false))
  channel.write('HEAD /_ping HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n')
  return promise.finally(() => {
    timer.cancel()
    channel.destroy()
  })
}
