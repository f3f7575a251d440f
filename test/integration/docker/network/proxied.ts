import { createHash } from 'node:crypto'
import type { Agent } from 'node:http'
import type { Step } from '../../../../lib/plan/step/step.ts'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import { ingressName } from '../../../../lib/state/application/ingress/route.ts'
import { loadedName } from '../../../../lib/state/running/loaded.ts'
import { pushCaddy } from '../../../support/images/caddy.ts'
import type { PushedImage } from '../../../support/images/images.ts'
import { pushNodeApp } from '../../../support/images/node-app.ts'
import { httpCall } from '../../../support/network/http-call.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import type { CreateStep, TestSite } from '../site.ts'

/** A site whose ingress sends every request to the instances on one gate. */
export type Proxied = {
  readonly gate: string
  /** The ingress, as it is created. */
  readonly ingress: CreateStep
  /** Its name once it has loaded its first routes. */
  readonly loaded: string
  /** On the host. */
  readonly port: number
  /** Starts an instance that answers with its name, and waits until it does; it is not admitted. */
  start(name: string, more?: Partial<Container>): Promise<string>
  admit(container: string): Extract<Step, { do: 'admit' }>
  drain(container: string): Extract<Step, { do: 'drain' }>
  /** How many requests the container was sent so far. */
  seen(container: string): Promise<number>
  /** The body of an answer, or `status 502`. */
  get(path: string): Promise<string>
  /** The same of a POST on a connection that is kept: one that fails cannot be tried again by the ingress. */
  post(path: string, agent: Agent): Promise<string>
  /** How a container is attached to the gate; undefined: not at all. */
  attachment(container: string): Promise<Attachment | undefined>
}

/** Without the alias that the engine adds by itself. */
export type Attachment = { readonly address: string; readonly aliases: readonly string[] }

const alias = 'shop-web'

/** Answers `/` with its name, `/for/200` after 200 ms, and a WebSocket with what it says. It dies at once on TERM. */
const application = `
import { createServer } from 'node:http'
const name = process.env.NAME
createServer((request, response) => {
  console.log('request')
  const ms = Number(/^\\/for\\/(\\d+)$/.exec(request.url)?.[1] ?? 0)
  setTimeout(() => response.end(name), ms)
})
  .on('upgrade', (request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n')
    socket.on('error', () => {}).pipe(socket)
  })
  .listen(8000, () => console.log('listens'))
process.on('SIGTERM', () => process.exit(0))
`

/** What the ingress starts with: nothing but its own endpoint. */
const minimal = JSON.stringify({ admin: { listen: 'localhost:2019' } })

/** What the ingress loads: all to one alias, and `/which` says which configuration this is. */
export function configuration(which: string): string {
  const upstreams = {
    source: 'a',
    name: alias,
    port: '8000',
    refresh: '200ms',
    resolver: { addresses: ['127.0.0.11:53'] },
  }
  const proxy = {
    handler: 'reverse_proxy',
    dynamic_upstreams: upstreams,
    load_balancing: { try_duration: '5s', try_interval: '100ms' },
  }
  const routes = [
    { match: [{ path: ['/which'] }], handle: [{ handler: 'static_response', body: which }] },
    { handle: [proxy] },
  ]
  const server = { listen: [':80'], automatic_https: { disable: true }, routes }
  return JSON.stringify({ admin: { listen: 'localhost:2019' }, apps: { http: { servers: { server } } } })
}

export function loadRoutes(container: string, text: string): Extract<Step, { do: 'load-routes' }> {
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 8)
  return {
    do: 'load-routes',
    container,
    routing: {
      runBy: 'tallyman',
      routes: [],
      configuration: { newer: text, older: text },
      mark,
      networks: [],
    },
  }
}

export async function proxied(site: TestSite, more: Partial<Container> = {}): Promise<Proxied> {
  const { environment } = site.provenance
  const gate = `${environment}.shop.ingress`
  await site.run({ do: 'create-network', network: { name: gate, mode: 'gate', pool: '10.201.0.0/16' } })
  const caddy = await pushCaddy(site.registry, 'proxied-caddy', '2')
  const ingress = await createIngress(site, caddy, gate, more)
  const { container } = ingress
  await site.run({ do: 'start-container', container })
  const { Id } = await site.ask(`/containers/${container}/json`)
  const id = String(Id)
  const port = await publishedPort(site, id)
  await waitUntil('Caddy runs', async () => (await site.log(container)).includes('serving initial'))
  const first = loadRoutes(container, configuration('first'))
  await site.run(first)
  const image = await pushNodeApp(site.registry, 'proxied-app', '1', application)
  return {
    gate,
    ingress,
    loaded: loadedName(container, first.routing.mark),
    port,
    start: async (name, more = {}) => {
      const spec = { ...more, env: { NAME: name } }
      const { container } = await site.create(image, spec, { suffix: `.${name}`, aliases: [] })
      await site.run({ do: 'start-container', container })
      await waitUntil(`${name} listens`, async () => (await site.log(container)).includes('listens'))
      return container
    },
    admit: container => ({ do: 'admit', container, network: gate, alias }),
    drain: container => ({ do: 'drain', container, network: gate, members: [container] }),
    seen: async container => (await site.log(container)).split('request').length - 1,
    get: async path => ask(await publishedPort(site, id), 'GET', path, false),
    post: (path, agent) => ask(port, 'POST', path, agent),
    attachment: async container => {
      const { NetworkSettings } = await site.ask(`/containers/${container}/json`)
      const endpoint = Object(NetworkSettings).Networks[gate]
      if (endpoint === undefined) return undefined
      const aliases = endpoint.Aliases.filter((one: string) => !/^[0-9a-f]{12}$/.test(one))
      return { address: endpoint.IPAddress, aliases }
    },
  }
}

async function createIngress(
  site: TestSite,
  image: PushedImage,
  gate: string,
  more: Partial<Container>,
): Promise<CreateStep> {
  const spec: Partial<Container> = {
    command: ['caddy', 'run', '--config', '/etc/caddy/routes.json'],
    files: [{ path: '/etc/caddy/routes.json', content: minimal, mode: 0o644 }],
    ports: [{ target: 80, hostIp: '127.0.0.1', protocol: 'tcp' }],
    dnsOptions: ['ndots:1'],
    restart: { name: 'unless-stopped' },
    // So that Caddy is not process 1, and can be killed from inside.
    init: true,
    ...more,
  }
  return site.create(image, spec, {
    suffix: '.ingress',
    application: ingressName,
    service: ingressName,
    aliases: [],
    attachments: [{ name: gate }],
  })
}

/** A port that the engine chose is another one after a restart. */
async function publishedPort(site: TestSite, container: string): Promise<number> {
  const { NetworkSettings } = await site.ask(`/containers/${container}/json`)
  return Number(Object(NetworkSettings).Ports['80/tcp'][0].HostPort)
}

async function ask(port: number, method: string, path: string, agent: Agent | false): Promise<string> {
  const body = method === 'POST' ? 'words' : undefined
  const answer = await httpCall({ host: '127.0.0.1', port, method, path, agent }, body)
  return answer.status === 200 ? answer.body.toString() : `status ${answer.status}`
}
