import { expect } from 'chai'
import { parseYaml } from '../../../../lib/document/yaml.ts'
import { formatProblem } from '../../../../lib/errors.ts'
import { strategiesFor } from '../../../../lib/plan/compare/version/upgrade.ts'
import { checkSchema } from '../../../../lib/schema.ts'
import { built } from '../built.ts'

/** The how-to's own example around two services (A41). */
const movie = (paths: string, more = '', own = '') => `name: shop
version: "3.1"
services:
  - {name: pop-service, replicas: 3, containers: [{name: pop, image: pop}]${own}}
  - {name: projector, containers: [{name: projector, image: projector}]}
${more}upgrade-from:
${paths}`

const example = movie(`  - version-regexp: '^3\\.0$'
    method: per-service
    services: [{name: pop-service, instances-in-parallel: 1, healthy-time: 30s}]
  - version-regexp: '^2\\.'
    method: stop-and-restart
`)

const restarted = {
  type: 'recreate',
  maxSurge: '25%',
  maxUnavailable: '25%',
  healthyMs: 10_000,
  timeoutMs: 600_000,
  deadlineMs: 21_600_000,
}

function withoutPlace(problem: string): string {
  return problem.replace(/^\S+ /, '').replace(' (application-invalid)', '')
}

describe('upgrade-from', () => {
  it("A40 A41 reads the how-to's example: rolling for what it lists, stop and restart for the rest", () => {
    expect(checkSchema('application', parseYaml('shop.yaml', example)).map(formatProblem)).to.deep.equal([])
    const { application, problems } = built(example)
    expect(problems).to.deep.equal([])
    expect(application.upgrades).to.deep.equal([
      {
        fromPattern: '^3\\.0$',
        method: 'per-service',
        services: {
          'pop-service': {
            type: 'rolling',
            maxSurge: 0,
            maxUnavailable: 1,
            healthyMs: 30_000,
            timeoutMs: 600_000,
            deadlineMs: 21_600_000,
          },
          projector: restarted,
        },
      },
      {
        fromPattern: '^2\\.',
        method: 'stop-and-restart',
        services: { 'pop-service': restarted, projector: restarted },
      },
    ])
  })

  it('A42 has none where nobody says so: any version may follow any', () => {
    expect(
      built('name: shop\nservices: [{name: a, containers: [{name: a, image: a}]}]').application,
    ).not.to.have.property('upgrades')
  })

  const refused: readonly (readonly [string, string, string])[] = [
    [
      'a strategy of the application beside it',
      movie("  - {version-regexp: '.*', method: stop-and-restart}\n", 'strategy: {}\n'),
      '/strategy says how instances are replaced, and so does "upgrade-from"; keep one of them',
    ],
    [
      'a strategy of a service beside it',
      movie("  - {version-regexp: '.*', method: stop-and-restart}\n", '', ', strategy: {}'),
      '/services/0/strategy says how instances are replaced, and so does "upgrade-from"; keep one of them',
    ],
    [
      'a service that the application lacks',
      movie("  - {version-regexp: '.*', method: per-service, services: [{name: pop}]}\n"),
      '/upgrade-from/0/services/0/name "pop" is no service of the application',
    ],
    [
      'one service twice',
      movie(
        "  - {version-regexp: '.*', method: per-service, services: [{name: projector}, {name: projector}]}\n",
      ),
      '/upgrade-from/0/services/1/name is "projector" a second time',
    ],
    [
      'services of stop-and-restart',
      movie("  - {version-regexp: '.*', method: stop-and-restart, services: [{name: projector}]}\n"),
      '/upgrade-from/0/services does not go with "method: stop-and-restart", which is about all of them',
    ],
    [
      'A42 what is no regular expression',
      movie("  - {version-regexp: '(', method: stop-and-restart}\n"),
      '/upgrade-from/0/version-regexp is no regular expression of RE2: missing closing ): `(`',
    ],
    [
      'A32 what is no duration',
      movie(
        "  - {version-regexp: '.*', method: per-service, services: [{name: projector, healthy-time: soon}]}\n",
      ),
      '/upgrade-from/0/services/0/healthy-time "soon" is no duration; write for example 90s, 1m30s or 500ms',
    ],
  ]
  for (const [name, text, problem] of refused)
    it(`refuses ${name}, at its place`, () => {
      expect(built(text).problems.map(withoutPlace)).to.deep.equal([problem])
    })
})

describe('the strategy for an upgrade', () => {
  const { application } = built(example)
  const [pop, projector] = application.services

  const choose = (service: typeof pop, running: readonly string[]) => {
    if (service === undefined) throw new Error('the example has two services')
    const choice = strategiesFor(application, new Set(running))(service)
    if ('noPath' in choice) return choice.noPath
    const { type, maxUnavailable, healthyMs } = choice.strategy
    return { type, maxUnavailable, healthyMs }
  }

  it('A42 is that of the first path which the running version matches', () => {
    expect(choose(pop, ['3.0'])).to.deep.equal({ type: 'rolling', maxUnavailable: 1, healthyMs: 30_000 })
    expect(choose(projector, ['3.0'])).to.deep.include({ type: 'recreate' })
    expect(choose(pop, ['2.7'])).to.deep.include({ type: 'recreate' })
  })

  it('A42 is none where no path leads here', () => {
    expect(choose(pop, ['1.9'])).to.equal('no entry of "upgrade-from" leads from 1.9 to 3.1')
    expect(choose(pop, [''])).to.equal('no entry of "upgrade-from" leads from no version to 3.1')
  })

  it('A42 leads from all versions that run, or from none', () => {
    expect(choose(pop, ['2.7', '2.8', '3.1'])).to.deep.include({ type: 'recreate' })
    expect(choose(pop, ['3.0', '2.8'])).to.equal('no entry of "upgrade-from" leads from 2.8 and 3.0 to 3.1')
  })

  it("A11 A64 is the service's own where no other version runs", () => {
    expect(choose(pop, [])).to.deep.include({ type: 'auto' })
    expect(choose(pop, ['3.1', '3.1'])).to.deep.include({ type: 'auto' })
  })

  it("A42 is the service's own without upgrade-from", () => {
    const { upgrades: _, ...plain } = application
    expect(pop && strategiesFor(plain, new Set(['1.0']))(pop)).to.deep.equal({ strategy: pop?.strategy })
  })
})
