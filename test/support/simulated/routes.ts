import type { Readable } from 'node:stream'
import { readArchive, statHeader, writeArchive } from './archive.ts'
import { connect, disconnect } from './attach.ts'
import { rename, update } from './change.ts'
import type { CreateBody, EndpointBody, HostConfig } from './config.ts'
import { type Container, type Daemon, getContainer, isUp } from './container.ts'
import { create, remove } from './create.ts'
import { createExec, getExec, startExec } from './exec.ts'
import { readFilters } from './filters.ts'
import { inspected, shownExec } from './inspect.ts'
import { listed } from './list.ts'
import { logOf } from './logs.ts'
import { type NetworkBody, shownNetwork } from './networks.ts'
import { missing } from './refusal.ts'
import { shownDistribution, shownImage, shownImageInList } from './shown-image.ts'
import { start } from './start.ts'
import { endOf, kill, pause, restart, stop, unpause } from './stop.ts'
import { eventStream } from './stream.ts'
import { info, version } from './system.ts'
import { shownVolume, type VolumeBody } from './volumes.ts'

/** A call, without the version of the API. */
export type Call = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Buffer
}

/** What the engine answers: nothing more than a status, a value, bytes, or a stream. */
export type Answer = {
  readonly status: number
  readonly json?: unknown
  readonly bytes?: Buffer
  readonly stream?: Readable
  readonly headers?: Readonly<Record<string, string>>
}

type Handler = (daemon: Daemon, call: Call, name: string) => Answer | Promise<Answer>

/** Does what a call asks for. Throws a `Refusal`. */
export async function answer(daemon: Daemon, call: Call): Promise<Answer> {
  for (const [method, path, handler] of routes) {
    if (method !== call.method) continue
    const found = path.exec(call.path)
    if (found !== null) return handler(daemon, call, decodeURIComponent(found[1] ?? ''))
  }
  throw missing('page not found')
}

const ok = (json: unknown): Answer => ({ status: 200, json })
const done: Answer = { status: 204 }
const unchanged: Answer = { status: 304 }
const empty: Answer = { status: 200, bytes: Buffer.alloc(0) }

const isSet = (value: string | null) => value !== null && !['', '0', 'false'].includes(value)
const secondsIn = ({ query }: Call) => (query.has('t') ? Number(query.get('t')) : undefined)

/** Calls that are about one container that exists. */
function ofContainer(
  act: (daemon: Daemon, container: Container, call: Call, as: string) => Answer | Promise<Answer>,
): Handler {
  return (daemon, call, name) => act(daemon, getContainer(daemon, name), call, name)
}

const routes: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ['GET', /^\/_ping$/, () => ({ status: 200, bytes: Buffer.from('OK') })],
  ['GET', /^\/version$/, daemon => ok(version(daemon))],
  ['GET', /^\/info$/, daemon => ok(info(daemon))],
  ['GET', /^\/events$/, (daemon, { query }) => eventStream(daemon, readFilters(query.get('filters')))],

  [
    'GET',
    /^\/containers\/json$/,
    (daemon, { query }) => ok(listed(daemon, readFilters(query.get('filters')), isSet(query.get('all')))),
  ],
  [
    'POST',
    /^\/containers\/create$/,
    (daemon, { query, body }) => {
      const asked = { name: query.get('name') ?? '', platform: query.get('platform') ?? '' }
      const given: CreateBody = readJson(body)
      return { status: 201, json: { Id: create(daemon, asked, given).id, Warnings: [] } }
    },
  ],
  ['GET', /^\/containers\/([^/]+)\/json$/, ofContainer((_, container) => ok(inspected(container)))],
  [
    'POST',
    /^\/containers\/([^/]+)\/start$/,
    ofContainer((daemon, container) => (start(daemon, container) ? done : unchanged)),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/stop$/,
    ofContainer(async (daemon, container, call) =>
      (await stop(daemon, container, secondsIn(call))) ? done : unchanged,
    ),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/restart$/,
    ofContainer(async (daemon, container, call) => {
      await restart(daemon, container, secondsIn(call))
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/kill$/,
    ofContainer((daemon, container, { query }, as) => {
      kill(daemon, container, query.get('signal') ?? 'KILL', as)
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/pause$/,
    ofContainer((daemon, container) => {
      pause(daemon, container)
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/unpause$/,
    ofContainer((daemon, container) => {
      unpause(daemon, container)
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/wait$/,
    ofContainer(async (_, container) => {
      if (isUp(container)) await endOf(container)
      return ok({ StatusCode: container.state.exitCode })
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/rename$/,
    ofContainer((daemon, container, { query }) => {
      rename(daemon, container, query.get('name') ?? '')
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/update$/,
    ofContainer((daemon, container, { body }) => {
      const given: Partial<HostConfig> = readJson(body)
      update(daemon, container, given)
      return ok({ Warnings: null })
    }),
  ],
  [
    'DELETE',
    /^\/containers\/([^/]+)$/,
    ofContainer((daemon, container, { query }) => {
      const withVolumes = isSet(query.get('v'))
      remove(daemon, container, { isForced: isSet(query.get('force')), withVolumes })
      return done
    }),
  ],
  [
    'GET',
    /^\/containers\/([^/]+)\/logs$/,
    ofContainer((_, container, { query }) => ({
      status: 200,
      bytes: logOf(container, query),
      headers: { 'content-type': 'application/vnd.docker.raw-stream' },
    })),
  ],
  [
    'HEAD',
    /^\/containers\/([^/]+)\/archive$/,
    ofContainer((_, container, { query }, as) => {
      const stat = statHeader(container, query.get('path') ?? '', as)
      return { status: 200, headers: { 'x-docker-container-path-stat': stat } }
    }),
  ],
  [
    'GET',
    /^\/containers\/([^/]+)\/archive$/,
    ofContainer(async (_, container, { query }, as) => {
      const path = query.get('path') ?? ''
      const stat = statHeader(container, path, as)
      const headers = { 'content-type': 'application/x-tar', 'x-docker-container-path-stat': stat }
      return { status: 200, bytes: await readArchive(container, path, as), headers }
    }),
  ],
  [
    'PUT',
    /^\/containers\/([^/]+)\/archive$/,
    ofContainer(async (_, container, { query, body }, as) => {
      await writeArchive(container, query.get('path') ?? '', body, as)
      return empty
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/exec$/,
    ofContainer((daemon, container, { body }) => {
      const { Cmd = [] }: { Cmd?: readonly string[] } = readJson(body)
      return { status: 201, json: { Id: createExec(daemon, container, Cmd).id } }
    }),
  ],
  [
    'POST',
    /^\/exec\/([^/]+)\/start$/,
    (daemon, _, id) => ({
      status: 200,
      bytes: startExec(daemon, getExec(daemon, id)),
      headers: { 'content-type': 'application/vnd.docker.raw-stream' },
    }),
  ],
  ['GET', /^\/exec\/([^/]+)\/json$/, (daemon, _, id) => ok(shownExec(getExec(daemon, id)))],

  [
    'GET',
    /^\/networks$/,
    (daemon, { query }) =>
      ok(daemon.networks.list(readFilters(query.get('filters'))).map(one => shownNetwork(one, true))),
  ],
  [
    'POST',
    /^\/networks\/create$/,
    (daemon, { body }) => {
      const given: NetworkBody = readJson(body)
      return { status: 201, json: { Id: daemon.networks.create(given).id, Warning: '' } }
    },
  ],
  ['GET', /^\/networks\/([^/]+)$/, (daemon, _, name) => ok(shownNetwork(daemon.networks.get(name), false))],
  [
    'DELETE',
    /^\/networks\/([^/]+)$/,
    (daemon, _, name) => {
      daemon.networks.remove(name)
      return done
    },
  ],
  [
    'POST',
    /^\/networks\/([^/]+)\/connect$/,
    (daemon, { body }, name) => {
      const { Container = '', EndpointConfig = null }: AttachBody = readJson(body)
      connect(daemon, name, Container, EndpointConfig)
      return empty
    },
  ],
  [
    'POST',
    /^\/networks\/([^/]+)\/disconnect$/,
    (daemon, { body }, name) => {
      const { Container = '' }: AttachBody = readJson(body)
      disconnect(daemon, name, Container)
      return empty
    },
  ],

  [
    'GET',
    /^\/volumes$/,
    (daemon, { query }) =>
      ok({
        Volumes: daemon.volumes.list(readFilters(query.get('filters'))).map(shownVolume),
        Warnings: null,
      }),
  ],
  [
    'POST',
    /^\/volumes\/create$/,
    (daemon, { body }) => {
      const given: VolumeBody = readJson(body)
      return { status: 201, json: shownVolume(daemon.volumes.create(given)) }
    },
  ],
  ['GET', /^\/volumes\/([^/]+)$/, (daemon, _, name) => ok(shownVolume(daemon.volumes.get(name)))],
  [
    'DELETE',
    /^\/volumes\/([^/]+)$/,
    (daemon, _, name) => {
      daemon.volumes.remove(name)
      return done
    },
  ],

  ['GET', /^\/images\/json$/, daemon => ok(daemon.images.list().map(shownImageInList))],
  [
    'POST',
    /^\/images\/create$/,
    (daemon, { query }) => {
      const lines = daemon.images.pull(query.get('fromImage') ?? '', query.get('tag') ?? '')
      const text = lines.map(line => `${JSON.stringify(line)}\r\n`).join('')
      return { status: 200, bytes: Buffer.from(text), headers: { 'content-type': 'application/json' } }
    },
  ],
  [
    'GET',
    /^\/images\/(.+)\/json$/,
    (daemon, _, name) => {
      const image = daemon.images.find(name)
      if (image === undefined) throw missing(`no such image: ${name}: No such image: ${name}`)
      return ok(shownImage(image))
    },
  ],
  [
    'POST',
    /^\/images\/(.+)\/tag$/,
    (daemon, { query }, name) => {
      daemon.images.tag(name, query.get('repo') ?? '', query.get('tag') ?? '')
      return { status: 201 }
    },
  ],
  [
    'DELETE',
    /^\/images\/(.+)$/,
    (daemon, { query }, name) => {
      const all = [...daemon.containers.values()]
      const user = (image: object) => all.find(container => container.image === image)?.id
      return ok(daemon.images.remove(name, user, isSet(query.get('force'))))
    },
  ],
  [
    'GET',
    /^\/distribution\/(.+)\/json$/,
    (daemon, _, name) => ok(shownDistribution(daemon.images.ask(name))),
  ],
]

type AttachBody = { readonly Container?: string; readonly EndpointConfig?: EndpointBody | null }

function readJson(body: Buffer): ReturnType<typeof JSON.parse> {
  return body.length === 0 ? {} : JSON.parse(body.toString())
}
