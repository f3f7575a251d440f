import { expect } from 'chai'
import type { ChangeResult } from '../../../../../lib/apply/apply.ts'
import { Failure } from '../../../../../lib/errors.ts'
import type { Change } from '../../../../../lib/plan/change/change.ts'
import { versionsRunning } from '../../../../../lib/reconcile/site/record/versions.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { application, change, desired, service } from '../../../../support/builders/builders.ts'
import { restoration } from '../../../../support/builders/changes.ts'

const shop = application('shop', [
  service({ name: 'web', tag: '1', inSandbox: true, jobs: ['deploy'] }),
  service({ name: 'api', tag: '2', beside: ['proxy'] }),
])
const state = desired(shop, { name: 'blog', tag: '3' })

/** A pass with these changes and results. */
function pass(
  parts: {
    changes?: readonly Change[]
    results?: readonly ChangeResult[]
    desired?: typeof state
    blocked?: string
    unseen?: readonly string[]
  } = {},
): PassResult {
  const { changes = [], results = [], blocked, unseen = [] } = parts
  const wanted = parts.desired ?? state
  const { environment, revision } = wanted
  const stuck =
    blocked === undefined
      ? []
      : [{ application: blocked, problems: [{ code: 'digest-unknown', message: '?' }] as const }]
  return {
    outcome: 'applied',
    sync: 'Synced',
    errors: [],
    desired: wanted,
    plan: { id: 'plan', environment, revision, changes, blocked: stuck, unseen, warnings: [] },
    waiting: [],
    results,
    status: [],
  }
}

/** `local shop web:1 api:2` */
function told(result: PassResult, ...sites: readonly string[]): readonly string[] {
  const versions = sites.flatMap(site => versionsRunning(result, site))
  return versions.map(({ site, application, images }) =>
    [site, application, ...images.map(({ reference }) => reference.slice('example.com/'.length))].join(' '),
  )
}

const whole = 'local shop sandbox:1 web:1 api:2 proxy:2'

describe('the versions that run after a pass', () => {
  it('A6 are those of which nothing is to be changed, with the images of all their containers', () => {
    expect(told(pass(), 'local')).to.deep.equal([whole, 'local blog blog:3'])
  })

  it('A6 are those whose last change was made', () => {
    const [web, api] = [
      change({ application: 'shop', service: 'web' }),
      change({ application: 'shop', service: 'api' }),
    ]
    const done = (...made: readonly Change[]) =>
      pass({ changes: [web, api], results: made.map(change => ({ change, result: 'applied' })) })
    expect(told(done(web, api), 'local')).to.deep.equal([whole, 'local blog blog:3'])
    expect(told(done(web), 'local')).to.deep.equal(['local blog blog:3'])
    const failure = new Failure('unhealthy', 'its health check fails')
    const results: readonly ChangeResult[] = [
      { change: web, result: 'applied' },
      { change: api, result: 'failed', failure },
    ]
    expect(told(pass({ changes: [web, api], results }), 'local')).to.deep.equal(['local blog blog:3'])
  })

  it('A6 G5 are none that was put back from', () => {
    const back = restoration({ application: 'blog' })
    const result = pass({ changes: [back], results: [{ change: back, result: 'applied' }] })
    expect(told(result, 'local')).to.deep.equal([whole])
  })

  it('A6 are none on a site that does not answer', () => {
    expect(told(pass({ unseen: ['store-2'] }), 'store-2')).to.deep.equal([])
  })

  it('D5 are none of which an image is not known', () => {
    expect(told(pass({ blocked: 'shop' }), 'local')).to.deep.equal(['local blog blog:3'])
    const guessed = desired({ name: 'blog', pin: { state: 'unknown', reason: 'no answer' } })
    expect(told(pass({ desired: guessed }), 'local')).to.deep.equal([])
  })
})
