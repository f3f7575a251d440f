import type { Daemon } from '../container/container.ts'
import { type Answer, type Call, done, empty, ok, type Route, readJson } from '../server/call.ts'
import { readFilters } from '../server/filters.ts'
import { missing, Refusal } from '../server/refusal.ts'
import type { Spec, Swarm, ToldNode } from './swarm.ts'
import type { ThingSpec, Things } from './swarm-things.ts'

const noManager =
  'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.'

const byManager =
  (handler: (swarm: Swarm, call: Call, name: string) => Answer) =>
  (daemon: Daemon, call: Call, name: string): Answer => {
    if (daemon.swarm === undefined) throw new Refusal(503, noManager)
    return handler(daemon.swarm, call, name)
  }

const filtersOf = ({ query }: Call) => readFilters(query.get('filters'))

/** The calls that only managers of Swarms answer. */
export const swarmRoutes: readonly Route[] = [
  [
    'GET',
    /^\/swarm$/,
    byManager(({ id }) => ok({ ID: id, Version: { Index: 10 }, Spec: { Name: 'default' } })),
  ],
  ['GET', /^\/nodes$/, byManager(swarm => ok([nodeOf(swarm), ...swarm.otherNodes.map(otherNode)]))],
  [
    'GET',
    /^\/nodes\/([^/]+)$/,
    byManager((swarm, _, id) => {
      if (id !== swarm.nodeId) throw missing(`node ${id} not found`)
      return ok(nodeOf(swarm))
    }),
  ],
  [
    'GET',
    /^\/services$/,
    byManager((swarm, call) => {
      const services = swarm.list(filtersOf(call))
      const isAsked = call.query.get('status') === 'true'
      return ok(isAsked ? services.map(one => ({ ...one, ServiceStatus: swarm.status(one) })) : services)
    }),
  ],
  [
    'POST',
    /^\/services\/create$/,
    byManager((swarm, { body }) => {
      const spec: Spec = readJson(body)
      return { status: 201, json: { ID: swarm.create(spec).ID } }
    }),
  ],
  ['GET', /^\/services\/([^/]+)$/, byManager((swarm, _, name) => ok(swarm.get(name)))],
  [
    'POST',
    /^\/services\/([^/]+)\/update$/,
    byManager((swarm, { body, query }, name) => {
      const spec: Spec = readJson(body)
      swarm.update(name, Number(query.get('version')), spec)
      return ok({ Warnings: null })
    }),
  ],
  [
    'DELETE',
    /^\/services\/([^/]+)$/,
    byManager((swarm, _, name) => {
      swarm.remove(name)
      return empty
    }),
  ],
  ['GET', /^\/tasks$/, byManager((swarm, call) => ok(swarm.look(filtersOf(call))))],
  ['GET', /^\/tasks\/([^/]+)\/logs$/, byManager(() => ({ status: 200, bytes: Buffer.alloc(0) }))],
  ...thingRoutes('configs', swarm => swarm.configs),
  ...thingRoutes('secrets', swarm => swarm.secrets),
]

function nodeOf({ nodeId, availability, node }: Swarm): object {
  return nodeToldOf(nodeId, 'simulated', availability, node)
}

function otherNode(node: ToldNode, index: number): object {
  return nodeToldOf(`other${index}`, `other-${index}`, node.availability ?? 'active', node)
}

function nodeToldOf(
  ID: string,
  Hostname: string,
  Availability: string,
  { labels = {}, drivers = [], architecture = 'x86_64' }: ToldNode,
): object {
  const Plugins = ['local', ...drivers].map(Name => ({ Type: 'Volume', Name }))
  const Platform = { OS: 'linux', Architecture: architecture }
  return {
    ID,
    Spec: { Availability, Labels: labels },
    Description: { Hostname, Platform, Engine: { Plugins } },
  }
}

function thingRoutes(path: string, of: (swarm: Swarm) => Things): readonly Route[] {
  return [
    ['GET', new RegExp(`^/${path}$`), byManager((swarm, call) => ok(of(swarm).list(filtersOf(call))))],
    [
      'POST',
      new RegExp(`^/${path}/create$`),
      byManager((swarm, { body }) => {
        const spec: ThingSpec = readJson(body)
        return { status: 201, json: { ID: of(swarm).create(spec).ID } }
      }),
    ],
    ['GET', new RegExp(`^/${path}/([^/]+)$`), byManager((swarm, _, name) => ok(of(swarm).get(name)))],
    [
      'DELETE',
      new RegExp(`^/${path}/([^/]+)$`),
      byManager((swarm, _, name) => {
        of(swarm).remove(name)
        return done
      }),
    ],
  ]
}
