import { cleanUp } from '../../support/engine/clean-up.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { type Caddy, newest, pushCaddy } from '../../support/images/caddy.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { pushNginx } from '../../support/images/nginx.ts'
import type { RegistryAddress } from '../../support/images/registry.ts'
import { freePort } from '../../support/network/free-port.ts'
import { uniqueName } from '../../support/suite/env.ts'

/** Proxies as an operator makes them by hand, each in front of one container that it reaches by its name. */
export type HandMade = AsyncDisposable & {
  /** With one upstream that never changes. */
  readonly caddy: { readonly port: number }
  /** That finds its upstreams by their name, again and again, and counts requests. */
  readonly findingCaddy: { readonly port: number }
  readonly nginx: { readonly port: number }
}

export type HandMadeInput = {
  readonly dockerSocket: string
  readonly registry: RegistryAddress
  /** Where both are published. */
  readonly address: string
  /** What stands behind them, on port 8000. */
  readonly upstream: PushedImage
  readonly host: string
}

export async function handMadeProxies(input: HandMadeInput): Promise<HandMade> {
  const { dockerSocket, registry, address, upstream, host } = input
  const environment = uniqueName('bench')
  await using stack = new AsyncDisposableStack()
  const cleaning = cleanUp(dockerSocket, environment)
  stack.use(cleaning)
  const Labels = { 'tallyman.environment': environment }
  const call = async (path: string, body?: object) => {
    const answer = await engineCall(dockerSocket, 'POST', path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.body.toString()}`)
  }
  const run = async (name: string, image: PushedImage, more: object = {}, bindings: object = {}) => {
    await call(`/images/create?fromImage=${encodeURIComponent(image.reference)}`)
    await call(`/containers/create?name=${environment}.${name}`, {
      Image: image.reference,
      Labels,
      HostConfig: { NetworkMode: environment, PortBindings: bindings },
      NetworkingConfig: { EndpointsConfig: { [environment]: { Aliases: [name] } } },
      ...more,
    })
    await call(`/containers/${environment}.${name}/start`)
  }
  const publish = (port: number) => ({ '80/tcp': [{ HostIp: address, HostPort: String(port) }] })

  await call('/networks/create', { Name: environment, Labels })
  await run('upstream', upstream)
  const configured = { ExposedPorts: { '80/tcp': {} } }
  const runCaddy = async (name: string, caddyfile: string) => {
    const port = await freePort()
    const script = `printf '%s' '${caddyfile}' > /Caddyfile; exec caddy run --config /Caddyfile --adapter caddyfile`
    const image = await pushCaddy(registry, 'bench-caddy', '2')
    await run(name, image, { ...configured, Entrypoint: ['sh', '-c'], Cmd: [script] }, publish(port))
    return { port }
  }
  const caddy = await runCaddy('caddy', caddyfile(host))
  const findingCaddy = await runCaddy('finding-caddy', findingCaddyfile(host, await newest()))
  const nginx = { port: await freePort() }
  const http = nginxServer(host)
  await run('nginx', await pushNginx(registry, 'bench-nginx', '1', http), configured, publish(nginx.port))
  const parts = stack.move()
  return { caddy, findingCaddy, nginx, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

function caddyfile(host: string): string {
  return `http://${host} {
  reverse_proxy upstream:8000
}
`
}

/** What the ingress does for each request, in the words of an operator: instances come and go without a reload. */
function findingCaddyfile(host: string, caddy: Caddy): string {
  return `{
  ${caddy === 'newer' ? 'metrics {\n    per_host\n  }' : 'servers {\n    metrics\n  }'}
}
http://${host} {
  reverse_proxy {
    dynamic a {
      name upstream
      port 8000
      refresh 200ms
    }
  }
}
`
}

/** Connections to the upstream are kept, and it is told who asks, as Caddy does by itself. */
function nginxServer(host: string): string {
  return `
  upstream application { server upstream:8000; keepalive 64; }
  server {
    listen 80;
    server_name ${host};
    location / {
      proxy_pass http://application;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Host $host;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }`
}
