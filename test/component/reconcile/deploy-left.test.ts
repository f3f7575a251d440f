import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { round } from '../../../lib/reconcile/round.ts'
import { desired, live } from '../../support/builders/builders.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const { signal } = new AbortController()

describe('a command that applies a version on one site while that of before is being deployed on another', () => {
  it('P5 P7 begins to deploy it once the other deploy was seen to have ended, though the pass there ended before', async () => {
    const [one] = live(desired({ tag: '1' })).containers
    if (one === undefined) throw new Error('there is one')
    const left = { ...one, role: 'deploy' as const }
    const order: string[] = []
    let looks = 0
    const engineOf = (site: string, observe: (whole: Engine) => Engine['observe']): Engine => {
      const whole = memoryEngine({ site, distribution: everyImage })
      return { ...whole, observe: observe(whole) }
    }
    const a = engineOf('a', whole => async (...asked) => {
      looks += 1
      const own = await whole.observe(...asked)
      order.push(looks < 3 ? 'a deploys' : 'a has ended')
      return looks < 3 ? { ...own, containers: [left] } : own
    })
    const b = engineOf('b', whole => async (...asked) => {
      const deploy = {
        site: 'b',
        application: left.application,
        version: '2',
        container: 'prod.web.deploy.2',
      }
      using turn = await deploys().enter(deploy, () => order.push('b waits'), signal)
      order.push('b deploys')
      turn.over()
      return whole.observe(...asked)
    })
    const { worlds } = memoryWorlds({
      ...{ environments: ['prod'], files: manifestOf('prod', {}), engines: [a, b] },
      config: { sites: ['a', 'b'].map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
    })
    const [world] = worlds
    const deploys = () => world?.memory.deploys ?? expect.fail('there is a world')
    if (world === undefined) throw new Error('there is one')
    deploys().seen('a', [{ application: left.application, container: left.engineName }])
    await round(
      world,
      { trigger: 'command', until: 'plan', freshness: { maxAgeMs: 0, lastGood: true } },
      signal,
    )
    expect(order.filter(what => what !== 'a deploys')).to.deep.equal(['b waits', 'a has ended', 'b deploys'])
  })
})
