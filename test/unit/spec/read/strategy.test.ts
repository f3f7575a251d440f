import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseJson } from '../../../../lib/document/json.ts'
import { formatProblem } from '../../../../lib/errors.ts'
import { checkSchema } from '../../../../lib/schema.ts'
import { fingerprintOf } from '../../../../lib/state/application/fingerprint.ts'
import { built, service } from '../built.ts'

describe('strategies', () => {
  const strategy = (lines: string) => {
    const { service: first, problems } = service('', lines)
    return problems.length > 0 ? problems.map(text => text.replace(/^\S+ /, '')) : first?.strategy
  }

  it('H25 D7 rolls with a quarter at once unless something is exclusive, where nobody says otherwise', () => {
    expect(strategy('')).to.deep.equal({
      type: 'auto',
      maxSurge: '25%',
      maxUnavailable: '25%',
      healthyMs: 10_000,
      timeoutMs: 600_000,
      deadlineMs: 21_600_000,
    })
  })

  it('reads RollingUpdate', () => {
    expect(
      strategy(
        'strategy: {type: RollingUpdate, progressDeadlineSeconds: 3600, rollingUpdate: {maxSurge: 1, maxUnavailable: 0, healthyTime: 15m, timeoutSeconds: 1800}}',
      ),
    ).to.deep.equal({
      type: 'rolling',
      maxSurge: 1,
      maxUnavailable: 0,
      healthyMs: 900_000,
      timeoutMs: 1_800_000,
      deadlineMs: 3_600_000,
    })
  })

  it('reads Recreate', () => {
    expect(strategy('strategy: {type: Recreate, recreate: {timeoutSeconds: 5}}')).to.deep.include({
      type: 'recreate',
      timeoutMs: 5_000,
      deadlineMs: 21_600_000,
    })
  })

  it('H26 refuses maxSurge and maxUnavailable both 0', () => {
    expect(strategy('strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}}')).to.deep.equal([
      '/services/0/strategy/rollingUpdate has maxSurge and maxUnavailable both 0, so that nothing could ever be replaced (application-invalid)',
    ])
  })

  const contradictions: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'a healthyTime as long as timeoutSeconds',
      'strategy: {rollingUpdate: {healthyTime: 30s, timeoutSeconds: 30}}',
      [
        '/services/0/strategy/rollingUpdate/healthyTime is 30s, and an instance has 30 s to pass its health gate, which it never could; shorten it, or raise timeoutSeconds (application-invalid)',
      ],
    ],
    [
      'a healthyTime above the usual timeoutSeconds',
      'strategy: {rollingUpdate: {healthyTime: 10m}}',
      [
        '/services/0/strategy/rollingUpdate/healthyTime is 10m, and an instance has 600 s to pass its health gate, which it never could; shorten it, or raise timeoutSeconds (application-invalid)',
      ],
    ],
    [
      'a healthyTime above the deadline',
      'strategy: {progressDeadlineSeconds: 60, rollingUpdate: {healthyTime: 2m}}',
      [
        '/services/0/strategy/rollingUpdate/healthyTime is 2m, and an instance has 60 s to pass its health gate, which it never could; shorten it, or raise timeoutSeconds (application-invalid)',
      ],
    ],
    [
      'a deadline below timeoutSeconds',
      'strategy: {type: Recreate, progressDeadlineSeconds: 60, recreate: {timeoutSeconds: 61}}',
      [
        '/services/0/strategy/progressDeadlineSeconds is 60, below the 61 of timeoutSeconds; a rollout takes at least as long as one instance (application-invalid)',
      ],
    ],
    [
      'a hook that may take longer than the deadline',
      'strategy: {progressDeadlineSeconds: 60, rollingUpdate: {pre: {timeoutSeconds: 61, execNewPod: {containerName: web, args: [x]}}}}',
      [
        '/services/0/strategy/rollingUpdate/pre/timeoutSeconds is 61, above the 60 of progressDeadlineSeconds, which ends the whole rollout (application-invalid)',
      ],
    ],
  ]
  for (const [what, lines, faults] of contradictions)
    it(`G12 refuses ${what}`, () => {
      expect(strategy(lines)).to.deep.equal(faults)
    })

  it('G12 lets a healthy time that nobody wrote give way to a limit that somebody did', () => {
    expect(strategy('strategy: {rollingUpdate: {timeoutSeconds: 8}}')).to.include({ healthyMs: 4_000 })
    expect(strategy('strategy: {progressDeadlineSeconds: 6}')).to.include({ healthyMs: 3_000 })
  })

  it('G12 refuses a healthy-time of an upgrade path that no instance could have', () => {
    const { problems } = built(`name: shop
services: [{name: web, containers: [{name: web, image: "web:1"}]}]
upgrade-from: [{version-regexp: ".*", method: per-service, services: [{name: web, healthy-time: 11m}]}]`)
    expect(problems.join()).to.include(
      '/upgrade-from/0/services/0/healthy-time is 11m, and an instance has 600 s',
    )
  })

  it('D18 makes no other instance of another limit, unless that is set on a health check', () => {
    const fingerprint = (lines: string, seconds: number) => {
      const { instance } = service(lines, `strategy: {rollingUpdate: {timeoutSeconds: ${seconds}}}`)
      return instance && fingerprintOf({ environment: 'prod', application: 'shop', service: 'web' }, instance)
    }
    const isSame = (lines: string) => fingerprint(lines, 100) === fingerprint(lines, 200)
    for (const lines of ['', 'healthcheck: {test: [CMD, ok]}', 'probes: {liveness: {command: [ok]}}'])
      expect(isSame(lines), lines).to.equal(true)
    for (const lines of ['probes: {liveness: {tcp: {port: 80}}}', 'probes: {readiness: {command: [ok]}}'])
      expect(isSame(lines), lines).to.equal(false)
  })

  const late: readonly (readonly [string, string, string])[] = [
    ['a health check', 'healthcheck: {test: [CMD, ok], interval: 1m}', 'healthcheck/interval says'],
    ['a command probe', 'probes: {liveness: {command: [ok], period: 30s}}', 'probes/liveness/period says'],
    ['a startup probe', 'probes: {startup: {tcp: {port: 80}, initial-delay: 30s}}', 'probes/startup says'],
    [
      'a readiness probe',
      'probes: {readiness: {tcp: {port: 80}, initial-delay: 10s, period: 10s, success-threshold: 3}}',
      'probes/readiness says',
    ],
  ]
  for (const [what, lines, start] of late)
    it(`G12 refuses ${what} that says nothing before its gate is over`, () => {
      const { problems } = service(lines, 'strategy: {rollingUpdate: {timeoutSeconds: 30}}')
      expect(problems.map(text => text.replace(/^\S+ \S*containers\/0\//, ''))).to.deep.equal([
        `${start} that the container is healthy after ${what === 'a health check' ? 60 : 30} s at the earliest, and its gate is over after 30 s; look sooner, or raise timeoutSeconds of the strategy (application-invalid)`,
      ])
    })

  it('G12 accepts a long interval with a start period, in which newer engines look sooner', () => {
    const { problems } = service(
      'healthcheck: {test: [CMD, ok], interval: 1m, start_period: 10s}',
      'strategy: {rollingUpdate: {timeoutSeconds: 30}}',
    )
    expect(problems).to.deep.equal([])
  })

  it('refuses the settings of the other type', () => {
    expect(strategy('strategy: {type: Recreate, rollingUpdate: {}}')).to.deep.equal([
      '/services/0/strategy/rollingUpdate does not go with "type: Recreate" (application-invalid)',
    ])
  })

  it('D7 refuses RollingUpdate where a host port is published and the new one comes first', () => {
    const { problems } = service('ports: ["80:80"]', 'strategy: {type: RollingUpdate}')
    expect(problems.join()).to.include(
      '/services/0/strategy is RollingUpdate, but only one instance can publish host port 80',
    )
    const first = service(
      'ports: ["80:80"]',
      'strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}',
    )
    expect(first.problems).to.deep.equal([])
  })
})

/** A row of the reference's own validation test, as fixtures/conformance has it. */
type Row = {
  readonly name: string
  readonly strategy: 'Recreate' | 'Rolling'
  readonly params: Readonly<Record<string, unknown>>
  readonly valid: boolean
}

describe('strategies as OpenShift validates them', () => {
  const rows: readonly Row[] = JSON.parse(
    readFileSync(
      new URL('../../../../fixtures/conformance/openshift-hooks/validation.json', import.meta.url),
      'utf8',
    ),
  ).cases

  for (const { name, strategy, params, valid } of rows)
    it(`H26 ${valid ? 'accepts' : 'refuses'}: ${strategy}, ${name}`, () => {
      expect(problemsOf(strategy, params).length > 0).to.equal(!valid)
    })

  it('H2 differs from it where the proposal does: a hook without a failurePolicy is retried', () => {
    expect(
      problemsOf('Recreate', { pre: { execNewPod: { containerName: 'web', command: ['cmd'] } } }),
    ).to.deep.equal([])
  })

  /** Its two pace settings have no counterpart: where they are as usual they are left out. */
  function problemsOf(strategy: Row['strategy'], params: Row['params']): readonly string[] {
    const usual = Object.fromEntries(
      Object.entries(params).filter(([key, value]) => !pace.includes(key) || value !== 1),
    )
    const written =
      strategy === 'Recreate'
        ? { type: 'Recreate', recreate: usual }
        : { type: 'RollingUpdate', rollingUpdate: usual }
    const text = JSON.stringify({
      name: 'shop',
      services: [{ name: 'web', containers: [{ name: 'web', image: 'web:1' }], strategy: written }],
    })
    const faults = checkSchema('application', parseJson('applications/shop.json', text)).map(formatProblem)
    return faults.length > 0 ? faults : built(text).problems
  }
})

const pace: readonly string[] = ['intervalSeconds', 'updatePeriodSeconds']
