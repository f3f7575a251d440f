import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import { round } from '../../../../../lib/reconcile/round.ts'
import type { RoundRequest } from '../../../../../lib/reconcile/site/pass-request.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const apply: RoundRequest = {
  ...{ trigger: 'poll', until: 'apply', freshness: { maxAgeMs: 0, lastGood: false } },
  answer: { who: 'ann', via: 'flag' },
}

/** A site that runs `web` and `api`, and which of them a pass offered other logins for. */
function site(renewed: () => readonly string[] = () => []) {
  const offered: string[][] = []
  const engine = {
    ...memoryEngine({ distribution: everyImage }),
    async renewLogins(services: readonly { readonly service: string }[]) {
      offered.push(services.map(({ service }) => service))
      return renewed()
    },
  }
  const files = manifestOf('prod', { web: '1', api: '1' })
  const { worlds, journal } = memoryWorlds({ files, engine })
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  const pass = async (request: Partial<RoundRequest> = {}) => {
    offered.length = 0
    const { outcome } = await round(world, { ...apply, ...request }, signal)
    return { outcome, offered: [...offered] }
  }
  return { pass, journal }
}

describe('the logins that a Swarm has', () => {
  it('G21 are looked at by passes that may write, for what such a pass leaves as it is', async () => {
    const { pass } = site()
    expect(await pass({ until: 'plan' })).to.deep.include({ offered: [] })
    expect(await pass(), 'it gave them itself').to.deep.equal({ outcome: 'applied', offered: [[]] })
    expect(await pass()).to.deep.equal({ outcome: 'in-sync', offered: [['api', 'web']] })
  })

  it('G14 are left as they are where something is suspended', async () => {
    const { pass, journal } = site()
    await pass()
    const said = { environment: 'prod', reason: 'look', who: 'ann', via: 'flag', atMs: 0 } as const
    journal.suspend({ ...said, application: 'web' })
    expect((await pass()).offered).to.deep.equal([['api']])
    journal.suspend(said)
    expect((await pass()).offered).to.deep.equal([])
  })

  it('G25 hold up nothing where they cannot be given', async () => {
    const { pass } = site(() => {
      throw new Failure('registry-credentials-unreadable', 'the password file cannot be read')
    })
    await pass()
    expect((await pass()).outcome).to.equal('in-sync')
  })
})
