import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseJson } from '../../../lib/document/json.ts'
import { formatProblem } from '../../../lib/errors.ts'
import { checkSchema } from '../../../lib/schema.ts'
import { built, service } from './built.ts'

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
        'strategy: {type: RollingUpdate, progressDeadlineSeconds: 3600, rollingUpdate: {maxSurge: 1, maxUnavailable: 0, healthyTime: 15m, timeoutSeconds: 30}}',
      ),
    ).to.deep.equal({
      type: 'rolling',
      maxSurge: 1,
      maxUnavailable: 0,
      healthyMs: 900_000,
      timeoutMs: 30_000,
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
      new URL('../../../fixtures/conformance/openshift-hooks/validation.json', import.meta.url),
      'utf8',
    ),
  ).cases

  for (const { name, strategy, params, valid } of rows)
    it(`H26 ${valid ? 'accepts' : 'refuses'}: ${strategy}, ${name}`, () => {
      expect(problemsOf(strategy, params).length > 0).to.equal(!valid)
    })

  it('H2 differs from it where the seed does: a hook without a failurePolicy is retried', () => {
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
