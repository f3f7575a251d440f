import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { errorsOf, problemError } from '../../../../lib/reconcile/status/error.ts'
import { change } from '../../../support/builders/builders.ts'
import { restoration } from '../../../support/builders/changes.ts'
import { told, went } from './told-errors.ts'

describe('the errors of a pass', () => {
  it('G4 G13 tell of a removal that an empty manifest holds only where no application that is blocked explains it', () => {
    const old = change({
      application: 'old',
      held: { code: 'empty-desired-state', reason: 'nothing that it asks for can run' },
    })
    const blocked = [
      { application: 'shop', problems: [{ code: 'pod-invalid', message: 'has no apps' }] },
    ] as const
    expect(told({ changes: [old] }).map(error => error.split(' ')[0])).to.deep.equal(['empty-desired-state'])
    expect(told({ changes: [old], blocked })).to.deep.equal(['pod-invalid shop: has no apps'])
  })

  it('C53 name the place of the image of the metadata service, which no specification has', () => {
    const failed = (application: string, failure: Failure) =>
      errorsOf({
        ...went,
        results: [{ change: change({ application, service: application }), result: 'failed', failure }],
      }).map(({ hint }) => hint)
    const refused = new Failure('start-refused', 'local: no such program')
    const full = new Failure('disk-full', 'local: no space left', { hint: 'Make room.' })
    const place =
      'et "metadata: {image: …}" in tallyman.yaml to the image of tallyman, of the same version; see docs/pods.md.'
    expect(failed('tallyman-metadata', refused)).to.deep.equal([`S${place}`])
    expect(failed('tallyman-metadata', full)).to.deep.equal([
      `Make room. If its image is at fault: s${place}`,
    ])
    expect(failed('web', full)).to.deep.equal(['Make room.'])
  })

  it('G6 begin with what failed, and end with what could not be looked up', () => {
    expect(
      told({
        stale: new Failure('git-unreachable', 'https://git.example.com: no answer'),
        blocked: [
          { application: 'api', problems: [{ code: 'image-not-found', message: 'no such image' }] },
          {
            application: 'db',
            problems: [{ code: 'digest-unknown', message: 'db: the registry does not answer' }],
          },
        ],
        unreachable: { site: 'store-1', failure: new Failure('engine-unreachable', 'store-1: no answer') },
        results: [
          {
            change: change(),
            result: 'rolled-back',
            failure: new Failure('unhealthy', 'its health check fails'),
          },
          { change: change({ application: 'log' }), result: 'applied' },
          {
            change: change({ application: 'cron' }),
            result: 'skipped',
            reason: 'local/web/web was not applied',
          },
        ],
        changes: [change({ application: 'old', held: { code: 'quarantined', reason: 'failed before' } })],
      }),
    ).to.deep.equal([
      'unhealthy local/web/web: its health check fails',
      'image-not-found api: no such image',
      'digest-unknown db: db: the registry does not answer',
      'engine-unreachable store-1: store-1: no answer',
      'quarantined local/old/old: old: failed before',
      'git-unreachable: https://git.example.com: no answer',
    ])
  })

  it('G14 are not what somebody wanted to be held', () => {
    const codes = ['suspended', 'prune-never', 'drift-reported'] as const
    const changes = codes.map(code => change({ held: { code, reason: 'so it shall be' } }))
    expect(told({ changes })).to.deep.equal([])
  })

  it('G5 tell of an undo that was only finished now', () => {
    const putBack = restoration({ reason: 'puts back what ran before the failed rollout' })
    expect(told({ results: [{ change: putBack, result: 'applied' }] })).to.deep.equal([
      'quarantined local/web/web: web: puts back what ran before the failed rollout',
    ])
  })

  it('name the place first where a file is wrong, and keep its hint', () => {
    expect(
      problemError({
        code: 'image-not-found',
        message: 'no such image (tag 2)',
        position: { file: 'environments/prod/manifest.json', line: 12, column: 7 },
        hint: 'Push it.',
      }),
    ).to.deep.equal({
      code: 'image-not-found',
      message: 'environments/prod/manifest.json:12:7: no such image (tag 2)',
      hint: 'Push it.',
      retry: 'backoff',
    })
  })
})
