import { Readable } from 'node:stream'
import { expect } from 'chai'
import type { Client } from '../../../../../lib/docker/api/client.ts'
import { drainInstance } from '../../../../../lib/docker/steps/traffic/drain.ts'
import { ingressName } from '../../../../../lib/state/application/ingress/route.ts'
import { label } from '../../../../../lib/state/labels.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { inPassingTime } from '../../../../support/time/passing-time.ts'
import { clientWith } from '../../answering.ts'

const provenance = { ...identity('prod'), commit: 'c0ffee' }
const address = '10.201.0.2'
const step = { do: 'drain', container: 'web', network: 'gate', members: ['web', 'log'] } as const

type Parts = {
  /** What the ingress says is under way, after that many milliseconds; text: the engine cannot ask it, and why. */
  readonly underWay?: (passedMs: number) => number | string
  readonly state?: string
}

/** Drains a container whose members have two and five seconds to stop, on a clock that nothing but the wait moves. */
async function drained({ underWay, state = 'running' }: Parts) {
  let nowMs = () => 0
  const [notes, calls]: [string[], string[]] = [[], []]
  const call = async ({ method, path }: Parameters<Client['call']>[0]): Promise<unknown> => {
    if (method === 'POST' && path.startsWith('/networks')) calls.push(path)
    switch (path) {
      case '/containers/web/json':
      case '/containers/log/json':
        return inspected(state, path.includes('web') ? 2 : 5)
      case '/containers/json':
        return underWay === undefined ? [] : [ingress]
      case '/exec/asked/start':
        return Readable.from([
          Buffer.from(JSON.stringify([{ address: `${address}:8000`, num_requests: underWay?.(nowMs()) }])),
        ])
      case '/exec/asked/json':
        return { Running: false, ExitCode: 0 }
      default:
        return { Id: 'asked' }
    }
  }
  const client = clientWith(async (request: Parameters<Client['call']>[0]): Promise<never> => {
    const said = request.path.endsWith('/exec') ? underWay?.(nowMs()) : undefined
    const answer =
      typeof said === 'string'
        ? { ok: false, status: 400, message: said }
        : { ok: true, body: await call(request) }
    return answer as never
  })
  const { signal } = new AbortController()
  const { passedMs } = await inPassingTime(clock => {
    nowMs = clock
    return drainInstance(client, step, provenance, signal, words => notes.push(words))
  }, 25)
  return { passedMs, notes, calls }
}

function inspected(status: string, graceS: number) {
  return {
    Id: 'web',
    State: { Status: status },
    Config: { Labels: {}, StopTimeout: graceS },
    NetworkSettings: {
      Networks: { gate: { Aliases: [], IPAMConfig: { IPv4Address: address }, IPAddress: address } },
    },
  }
}

const digest = `sha256:${'d'.repeat(64)}`
const ingress = {
  Id: 'ingress',
  Names: ['/prod.tallyman-ingress.1'],
  State: 'running',
  Image: `caddy@${digest}`,
  Labels: {
    [label.digest]: digest,
    [label.environment]: 'prod',
    [label.source]: provenance.source,
    [label.application]: ingressName,
    [label.service]: ingressName,
    [label.role]: 'app',
  },
}

describe('the wait for requests that are under way', () => {
  it('P12 G12 lasts for the longest grace period of the instance, and no longer', async () => {
    expect((await drained({ underWay: () => 1 })).passedMs).to.equal(5_000)
  })

  it('P12 is over soon after the last request', async () => {
    const { passedMs } = await drained({ underWay: ms => (ms < 1_000 ? 1 : 0) })
    expect(passedMs).to.be.within(1_000, 1_500)
  })

  it('P12 lasts until the ingress knows that the name is gone, where nothing is under way', async () => {
    expect((await drained({ underWay: () => 0 })).passedMs).to.equal(250)
    expect((await drained({})).passedMs, 'no ingress runs').to.equal(250)
  })

  it('P12 G13 lasts for the grace period, which is said once, where the ingress does not say what is under way', async () => {
    const { passedMs, notes } = await drained({ underWay: () => 'exec: "wget": not found' })
    expect([passedMs, notes]).to.deep.equal([
      5_000,
      ['waits for its grace period, as the ingress does not say what is under way: exec: "wget": not found'],
    ])
  })

  it('P12 is none for what does not run: it is taken from its gate', async () => {
    const { passedMs, calls } = await drained({ state: 'exited', underWay: () => 1 })
    expect([passedMs, calls]).to.deep.equal([0, ['/networks/gate/disconnect']])
  })
})
