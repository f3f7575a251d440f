import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { applyChanges } from '../../../lib/apply/apply.ts'
import { ingressApplication } from '../../../lib/ingress/application.ts'
import type { Application, Service } from '../../../lib/state/application/application.ts'
import type { Container, Image } from '../../../lib/state/application/container/container.ts'
import type { IngressSettings } from '../../../lib/state/application/ingress/ingress-settings.ts'
import { gateAlias, gateOf, ingressName, type Route } from '../../../lib/state/application/ingress/route.ts'
import { routesOf } from '../../../lib/state/application/ingress/traffic.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import { application, desired, strategy } from '../../support/builders/builders.ts'
import { planOf } from '../../support/builders/planning.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { type Caddy, caddies, isThere, pushCaddy } from '../../support/images/caddy.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { pushNodeApp } from '../../support/images/node-app.ts'
import { freePort } from '../../support/network/free-port.ts'
import { httpCall } from '../../support/network/http-call.ts'
import { type TestSite, testSite } from '../docker/site.ts'
import { source } from './app.ts'

/** Answers as users get them. */
export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }

export type Asked = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A real engine on which applications and their ingress run as a plan has made them. */
export type Stand = AsyncDisposable & {
  readonly site: TestSite
  readonly ports: { readonly http: number; readonly https: number; readonly health: number }
  /** Over plain HTTP: `shop.example.com/path`. */
  http(address: string, asked?: Asked): Promise<Answer>
  /** Over HTTPS; trusts only the authority that is given, as PEM. */
  https(address: string, authority: string): Promise<Answer>
  /** What load balancers ask. */
  health(path: string, host?: string): Promise<Answer>
  /** What a shell prints in the container of a service. */
  exec(service: string, line: string): Promise<string>
  /** Has the ingress load these routes in place of those before. */
  change(routes: readonly RouteParts[]): Promise<void>
  /** The root certificate of the ingress's own authority. */
  ownAuthority(): Promise<string>
}

/** The same tests with each Caddy; those with one that cannot be had here are skipped. */
export function describeEach(title: string, tests: (caddy: Caddy) => void): void {
  for (const caddy of caddies)
    describe(`${title}, ${caddy} Caddy`, () => {
      before(async function () {
        if (!(await isThere(caddy))) this.skip()
      })
      tests(caddy)
    })
}

/** A route to the service of that name. `hasFiles`: what is below `/static` is answered by the ingress. */
export type RouteParts = Partial<Route> & { readonly service: string; readonly hasFiles?: boolean }

/**
 * @param instances how many each service of the application `shop` has, by its name
 * @param settings what differs from an ingress without certificates; or what tells that, with the site there already
 */
export async function stand(
  caddy: Caddy,
  instances: Readonly<Record<string, number>>,
  routes: readonly RouteParts[],
  settings: Partial<IngressSettings> | ((site: TestSite) => Promise<Partial<IngressSettings>>) = {},
): Promise<Stand> {
  await using stack = new AsyncDisposableStack()
  const site = stack.use(await testSite())
  const { environment } = site.provenance
  const ports = { http: await freePort(), https: await freePort(), health: await freePort() }
  const image = await pushCaddy(site.registry, `${environment}-caddy`, '2', caddy)
  const app = await pushNodeApp(site.registry, `${environment}-app`, '1', source)
  const whole = {
    image: imageOf(image),
    pool: '10.201.0.0/16',
    http: { port: ports.http, addresses: ['127.0.0.1'] },
    https: { port: ports.https, addresses: ['127.0.0.1'] },
    health: { port: ports.health, addresses: ['127.0.0.1'] },
    acme: {},
    certificates: [],
    trustedProxies: [],
    accessLog: false,
    compose: (text: string) => new Secret(text, 'mark'),
    ...(typeof settings === 'function' ? await settings(site) : settings),
  }
  let loaded: readonly Route[] = []
  const change = async (routes: readonly RouteParts[]) => {
    const services = Object.entries(instances)
    const shop = application(
      'shop',
      services.map(([name, count]) => service(environment, name, count, imageOf(app), routes)),
    )
    const ingress = ingressApplication(environment, [shop], whole)
    await carryOut(site, [shop, ...(ingress === undefined ? [] : [ingress])], loaded)
    loaded = shop.services.flatMap(routesOf)
  }
  await change(routes)
  const exec = async (name: string, line: string) => {
    const { containers } = await site.engine.observe(site.provenance, site.signal)
    const container = containers.find(({ service }) => service === name)
    return execIn(site.socket, container?.engineName ?? `no container of ${name}`, line)
  }
  const call = async (port: number, path: string, host: string, { method, headers, body }: Asked = {}) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { host, ...headers },
      agent: false as const,
    }
    const answer = await httpCall(options, body)
    return { ...answer, body: answer.body.toString() }
  }
  const parts = stack.move()
  return {
    site,
    ports,
    http: (address, asked) => call(ports.http, pathOf(address), hostOf(address), asked),
    https: (address, authority) => secureCall(ports.https, hostOf(address), pathOf(address), authority),
    health: (path, host = 'health') => call(ports.health, path, host),
    exec,
    change,
    ownAuthority: () => exec(ingressName, 'cat /data/caddy/pki/authorities/local/root.crt'),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

function service(
  environment: string,
  name: string,
  count: number,
  image: Image,
  routes: readonly RouteParts[],
): Service {
  const own = routes.filter(route => route.service === name)
  const gate = gateOf(environment, 'shop', name, '10.201.0.0/16')
  const volume = { name: `${environment}.shop.static`, application: 'shop' }
  const mount = { kind: 'volume', volume: volume.name, path: '/static', exclusive: false } as const
  const container: Container = {
    name,
    image,
    env: { NAME: name },
    mounts: [mount],
    restart: { name: 'unless-stopped' },
    stopGraceMs: 2_000,
  }
  const statics = { alias: gateAlias('shop', 'static files'), port: 8080, mount, volumes: [volume] }
  const listed = own.map(
    ({ hasFiles = false, ...route }): Route => ({
      application: 'shop',
      path: '/',
      alias: gate.alias,
      port: 8000,
      tls: 'off',
      holdMs: 5_000,
      ...route,
      ...(hasFiles ? { statics } : {}),
    }),
  )
  return {
    name,
    instances: Array.from({ length: count }, () => ({
      containers: [container],
      network: { name: `${environment}.shop`, application: 'shop', mode: 'internal' },
      volumes: [volume],
    })),
    strategy,
    ...(own.length === 0 ? {} : { traffic: { role: 'backend' as const, gate, routes: listed } }),
  }
}

function imageOf({ reference, digest }: PushedImage): Image {
  return { reference, pin: { state: 'pinned', digest } }
}

/** Plans, and carries it all out. */
async function carryOut(
  site: TestSite,
  applications: readonly Application[],
  loaded: readonly Route[],
): Promise<void> {
  const { engine, provenance, signal } = site
  const plan = planOf({
    desired: { ...desired(...applications), environment: provenance.environment },
    live: { ...(await engine.observe(provenance, signal)), site: 'local' },
    networks: [],
    loaded,
  })
  const results = await applyChanges(plan.changes, {
    engine: () => engine,
    provenance,
    onEvent: () => undefined,
    onFailure: () => undefined,
    onUntouched: () => undefined,
    onUndone: () => undefined,
    onJob: () => 0,
    onJobOver: () => undefined,
    withDeployLock: (_change, _step, work) => work(),
    elapsedMs: () => 0,
    onApplied: () => undefined,
    signal,
    nowMs: Date.now,
    steadyMs: () => performance.now(),
    inPool: (_site, _fetches, work) => work(),
    certainly: async () => undefined,
  })
  for (const result of results) if ('failure' in result) throw result.failure
}

function hostOf(address: string): string {
  return address.split('/')[0] ?? ''
}

function pathOf(address: string): string {
  return address.slice(hostOf(address).length) || '/'
}

function secureCall(port: number, host: string, path: string, ca: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      servername: host,
      ca,
      headers: { host },
      agent: false as const,
    }
    const sent = request(options, answer => {
      const parts: Buffer[] = []
      answer.on('data', part => parts.push(part))
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(parts).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** A file of the fixtures. */
export function fixtureText(name: string): Promise<string> {
  return readFile(new URL(`../../../fixtures/ingress/${name}`, import.meta.url), 'utf8')
}
