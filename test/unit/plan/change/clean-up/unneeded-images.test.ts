import { expect } from 'chai'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import type { Images } from '../../../../../lib/plan/change/clean-up/unneeded-images.ts'
import { describeStep } from '../../../../../lib/plan/step/describe.ts'
import { renderPlan } from '../../../../../lib/plan/text/render.ts'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import type { Version } from '../../../../../lib/state/image/version.ts'
import type { LiveState } from '../../../../../lib/state/running/live.ts'
import { changed, desired, digest, live, without } from '../../../../support/builders/builders.ts'
import { onlyChange, planOf, type Situation } from '../../../../support/builders/planning.ts'

/** An application's version with one image of its name, or of another, at a tag. */
function version(
  application: string,
  tag: string,
  parts: Partial<Version> & { image?: string } = {},
): Version {
  const { image = application, ...more } = parts
  const images = [{ reference: `example.com/${image}:${tag}`, digest: digest(tag) }]
  return { environment: 'prod', site: 'local', application, images, ...more }
}

/** The versions of `web` at these tags, the newest first. */
function versions(...tags: readonly string[]): readonly Version[] {
  return tags.map(tag => version('web', tag))
}

function images(parts: Partial<Images> = {}): Images {
  const all = ['web', 'api', 'other'].flatMap(name =>
    [...'0123456789'].map(tag => `example.com/${name}@${digest(tag)}`),
  )
  return {
    keep: 4,
    versions: versions('6', '5', '4', '3', '2', '1'),
    keptVersions: [],
    there: all,
    ...parts,
  }
}

/** `web:2` for each image that goes. */
function gone(state: DesiredState, known: Images, parts: Partial<Situation> = {}): readonly string[] {
  const { changes } = planOf({ desired: state, live: live(state), images: known, ...parts })
  return changes
    .flatMap(({ stages }) => stages.flat())
    .map(step => describeStep(step).replace(/^remove-image example\.com\/(.*)@.*$/, '$1'))
}

describe('images of old versions', () => {
  const state = desired({ tag: '6' })
  const running = live(state)

  it('A6 X8 go once they are none of the last four that ran', () => {
    expect(gone(state, images())).to.deep.equal(['web:1', 'web:2'])
  })

  it('A6 G7 are shown, with the reason and by digest', () => {
    const plan = planOf({ desired: state, live: running, images: images() })
    expect(printed(renderPlan(plan), false).replace(plan.id, 'ID').split('\n')).to.deep.equal([
      'Plan ID for prod at c0ffee000000 "Ship it" by Ann',
      '',
      'old images',
      '    - image example.com/web:1@sha256:111111111111  not of the last 4 versions',
      '    - image example.com/web:2@sha256:222222222222  not of the last 4 versions',
      '',
      'Plan: 0 to create, 0 to replace, 2 to remove.',
      '',
    ])
    const { application, service, action, cause, downtime } = onlyChange(plan)
    expect({ application, service, action, cause, downtime }).to.deep.equal({
      application: 'old images',
      service: 'old images',
      action: 'remove',
      cause: 'unneeded',
      downtime: false,
    })
  })

  it('A6 stay as long as the operator wants them to', () => {
    expect(gone(state, images({ keep: 6 }))).to.deep.equal([])
    expect(gone(state, images({ keep: 1 }))).to.deep.equal(['web:1', 'web:2', 'web:3', 'web:4', 'web:5'])
  })

  it('A6 stay when a version runs again, which makes it the newest', () => {
    const back = desired({ tag: '3' })
    const known = images({ versions: versions('3', '6', '5', '4', '2', '1') })
    expect(gone(back, known)).to.deep.equal(['web:1', 'web:2'])
  })

  it('G10 stay while anything of ours runs, or is to run', () => {
    const behind = images({ versions: versions('9', '8', '7', '5', '6', '1') })
    expect(gone(state, behind)).to.deep.equal(['web:1'])
    const kept = {
      ...running.containers[0],
      engineName: 'prod.web.pre.01234567.kept-abcdef',
      role: 'hook',
      state: 'exited',
      digest: digest('1'),
    } as const
    const withKept = { ...running, containers: [...running.containers, kept] } as LiveState
    expect(gone(state, images(), { live: withKept })).to.deep.equal(['web:2'])
  })

  it('G10 stay while a kept version of any application, or of another environment, has them', () => {
    const other = version('other', '1', { image: 'web' })
    const both = desired({ tag: '6' }, { name: 'other', tag: '9' })
    expect(
      gone(both, images({ versions: [...versions('6', '5', '4', '3', '2', '1'), other] })),
    ).to.deep.equal(['web:2'])
    const staging = version('web', '2', { environment: 'staging' })
    expect(
      gone(state, images({ versions: [...versions('6', '5', '4', '3', '2', '1'), staging] })),
    ).to.deep.equal(['web:1'])
  })

  it('A6 X8 stay while a version can be gone back to that ran long ago, or never completely', () => {
    expect(gone(state, images({ keptVersions: versions('6', '2') }))).to.deep.equal(['web:1'])
    const staging = version('web', '2', { environment: 'staging' })
    expect(gone(state, images({ keptVersions: [staging] }))).to.deep.equal(['web:1'])
    expect(gone(state, images({ keptVersions: versions('6', '2'), keep: 1 }))).to.deep.equal([
      'web:1',
      'web:2',
      'web:3',
      'web:4',
      'web:5',
    ])
  })

  it('A6 go with an application that is gone, whatever of it could be gone back to', () => {
    const known = images({
      versions: [version('web', '6'), version('api', '5')],
      keptVersions: [version('api', '5')],
    })
    expect(gone(state, known)).to.deep.equal(['api:5'])
  })

  it('G10 stay when they are none of ours, or are not there', () => {
    const there = [`example.com/web@${digest('2')}`, `example.com/web@${digest('a')}`]
    expect(gone(state, images({ there }))).to.deep.equal(['web:2'])
    const staging = version('web', '2', { environment: 'staging' })
    expect(gone(state, images({ versions: [staging], keep: 1 }))).to.deep.equal([])
  })

  it('A6 of an application that is gone all go, and say why', () => {
    const known = images({
      versions: [version('web', '6'), version('api', '5'), version('api', '4')],
    })
    const plan = planOf({ desired: state, live: running, images: known })
    expect(onlyChange(plan).lines.map(({ reason }) => reason)).to.deep.equal([
      'its application is gone',
      'its application is gone',
    ])
    expect(gone(state, known)).to.deep.equal(['api:4', 'api:5'])
  })

  const both = desired({ tag: '6' }, { name: 'api', tag: '6' })
  const blocked = {
    application: 'api',
    problems: [{ code: 'image-not-found', message: 'no such image' }],
  } as const
  const waits: readonly (readonly [string, DesiredState, Partial<Situation>])[] = [
    ['a service is to be changed', desired({ tag: '6', replicas: 2 }), { live: running }],
    ['one is to be repaired', both, { live: without(live(both), 'api.1'), applied: both }],
    ['one is held', state, { live: live(both), rules: { prune: 'never' } }],
    ['an application is blocked', { ...state, blocked: [blocked] }, {}],
    [
      'somebody suspended anything',
      state,
      { rules: { suspended: new Map([['*', { reason: 'freeze', sinceMs: 0 }]]) } },
    ],
    ['a network is to be removed', state, { networks: ['prod', 'old'] }],
  ]
  for (const [what, wanted, parts] of waits) {
    it(`A6 wait while ${what}`, () => {
      expect(gone(wanted, images(), parts)).to.not.include('web:1')
    })
  }

  it('G4 stay when nothing at all is wanted', () => {
    const nothing = desired()
    expect(gone(nothing, images())).to.deep.equal([])
  })

  it('A6 A26 go with the last application that a deployment takes from the site, as with any other', () => {
    const left = { ...desired(), elsewhere: ['web'], isWantedElsewhere: true } as const
    const known = images({ versions: versions('2', '1') })
    expect(gone(left, known, { networks: [] })).to.deep.equal(['web:1', 'web:2'])
  })

  it('A6 are not looked for unless the operator says so', () => {
    expect(planOf({ desired: state, live: running }).changes).to.deep.equal([])
  })

  it('D9 are no drift, whatever state a container of theirs is in', () => {
    const ill = changed(running, 'web.1', { health: 'unhealthy' })
    expect(onlyChange(planOf({ desired: state, live: ill, images: images() })).cause).to.equal('unneeded')
  })
})
