import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { renderPlan } from '../../../../lib/plan/text/render.ts'
import { forSwarm } from '../../../../lib/resolve/swarm/for-swarm.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import type { LiveState } from '../../../../lib/state/running/live.ts'
import { application, changed, desired, live, service } from '../../../support/builders/builders.ts'
import { onlyChange, planOf, type Situation } from '../../../support/builders/planning.ts'

/** As its specification says it, and as the manifest alone does. */
const described = desired(
  application('shop', [
    service({ name: 'shop', replicas: 2, network: 'prod.shop', exclusiveVolume: 'data' }),
  ]),
)
const asleep = desired(application('shop', [service({ name: 'shop', replicas: 0 })]))
const bare = desired({ name: 'shop' })
const usual = { endpoint: 'vip', publish: 'ingress' } as const
const updated = desired({ name: 'shop', tag: '2' })

describe('an application that lost its specification', () => {
  it('D16 is told, with what would become of it', () => {
    const plan = planOf({ desired: bare, live: live(described) })
    expect(printed(renderPlan(plan), false)).to.include(
      'shop: the specification of what runs is gone from the repository; the change is confirmed like a removal (specification-gone)',
    )
    expect(onlyChange(plan).reason).to.match(/^its specification is gone; /)
  })

  it('D16 is told with these words, too, if the manifest names it and says nothing else', () => {
    const other = desired({ name: 'web' })
    const idle: DesiredState = { ...other, idle: ['shop'] }
    const running = live(described, other)
    const change = onlyChange(planOf({ desired: idle, live: running, applied: other }))
    expect([change.action, change.reason]).to.deep.equal(['remove', 'its specification is gone'])
    expect(marked({ desired: idle, live: running, applied: other })).to.deep.equal(['shop'])
    const { changes } = planOf({ desired: idle, live: running, applied: other, rules: { prune: 'never' } })
    expect(changes.map(({ held }) => held?.reason)).to.deep.equal([
      'its specification is gone; "prune: never" only reports',
    ])
    const emptied = live(bare, other)
    expect(
      onlyChange(planOf({ desired: idle, live: emptied, applied: other })).reason,
      'it had none',
    ).to.equal('neither the manifest nor a deployment names it any more')
  })

  it('D16 D18 is not told so where what its first rollout made is taken back: nobody is asked about that', () => {
    const other = desired({ name: 'web' })
    const idle: DesiredState = { ...other, idle: ['shop'] }
    const plan = planOf({
      desired: idle,
      live: live(described, other),
      applied: other,
      attempt: described,
      stuck: ['local/shop/shop'],
    })
    expect(onlyChange(plan).reason).to.equal('puts back what ran before an interrupted rollout')
    expect([onlyChange(plan).isSpecificationGone, plan.warnings]).to.deep.equal([undefined, []])
  })

  it('G4 D16 is named if nothing else is wanted either', () => {
    const idle: DesiredState = { ...desired(), idle: ['shop', 'a', 'b', 'c', 'd'] }
    expect(onlyChange(planOf({ desired: idle, live: live(described) })).held?.reason).to.equal(
      'nothing says what runs for shop, a, b and 2 more, because there is no specification of that name; an empty manifest never removes anything',
    )
  })

  const lost: readonly (readonly [string, DesiredState, LiveState])[] = [
    ['runs on a network of its own', bare, live(described)],
    [
      'has services of other names',
      bare,
      live(desired(application('shop', [service({ name: 'web', network: 'prod.shop' })]))),
    ],
    [
      "is on the host's network",
      bare,
      live(desired(application('shop', [service({ name: 'shop', network: 'host' })]))),
    ],
    [
      'has a sandbox, stopped and without networks',
      bare,
      changed(
        live(
          desired(application('shop', [service({ name: 'shop', network: 'prod.shop', inSandbox: true })])),
        ),
        'shop.1',
        { state: 'exited', networks: [] },
      ),
    ],
  ]
  for (const [what, wanted, running] of lost)
    it(`D16 is known by what runs of it: it ${what}`, () => {
      expect(marked({ desired: wanted, live: running })).to.include('shop')
    })

  it('D3 D16 is told apart from a service that left a specification that there is, which is named', () => {
    const other = { name: 'other' }
    const both = application('shop', [
      service({ name: 'web', network: 'prod.shop' }),
      service({ name: 'worker', network: 'prod.shop' }),
    ])
    const one = desired(application('shop', [service({ name: 'web', network: 'prod.shop' })]), other)
    const reasons = (wanted: DesiredState, rules = {}) =>
      planOf({ desired: wanted, live: live(desired(both, other)), rules }).changes.map(
        ({ service, reason, held }) => `${service}: ${held?.reason ?? reason}`,
      )
    expect(reasons(one)).to.deep.equal(['worker: no longer in the specification of shop'])
    expect(reasons(one, { prune: 'never' })).to.deep.equal([
      'worker: no longer in the specification of shop; "prune: never" only reports',
    ])
    expect(reasons(desired({ name: 'shop' }, other))).to.deep.equal([
      'shop: its specification is gone; not deployed yet',
      'web: its specification is gone',
      'worker: its specification is gone',
    ])
  })

  it('D16 concerns no other application', () => {
    const wanted = desired({ name: 'web', tag: '2' }, { name: 'shop' })
    expect(marked({ desired: wanted, live: live(desired({ name: 'web' }), described) })).to.deep.equal([
      'shop',
    ])
  })

  it('D3 is not touched under "prune: never"', () => {
    const plan = planOf({ desired: bare, live: live(described), rules: { prune: 'never' } })
    expect(onlyChange(plan).held).to.deep.equal({
      code: 'prune-never',
      reason: 'its specification is gone; "prune: never" only reports',
    })
  })

  const others: readonly (readonly [string, Situation])[] = [
    ['it never had one', { desired: updated, live: live(bare) }],
    ['it gets one', { desired: described, live: live(bare) }],
    ['it is scaled to 0', { desired: asleep, live: live(described) }],
    [
      'it is scaled to 0 on a Swarm',
      { desired: forSwarm(asleep, usual), live: live(forSwarm(described, usual)) },
    ],
    ['nothing of it runs', { desired: bare, live: live() }],
    [
      'what runs is only repaired',
      {
        desired: bare,
        applied: bare,
        live: changed(live(bare), 'shop.1', { networks: ['prod', 'prod.other'] }),
      },
    ],
  ]
  for (const [what, situation] of others)
    it(`D16 is not meant where ${what}`, () => {
      expect(marked(situation)).to.deep.equal([])
    })
})

function marked(situation: Situation): readonly string[] {
  return planOf(situation)
    .changes.filter(({ isSpecificationGone }) => isSpecificationGone)
    .map(({ application }) => application)
}
