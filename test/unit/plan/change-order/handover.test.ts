import { expect } from 'chai'
import { wantedJobs } from '../../../../lib/plan/compare/job/wanted-jobs.ts'
import { describeStep } from '../../../../lib/plan/step/describe.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import {
  application,
  changed,
  desired,
  live,
  liveContainer,
  type ServiceParts,
  service,
} from '../../../support/builders/builders.ts'
import { applicationReleaseOf, madeFrom, planOf, type Situation } from '../../../support/builders/planning.ts'

/** What becomes of each service, on the way from one state to another. */
function told(before: DesiredState, wanted: DesiredState, more: Partial<Situation> = {}): readonly string[] {
  const { changes } = planOf({
    desired: wanted,
    live: live(before),
    applied: before,
    specificationOf: madeFrom(before),
    ...more,
  })
  return changes.map(({ service, after, held }) =>
    held !== undefined
      ? `${service}: ${held.reason} (${held.code})`
      : `${service}${after.length === 0 ? '' : ` after ${after.map(({ key, must }) => `${key.split('/').at(-1)}${must === 'end' ? '?' : ''}`).join(', ')}`}`,
  )
}

describe('what passes from one service to another', () => {
  it('G11 a host port is given up before it is taken, which has to succeed', () => {
    const before = desired({ name: 'a' }, { name: 'b', hostPort: 8080 })
    expect(told(before, desired({ name: 'a', hostPort: 8080 }, { name: 'b' }))).to.deep.equal([
      'b',
      'a after b',
    ])
    expect(
      told(desired({ name: 'b', hostPort: 8080 }), desired({ name: 'a', hostPort: 8080 }, { name: 'b' })),
    ).to.deep.equal(['b', 'a after b'])
  })

  it('G11 D9 a host port is given up before what somebody stopped is started on it again', () => {
    const before = desired({ name: 'a', hostPort: 8080 }, { name: 'b', hostPort: 8080 })
    const there = live(before)
    const containers = there.containers.map(one =>
      one.service === 'a' ? { ...one, state: 'exited' as const } : one,
    )
    const wanted = desired({ name: 'a', hostPort: 8080 }, { name: 'b' })
    expect(told(before, wanted, { live: { ...there, containers } })).to.deep.equal(['b', 'a after b'])
  })

  it('D7 a host port within one service asks for no order', () => {
    const at = (tag: string) => desired({ name: 'a', hostPort: 8080, tag })
    expect(told(at('1'), at('2'))).to.deep.equal(['a'])
  })

  it('G11 a port that moves on from one to the next moves in that order', () => {
    const ports = (a: number, b: number, c: number) =>
      desired({ name: 'a', hostPort: a }, { name: 'b', hostPort: b }, { name: 'c', hostPort: c })
    expect(told(ports(1, 2, 3), ports(2, 3, 4))).to.deep.equal(['c', 'b after c', 'a after b'])
  })

  it('G11 services that exchange ports are held, and each is told why', () => {
    const ports = (a: number, b: number) =>
      desired({ name: 'a', hostPort: a }, { name: 'b', hostPort: b }, { name: 'c' })
    expect(told(ports(1, 2), ports(2, 1))).to.deep.equal([
      'a: needs host port 2, which b still has: needs host port 1 from a, which changes only after it: change them one after the other, in two commits (claim-held)',
      'b: needs host port 1 from a, which changes only after it: change them one after the other, in two commits (claim-held)',
    ])
  })

  it('G11 what requires the one that gives up cannot take over from it', () => {
    const pair = (a: ServiceParts, b: ServiceParts) =>
      desired(application('a', [service({ name: 'a', ...a })], { requires: ['b'] }), { name: 'b', ...b })
    expect(told(pair({ hostPort: 1 }, {}), pair({}, { hostPort: 1 }))).to.deep.equal([
      'b: needs host port 1 from a, which changes only after it: change them one after the other, in two commits (claim-held)',
      'a: requires b, which cannot be changed now (dependency-held)',
    ])
  })

  it('D3 what left the manifest goes first then, and people are told what waits for their word', () => {
    const before = desired({ name: 'old', hostPort: 8080 }, { name: 'older' })
    const wanted = desired({ name: 'web', hostPort: 8080 })
    expect(told(before, wanted)).to.deep.equal(['old', 'web after old', 'older after web?'])
    const { warnings } = planOf({
      desired: wanted,
      live: live(before),
      specificationOf: madeFrom(before),
      rules: { prune: 'confirm' },
    })
    expect(warnings).to.deep.equal([
      {
        code: 'removal-first',
        message:
          'web takes over from old (neither the manifest nor a deployment names it any more): it waits until that removal is confirmed',
      },
    ])
  })

  describe('is not given up', () => {
    const before = desired({ name: 'a' }, { name: 'b', hostPort: 8080 })
    const wanted = desired({ name: 'a', hostPort: 8080 }, { name: 'b' })

    it('G13 by a service that is held, and what needs it is held with that reason', () => {
      const quarantined = new Map([
        ['local/b/b', { release: applicationReleaseOf(wanted, 'b'), reason: 'failed before', sinceMs: 0 }],
      ])
      expect(told(before, wanted, { rules: { quarantined } })[0]).to.equal(
        'a: needs host port 8080, which b still has: failed before (claim-held)',
      )
    })

    it('D15 by an application that is blocked', () => {
      const blocked = [{ application: 'b', problems: [{ code: 'image-not-found', message: 'no' }] }] as const
      expect(told(before, { ...desired({ name: 'a', hostPort: 8080 }), blocked })).to.deep.equal([
        'a: needs host port 8080, which b still has: it is blocked (claim-held)',
      ])
    })

    it('D3 by one that is only reported to have left the manifest', () => {
      expect(told(before, desired({ name: 'a', hostPort: 8080 }), { rules: { prune: 'never' } })[0]).to.equal(
        'a: needs host port 8080, which b still has: neither the manifest nor a deployment names it any more; "prune: never" only reports (claim-held)',
      )
    })

    it('G11 and what requires the one that needs it waits as well', () => {
      const front = application('front', [service({ name: 'front', tag: '2' })], { requires: ['a'] })
      const rules = { prune: 'never' } as const
      expect(told(before, desired({ name: 'a', hostPort: 8080 }, front), { rules })).to.include(
        'front: requires a, which cannot be changed now (dependency-held)',
      )
    })
  })

  it('G1 has been given up by what does not run', () => {
    const before = desired({ name: 'a' }, { name: 'b', hostPort: 8080 })
    const stopped = changed(live(before), 'b.1', { state: 'exited', exitCode: 0 })
    const rules = { prune: 'never' } as const
    expect(told(before, desired({ name: 'a', hostPort: 8080 }), { live: stopped, rules })[0]).to.equal('a')
  })

  it('D7 a volume of which one service has the sole use is given up first, and holds nobody', () => {
    const before = desired({ name: 'a' }, { name: 'b', exclusiveVolume: 'data' })
    expect(told(before, desired({ name: 'a', exclusiveVolume: 'data' }, { name: 'b' }))).to.deep.equal([
      'b',
      'a after b',
    ])
    const both = desired({ name: 'a', exclusiveVolume: 'data' }, { name: 'b', exclusiveVolume: 'data' })
    expect(told(before, both)).to.deep.equal(['a'])
  })
})

describe('what a service gives up that its application no longer has', () => {
  it('G11 is taken by what that application requires: it is removed without a wait for that', () => {
    const before = desired(
      application('a', [service({ name: 'a' }), service({ name: 'gone', hostPort: 1 })], { requires: ['b'] }),
      { name: 'b' },
    )
    const wanted = desired(application('a', [service({ name: 'a' })], { requires: ['b'] }), {
      ...{ name: 'b', hostPort: 1 },
    })
    expect(told(before, wanted)).to.deep.equal(['gone', 'b after gone'])
  })
})

describe('deploys of one application', () => {
  const shop = (tag: string) =>
    desired(
      application('shop', [
        service({ name: 'web', tag, jobs: ['deploy'] }),
        service({ name: 'api', tag, jobs: ['deploy'] }),
        service({ name: 'plain', tag }),
      ]),
      application('other', [service({ name: 'other', tag, jobs: ['deploy'] })]),
    )

  it('P5 run one after the other, those of others beside them', () => {
    expect(told(shop('1'), shop('2'))).to.deep.equal(['other', 'api', 'plain', 'web after api?'])
  })

  it('P5 wait for none that has ended', () => {
    const before = shop('1')
    const ended = { ...ofDeploy('web', '3'), state: 'exited' as const, exitCode: 0 }
    const state = { ...live(before), containers: [...live(before).containers, ended] }
    const { changes } = planOf({ desired: shop('2'), live: state, applied: before })
    const steps = changes.flatMap(({ stages }) => stages.flat().map(describeStep))
    expect(steps.filter(step => step.startsWith('await-end'))).to.deep.equal([])
  })

  it('P5 P7 wait for one of another service that an interrupted pass left running', () => {
    const before = shop('1')
    const running = { ...ofDeploy('web', '3'), state: 'running' as const }
    const state = { ...live(before), containers: [...live(before).containers, running] }
    const { changes } = planOf({ desired: shop('2'), live: state, applied: before })
    const firstSteps = changes.map(({ service, stages }) => [service, stages[0]?.map(describeStep)] as const)
    const waits = [`await-end ${running.engineName}`]
    expect(new Map(firstSteps).get('api')).to.deep.equal(waits)
    expect(new Map(firstSteps).get('web')).to.deep.equal(waits)
    const others = ['other', 'plain'].map(name => new Map(firstSteps).get(name)?.join())
    expect(others.map(step => step?.replace(/[0-9a-f]{8}$/, '…'))).to.deep.equal([
      'create-container prod.other.deploy.…',
      'create-container prod.plain.1.…',
    ])
  })
})

/** The container of a deploy of a service of `shop` at a tag. */
function ofDeploy(name: string, tag: string) {
  const [job] = wantedJobs('prod', application('shop', []), service({ name, tag, jobs: ['deploy'] }))
  if (job === undefined) throw new Error('there is one')
  return liveContainer(job.container.engineName, job.container.placement, job.container.spec, '')
}
