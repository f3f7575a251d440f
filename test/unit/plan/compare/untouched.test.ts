import { expect } from 'chai'
import { wantedInstance } from '../../../../lib/plan/compare/instance/instance.ts'
import { wantedJobs } from '../../../../lib/plan/compare/job/wanted-jobs.ts'
import type { Attempt } from '../../../../lib/plan/compare/past.ts'
import { targetOf } from '../../../../lib/plan/compare/target/target.ts'
import { untouchedIn } from '../../../../lib/plan/compare/untouched.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import type { LiveState } from '../../../../lib/state/running/live.ts'
import {
  application,
  changed,
  desired,
  live,
  liveContainer,
  service,
  without,
} from '../../../support/builders/builders.ts'

describe('an attempt that is on record as begun', () => {
  const [one, two] = [desired({ tag: '1', replicas: 2 }), desired({ tag: '2', replicas: 2 })]
  const none: LiveState = { site: 'local', containers: [] }

  it('A62 has not begun if exactly what was applied runs, and no job exists', () => {
    expect(untouched(live(one), { applied: one, begun: two })).to.deep.equal(['local/web/web'])
    expect(untouched(none, { begun: two }), 'the first installation').to.deep.equal(['local/web/web'])
    const withRoutes = targetsOf(one).map(
      ([key, { target }]) => [key, { target: `${target} routes:5e1f` }] as const,
    )
    const past = { applied: new Map(withRoutes), attempts: attemptsOf(two) }
    expect([...untouchedIn(live(one), past)], 'routes show on the ingress').to.deep.equal(['local/web/web'])
  })

  it('A62 has begun if something of it exists', () => {
    const [first] = live(two).containers
    const started = { ...live(one), containers: [...live(one).containers, ...(first ? [first] : [])] }
    expect(untouched(started, { applied: one, begun: two })).to.deep.equal([])
    expect(untouched(started, { begun: two })).to.deep.equal([])
  })

  it('A62 H22 has begun if a job of it exists, but not if a failed one was kept to be looked at', () => {
    const hooked = desired({ tag: '2', replicas: 2, jobs: ['pre'] })
    const there = withJob(live(one), hooked)
    expect(untouched(there('prod.web.pre'), { applied: one, begun: hooked })).to.deep.equal([])
    const kept = there('prod.web.pre.kept-0123ab')
    expect(untouched(kept, { applied: one, begun: hooked })).to.deep.equal(['local/web/web'])
  })

  it('A62 H22 has begun if a job of it began, whoever removed its container', () => {
    const job = { name: 'prod.web.pre.0123abcd', begunAtMs: 0, isOver: true }
    const attempts = new Map([...attemptsOf(two)].map(([key, one]) => [key, { ...one, job }]))
    const past = { applied: new Map(targetsOf(one)), attempts }
    expect([...untouchedIn(live(one), past)]).to.deep.equal([])
  })

  it('A62 has begun if a part of what was before is stopped or gone', () => {
    const stopped = changed(live(one), 'web.2', { state: 'exited', exitCode: 0 })
    expect(untouched(stopped, { applied: one, begun: two })).to.deep.equal([])
    expect(untouched(without(live(one), 'web.2'), { applied: one, begun: two })).to.deep.equal([])
  })

  it('A62 has begun as a whole if it has for one service of the application', () => {
    const whole = (tag: string, other: string) =>
      desired(application('shop', [service({ name: 'web', tag }), service({ name: 'api', tag: other })]))
    const [before, after] = [whole('1', '1'), whole('2', '2')]
    expect(untouched(live(before), { applied: before, begun: after })).to.have.length(2)
    expect(untouched(live(whole('1', '2')), { applied: before, begun: after })).to.deep.equal([])
  })

  it('A62 H29 has begun if a mid hook ran, or if it failed; and one that ended is none', () => {
    const past = (parts: Partial<Attempt>) => ({ applied: one, begun: two, parts })
    expect(untouched(live(one), past({ noReturn: true }))).to.deep.equal([])
    expect(untouched(live(one), past({ phase: 'failed' }))).to.deep.equal([])
    expect(untouched(live(one), past({ phase: 'ended' }))).to.deep.equal([])
  })
})

type Known = {
  readonly applied?: DesiredState
  readonly begun: DesiredState
  readonly parts?: Partial<Attempt>
}

function untouched(there: LiveState, { applied, begun, parts }: Known): readonly string[] {
  const past = {
    applied: new Map(applied === undefined ? [] : targetsOf(applied)),
    attempts: attemptsOf(begun, parts),
  }
  return [...untouchedIn(there, past)]
}

function attemptsOf(begun: DesiredState, parts: Partial<Attempt> = {}): ReadonlyMap<string, Attempt> {
  return new Map(
    targetsOf(begun).map(
      ([key, { target }]) => [key, { target, release: 'r2', phase: 'open', ...parts }] as const,
    ),
  )
}

function targetsOf({
  environment,
  applications,
}: DesiredState): (readonly [string, { readonly target: string }])[] {
  return applications.flatMap(one =>
    one.services.map(own => {
      const prints = own.instances.map(
        (instance, index) => wantedInstance(environment, one, own, instance, index + 1).fingerprint,
      )
      return [`local/${one.name}/${own.name}`, { target: targetOf(prints) }] as const
    }),
  )
}

/** The same with the container of the job of a service, under a name. */
function withJob(there: LiveState, { environment, applications }: DesiredState): (name: string) => LiveState {
  const jobs = applications.flatMap(one =>
    one.services.flatMap(own => wantedJobs(environment, one, own).map(({ container }) => container)),
  )
  return name => ({
    ...there,
    containers: [
      ...there.containers,
      ...jobs.map(({ placement, spec }) => ({
        ...liveContainer(name, placement, spec, 'c'),
        state: 'exited' as const,
      })),
    ],
  })
}
