import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { metricsText } from '../../../lib/http/metrics.ts'
import { createPools } from '../../../lib/reconcile/concurrency/pools.ts'
import { createMemory } from '../../../lib/reconcile/memory.ts'
import { askIngresses } from '../../../lib/reconcile/status/ingress/ask-ingresses.ts'
import { ingressName } from '../../../lib/state/application/ingress/route.ts'
import { desired } from '../../support/builders/builders.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const limits = ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf']

/** What Caddy counted for so many hosts, added up: three classes of answers each. */
function countedOf(hosts: number): string {
  const name = 'caddy_http_request'
  const lines = Array.from({ length: hosts }, (_, index) => {
    const at = `host="shop${index}.example.com",server="https"`
    const durations = ['2xx', '3xx', '4xx'].flatMap(code => [
      ...limits.map(limit => `${name}_duration_seconds_bucket{code="${code}",${at},le="${limit}"} 7`),
      `${name}_duration_seconds_sum{code="${code}",${at}} 0.5`,
      `${name}_duration_seconds_count{code="${code}",${at}} 7`,
    ])
    return [`${name}s_total{${at}} 21`, `${name}_errors_total{${at}} 1`, ...durations]
  })
  return `${lines.flat().join('\n')}\n`
}

/** Asks one site whose ingress has so many hosts for metrics, as a daemon does, and looks at what each turn has. */
async function scraped(hosts: number) {
  const metrics = countedOf(hosts)
  const engine = {
    ...memoryEngine(),
    ingress: async () => ({ isDraining: false, obtained: [], metrics }),
  }
  let readTurns = 0
  const tell = async () => {
    readTurns += 1
    await turn()
  }
  const ingresses = await askIngresses(
    {
      engines: [engine],
      memory: createMemory(),
      config: {},
      nowMs: () => 0,
      steadyMs: () => 0,
      pools: createPools(),
      pacing: { tell },
    },
    {
      desired: desired({}),
      status: [
        {
          site: 'local',
          application: ingressName,
          sync: 'Synced',
          health: 'Healthy',
          version: '2',
          running: 1,
          commit: '',
          reason: '',
        },
      ],
    },
  )
  const lines = [0]
  const goOn = async () => void lines.push(0)
  let samples = 0
  for await (const text of metricsText([{ environment: 'prod', ingresses, applications: [] }], goOn)) {
    const own = text.match(/^[^#\n]/gm)?.length ?? 0
    samples += own
    lines.push((lines.pop() ?? 0) + own)
  }
  return { readCharacters: metrics.length / readTurns, mostLines: Math.max(...lines), samples }
}

describe('the metrics of one ingress with many hosts', () => {
  for (const hosts of [10, 1_000])
    it(`G17 G13 are read and told in pieces that give everything else its turn, and are complete: ${hosts}`, async () => {
      const { readCharacters, mostLines, samples } = await scraped(hosts)
      expect(readCharacters).to.be.below(64 * 1024)
      expect(mostLines).to.be.at.most(500)
      // Whether it is up and draining; then requests, errors and three histograms for each host.
      expect(samples).to.equal(2 + hosts * (2 + 3 * 14))
    })
})
