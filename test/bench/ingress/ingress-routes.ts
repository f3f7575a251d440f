import type { PushedImage } from '../../support/images/images.ts'
import { pushImage } from '../../support/images/images.ts'
import { comparison } from '../report/comparison.ts'
import { median } from '../report/statistics.ts'
import { duration, type Row } from '../report/table.ts'
import { filesOf, ingressEnvironment, type WebService } from './ingress-environment.ts'
import type { IngressInput } from './measure-ingress.ts'

const mostMs = 1_000
const applications = 10
const changes = 5

/** What many routes cost a rollout, and a change of one of them. */
export async function measureRoutes(input: IngressInput): Promise<readonly Row[]> {
  const image = await pushImage(input.registry, 'bench-web', '1')
  return [...(await besideMany(input, image)), await changeOfOne(input, image)]
}

/** A rollout of one service: while nothing has a route, with a route of its own, and as one of many that have. */
async function besideMany(input: IngressInput, image: PushedImage): Promise<readonly Row[]> {
  const { rounds, say } = input
  const many = Math.round(input.routes / 5)
  const measured = { none: empty, own: empty, many: empty, beside: empty }
  const shapes: Readonly<Record<keyof typeof measured, (tag: string) => Record<string, WebService>>> = {
    none: version => ({ shop: { ...web(image, version), hosts: [] } }),
    own: version => ({ shop: web(image, version) }),
    many: version => ({ shop: web(image, version), ...resting(image, many - 1) }),
    beside: version => ({ shop: { ...web(image, version), hosts: [] }, ...resting(image, many) }),
  }
  for (let round = 1; round <= rounds; round++)
    for (const name of ['none', 'own', 'many', 'beside'] as const) {
      await using ingress = await ingressEnvironment(input, '5s')
      await ingress.bring(filesOf(shapes[name]('0')))
      for (let change = 1; change <= changes; change++)
        measured[name] = [...measured[name], await ingress.bring(filesOf(shapes[name](String(change))))]
      say(`round ${round} of ${rounds}, rollout, ${name}: ${duration(median(measured[name]))}`)
    }
  const [rollout, without] = ['rollout of one service', 'the same without routes']
  return [
    comparison(`${rollout} beside ${many} routes`, measured.beside, measured.none, without, { most: 1.1 }),
    comparison(`${rollout}, its route among ${many}`, measured.many, measured.none, without, { most: 1.1 }),
    comparison(`${rollout}, its route among ${many}`, measured.many, measured.own, 'its route alone'),
  ]
}

async function changeOfOne(input: IngressInput, image: PushedImage): Promise<Row> {
  const { rounds, routes } = input
  await using ingress = await ingressEnvironment(input, '0s')
  const bring = (host: string) => {
    const [first, ...others] = Object.entries(resting(image, routes))
    if (first === undefined) throw new RangeError('there are no routes')
    const [name, service] = first
    const changed = { ...service, hosts: [host, ...service.hosts.slice(1)] }
    return ingress.bring(filesOf({ [name]: changed, ...Object.fromEntries(others) }))
  }
  await bring('before.example')
  const times: number[] = []
  for (let time = 1; time <= rounds * changes; time++) times.push(await bring(`changed-${time}.example`))
  const ms = median(times)
  return {
    what: `a change of one route among ${routes}, from the commit to the end of its pass`,
    measured: duration(ms),
    goal: `≤ ${mostMs} ms`,
    reached: ms <= mostMs,
  }
}

const empty: readonly number[] = []

function web(image: PushedImage, version: string): WebService {
  return { image, hosts: ['shop.example'], replicas: 1, env: { VERSION: version } }
}

/** Applications that have routes and no instances. */
function resting(image: PushedImage, routes: number): Readonly<Record<string, WebService>> {
  const hosts = Array.from({ length: routes }, (_, index) => `host-${index}.example`)
  const parts = Map.groupBy(hosts.keys(), index => index % applications)
  return Object.fromEntries(
    [...parts].map(([part, indexes]) => [
      `resting-${part}`,
      { image, replicas: 0, hosts: indexes.map(index => hosts[index] ?? '') },
    ]),
  )
}
