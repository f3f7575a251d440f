import type { EndpointBody } from '../config.ts'
import { connect, disconnect } from '../container/attach.ts'
import { type Daemon, getContainer } from '../container/container.ts'
import { containerRoutes } from '../container/container-routes.ts'
import { commit } from '../image/commit.ts'
import { shownDistribution, shownImage, shownImageInList } from '../image/shown-image.ts'
import { type NetworkBody, shownNetwork } from '../network/networks.ts'
import { swarmRoutes } from '../swarm/swarm-routes.ts'
import { shownVolume, type VolumeBody } from '../volumes.ts'
import { type Answer, type Call, done, empty, isSet, ok, type Route, readJson } from './call.ts'
import { readFilters } from './filters.ts'
import { missing } from './refusal.ts'
import { eventStream } from './stream.ts'
import { info, version } from './system.ts'

/** Does what a call asks for. Throws a `Refusal`. */
export async function answer(daemon: Daemon, call: Call): Promise<Answer> {
  for (const [method, path, handler] of routes) {
    if (method !== call.method) continue
    const found = path.exec(call.path)
    if (found !== null) return handler(daemon, call, decodeURIComponent(found[1] ?? ''))
  }
  throw missing('page not found')
}

const routes: readonly Route[] = [
  ['GET', /^\/_ping$/, () => ({ status: 200, bytes: Buffer.from('OK') })],
  ['GET', /^\/version$/, daemon => ok(version(daemon))],
  ['GET', /^\/info$/, daemon => ok(info(daemon))],
  [
    'GET',
    /^\/events$/,
    (daemon, { query }) => eventStream(daemon, readFilters(query.get('filters')), query.get('since')),
  ],

  ...containerRoutes,
  ...swarmRoutes,

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

  [
    'POST',
    /^\/commit$/,
    (daemon, { query }) => {
      const container = getContainer(daemon, query.get('container') ?? '')
      const id = commit(daemon, container, query.get('repo') ?? '', query.get('tag') ?? 'latest')
      return { status: 201, json: { Id: id } }
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
