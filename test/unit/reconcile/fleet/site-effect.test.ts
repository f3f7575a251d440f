import { expect } from 'chai'
import type { Wait } from '../../../../lib/fleet/spread/stand.ts'
import { effectsOf, isSameEffect } from '../../../../lib/reconcile/fleet/site-effect.ts'
import type { DeploymentTurn } from '../../../../lib/reconcile/fleet/turns.ts'

const turn: DeploymentTurn = {
  deployment: {
    name: 'shop-everywhere',
    application: 'shop',
    placement: { kind: 'all-sites' },
    healthyMs: 0,
    revision: 'r1',
  },
  sites: new Set(['a', 'b', 'c']),
}

const failed: Wait = { for: 'correction', failed: { kind: 'failed', atMs: 2, site: 'a', reason: 'crashed' } }

function standing(version: string, wait: Wait, ...open: readonly string[]): DeploymentTurn {
  const of = {
    ...{ id: 1, environment: 'prod', deployment: 'shop-everywhere', application: 'shop' },
    ...{ version, content: 'c1', seed: 7, atMs: 0 },
  }
  const stand = {
    open: new Set(open),
    reached: new Set<string>(),
    had: new Set<string>(),
    lost: new Set<string>(),
    begun: new Set<string>(),
    own: new Set<string>(),
    recheck: new Map(),
    brokenMs: new Map(),
    ended: new Map(),
    hindered: new Map(),
    proving: new Map(),
    batches: [],
    wait,
  }
  return { ...turn, run: { of, stand } }
}

/** No pause holds back a change. */
const nothing = () => undefined

/** The sites for which deployments mean something else than before. */
function changed(before: DeploymentTurn, now: DeploymentTurn, quiet: readonly string[]): string {
  const [meant, means] = [effectsOf([before], nothing), effectsOf([now], nothing)]
  return ['a', 'b', 'c', 'd']
    .filter(site => !isSameEffect(meant(site), means(site), () => quiet.includes(site)))
    .join()
}

describe('what changes for a site when deployments go on', () => {
  const underWay: Wait = { for: 'sites', sites: ['a'], sinceMs: 1 }

  it('A32 nothing but for the sites whose turn comes, or is over', () => {
    const first = standing('2', underWay, 'a')
    expect(changed(first, standing('2', underWay, 'a'), [])).to.equal('')
    expect(changed(first, standing('2', underWay, 'a', 'b'), [])).to.equal('b')
    expect(changed(first, standing('2', underWay), [])).to.equal('a')
  })

  it('A33 a stop, for those that wait unless they do so quietly', () => {
    const before = standing('2', underWay, 'a')
    expect(changed(before, standing('2', failed), ['c'])).to.equal('a,b')
    expect(changed(standing('2', failed), before, ['c'])).to.equal('a,b')
  })

  it('A33 a word that goes on after a failure, for those that have to be found healthy again, and not that they were', () => {
    const { run, ...rest } = standing('2', underWay, 'a', 'b')
    if (run === undefined) throw new Error('it has a run')
    const recheck = new Map([['b', 'failure']] as const)
    const resumed = { ...rest, run: { ...run, stand: { ...run.stand, recheck } } }
    expect(changed({ ...rest, run }, resumed, [])).to.equal('b')
    expect(changed(resumed, { ...rest, run }, [])).to.equal('')
  })

  it('A12 another version, for all that wait for it', () => {
    expect(changed(standing('2', underWay), standing('3', underWay), ['a', 'b', 'c'])).to.equal('a,b,c')
  })

  it('A25 A35 another place in the deployment, or a deployment that is refused, or gone', () => {
    const less = { ...turn, sites: new Set(['a', 'b']) }
    expect(changed(turn, less, [])).to.equal('c')
    expect(changed(less, { ...less, joined: new Set(['c']) }, [])).to.equal('c')
    const refused = { ...turn, refused: { code: 'deployment-refused', message: 'has no canary' } as const }
    expect(changed(turn, refused, [])).to.equal('a,b,c,d')
    expect(isSameEffect(effectsOf([turn], nothing)('a'), effectsOf([], nothing)('a'), () => true)).to.equal(
      false,
    )
  })
})
