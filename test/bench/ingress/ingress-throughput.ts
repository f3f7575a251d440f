import { pushNginx } from '../../support/images/nginx.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { handMadeProxies } from '../engine/hand-made-proxies.ts'
import { median } from '../report/statistics.ts'
import { duration, type Row } from '../report/table.ts'
import { filesOf, ingressEnvironment } from './ingress-environment.ts'
import type { IngressInput } from './measure-ingress.ts'
import { type Load, wrk } from './wrk.ts'

const host = 'shop.example'
const seconds = 3
const connections = 32
/** In each round: 3 % is seen in the median of many short turns only. */
const turns = 5

/** Requests through the ingress, the same Caddy with two configurations written by hand, and nginx, in turns. */
export async function measureThroughput(input: IngressInput): Promise<readonly Row[]> {
  const { dockerSocket, registry, rounds, say } = input
  const answer = 'server { listen 8000; location / { return 200 "an answer\\n"; } }'
  const upstream = await pushNginx(registry, 'bench-upstream', '1', answer)
  await using ingress = await ingressEnvironment(input, '0s')
  const { address } = ingress
  await ingress.bring(filesOf({ shop: { image: upstream, hosts: [host], replicas: 1 } }))
  await using byHand = await handMadeProxies({ dockerSocket, registry, address, upstream, host })
  const ports = {
    ingress: ingress.port,
    findingCaddy: byHand.findingCaddy.port,
    caddy: byHand.caddy.port,
    nginx: byHand.nginx.port,
  }
  const load = (port: number, secondsLong: number) =>
    wrk({ url: `http://${address}:${port}/`, host, connections, seconds: secondsLong })
  for (const [name, port] of Object.entries(ports))
    await waitUntil(`${name} answers`, () => load(port, 1).catch(() => undefined))

  const measured = { ingress: none, findingCaddy: none, caddy: none, nginx: none }
  for (let turn = 0; turn < rounds * turns; turn++)
    for (const name of ['ingress', 'findingCaddy', 'caddy', 'nginx'] as const)
      measured[name] = [...measured[name], await load(ports[name], seconds)]
  const of = (name: keyof typeof measured): Load => ({
    perSecond: median(measured[name].map(({ perSecond }) => perSecond)),
    p99Ms: median(measured[name].map(({ p99Ms }) => p99Ms)),
  })
  for (const [name, loads] of Object.entries(measured))
    say(`${name}, requests per second: ${loads.map(({ perSecond }) => Math.round(perSecond)).join(', ')}`)
  return [
    ...compared(of('ingress'), of('findingCaddy'), 'the same Caddy by hand, finding and counting', 0.03),
    ...compared(of('ingress'), of('caddy'), 'the same Caddy by hand, one fixed upstream', 0.03),
    ...compared(of('ingress'), of('nginx'), 'nginx'),
  ]
}

const none: readonly Load[] = []

/** `worse`: by how much it may be. */
function compared(ours: Load, theirs: Load, name: string, worse?: number): readonly Row[] {
  const throughput = ours.perSecond / theirs.perSecond
  const slowness = ours.p99Ms / theirs.p99Ms
  const goal = (text: string, reached: boolean) => (worse === undefined ? {} : { goal: text, reached })
  return [
    {
      what: `requests per second, ${connections} connections`,
      measured: Math.round(ours.perSecond).toString(),
      beside: `${name}: ${Math.round(theirs.perSecond)}`,
      ratio: throughput,
      ...goal(`≥ ${(1 - (worse ?? 0)).toFixed(2)}`, throughput >= 1 - (worse ?? 0)),
    },
    {
      what: '99 of 100 requests within',
      measured: duration(ours.p99Ms),
      beside: `${name}: ${duration(theirs.p99Ms)}`,
      ratio: slowness,
      ...goal(`≤ ${(1 + (worse ?? 0)).toFixed(2)}`, slowness <= 1 + (worse ?? 0)),
    },
  ]
}
