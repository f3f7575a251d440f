import { beginSwarm, startSwarmEngine } from '../../support/engine/swarm.ts'
import { pushNodeApp } from '../../support/images/node-app.ts'
import { webApp } from '../../support/images/web-app.ts'
import { keepAsking } from '../../support/network/requests.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import type { Row } from '../report/table.ts'
import { filesOf, ingressEnvironment } from './ingress-environment.ts'
import type { IngressInput } from './measure-ingress.ts'

const clients = 32
const host = 'shop.example'

/** Requests that fail in one rollout after the other of three instances, whatever these do when they are told to stop. */
export async function measureRollouts(input: IngressInput): Promise<readonly Row[]> {
  return [
    await failedOf(input, 'drains on TERM', { ON_TERM: 'drain' }),
    await failedOf(input, 'dies at once on TERM', {}),
  ]
}

/** The same on a Swarm of one node, of an application that ends what it has begun. */
export async function measureRolloutsOnSwarm(input: IngressInput): Promise<readonly Row[]> {
  await using engine = await startSwarmEngine()
  const { socket } = engine
  await beginSwarm(socket)
  const cluster = { name: 'cluster', endpoint: `unix://${socket}`, kind: 'swarm' }
  const sites = [{ ...cluster, endpointMode: 'dnsrr', publishMode: 'host' }]
  const there = { ...input, dockerSocket: socket }
  return [await failedOf(there, 'on a Swarm, drains on TERM', { ON_TERM: 'drain' }, sites)]
}

async function failedOf(
  input: IngressInput,
  what: string,
  env: Readonly<Record<string, string>>,
  sites?: readonly object[],
): Promise<Row> {
  const { registry, rollouts, say } = input
  const image = await pushNodeApp(registry, 'bench-app', '1', webApp)
  await using ingress = await ingressEnvironment(input, '0s', sites)
  const release = (version: number) =>
    ingress.bring(
      filesOf({ shop: { image, hosts: [host], replicas: 3, env: { ...env, VERSION: String(version) } } }),
    )
  await release(0)
  await using asking = keepAsking({ port: ingress.port, host, path: '/?upTo=200' }, { clients, pauseMs: 0 })
  await waitUntil('it answers', () => asking.so().answered > clients)
  for (let version = 1; version <= rollouts; version++) await release(version)
  const { answered, failed, bodies } = await asking.end()
  say(
    `an application that ${what}: ${bodies.size} versions answered; ${failed.length} failed: ${[...new Set(failed)].join(', ')}`,
  )
  return {
    what: `${rollouts} rollouts of 3 instances under ${clients} connections, ${what}: failed requests`,
    measured: String(failed.length),
    beside: `of ${answered + failed.length} requests`,
    goal: '= 0',
    reached: failed.length === 0,
  }
}
