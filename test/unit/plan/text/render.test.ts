import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import type { Plan } from '../../../../lib/plan/change/change.ts'
import { lastLine, renderPlan } from '../../../../lib/plan/text/render.ts'
import type { Revision } from '../../../../lib/state/repository/revision.ts'
import { application, changed, desired, job, live, service } from '../../../support/builders/builders.ts'
import { madeFrom, planOf } from '../../../support/builders/planning.ts'

/** The text of a plan, its id left out. */
function text(plan: Plan): readonly string[] {
  return printed(renderPlan(plan), false).replaceAll(plan.id, 'ID').split('\n')
}

describe('the text of a plan', () => {
  it('G7 says that there is nothing to do', () => {
    const state = desired({ tag: '1' })
    expect(text(planOf({ desired: state, live: live(state) }))).to.deep.equal([
      'No changes. What runs is what the manifest says.',
      '',
    ])
  })

  it('G7 D15 does not say that all is as wanted where something could not be judged', () => {
    const state = desired({ tag: '1' })
    const plan = planOf({ desired: state, live: live(state) })
    const blocked = [{ application: 'shop', problems: [{ code: 'image-not-found', message: 'no' }] }] as const
    expect(lastLine({ ...plan, blocked })).to.equal('No changes to the other applications.')
    expect(lastLine({ ...plan, blocked, unseen: ['store-1', 'store-2'] })).to.equal(
      'No changes where an engine answers; store-1, store-2 does not.',
    )
  })

  it('G7 A12 does not say that what is held at a version is what the manifest says', () => {
    const state = desired({ tag: '1' })
    const plan = planOf({ desired: state, live: live(state) })
    const message = 'web is held at version 1 of commit c by ann; the newest commit has 2'
    expect(lastLine({ ...plan, warnings: [{ code: 'version-held', message }] })).to.equal(
      'No changes. What is held runs in the version at which it is held, and all else is what the manifest says.',
    )
    expect(lastLine({ ...plan, warnings: [{ code: 'version-twice', message: 'two' }] })).to.equal(
      'No changes. What runs is what the manifest says.',
    )
  })

  it('X18 G7 shows what waits for its turn after what goes at once, says so, and counts both', () => {
    const state = desired({ tag: '1' })
    const plan = planOf({ desired: state, live: live() })
    const turn = { code: 'not-its-turn', reason: 'waits for its turn in shop', isQueued: true } as const
    const changes = [
      ...plan.changes.map(change => ({ ...change, site: 'a', held: turn })),
      ...plan.changes.map(change => ({ ...change, site: 'b' })),
    ]
    const lines = text({ ...plan, changes })
    const titles = lines.filter(line => line.includes(' on ') || line.includes('its turn'))
    expect(titles).to.deep.equal(['web on b', 'web on a', '        waits for its turn in shop'])
    expect(lines.at(-2)).to.equal('Plan: 2 to create, 0 to replace, 0 to remove.')
  })

  it('G7 has the warnings above the changes, and the sum last', () => {
    const warning = { code: 'no-effect', message: 'means nothing here' } as const
    const state = { ...desired({ tag: '1' }), warnings: [warning] }
    const lines = text(planOf({ desired: state, live: live() }))
    expect(lines.slice(0, 5)).to.deep.equal([
      'Plan ID for prod at c0ffee000000 "Ship it" by Ann',
      '',
      'Warnings:',
      '  means nothing here (no-effect)',
      '',
    ])
    expect(lines.at(-2)).to.equal('Plan: 1 to create, 0 to replace, 0 to remove.')
  })

  it('G25 says who signed what it was made from, where somebody has to', () => {
    const signedBy = { name: 'Ada Example <ada@example.com>', key: 'OpenPGP A3AF' }
    const state = desired({ tag: '1' })
    const signed = { ...state, revision: { ...state.revision, signedBy } }
    expect(text(planOf({ desired: signed, live: live() }))[0]).to.equal(
      'Plan ID for prod at c0ffee000000 "Ship it" by Ann, signed by Ada Example <ada@example.com> (OpenPGP A3AF)',
    )
  })

  it('G25 says what it knows of a directory: a hash of its files, and who made the commit below them', () => {
    const state = desired({ tag: '1' })
    const about = (parts: Partial<Revision>) => {
      const revision = { ...state.revision, commit: 'worktree-0123456789ab', ...parts }
      return text(planOf({ desired: { ...state, revision }, live: live() }))[0]
    }
    expect(about({ subject: '', author: '' })).to.equal('Plan ID for prod at worktree-0123456789ab')
    expect(about({})).to.equal('Plan ID for prod at worktree-0123456789ab "Ship it" by Ann')
  })

  it('G7 says for each instance what happens and why, how, and whether there is a downtime', () => {
    const before = desired({ name: 'api' }, { name: 'web', hostPort: 80 }, { name: 'old', replicas: 2 })
    const after = desired(
      { name: 'api', tag: '2', replicas: 2 },
      { name: 'new', replicas: 2 },
      { name: 'web', tag: '2', hostPort: 80 },
    )
    const plan = planOf({
      desired: after,
      live: live(before),
      applied: before,
      specificationOf: madeFrom(before),
    })
    expect(text(plan)).to.deep.equal([
      'Plan ID for prod at c0ffee000000 "Ship it" by Ann',
      '',
      'api',
      '  -/+ api.1  image',
      '    + api.2  image',
      '        api/image: example.com/api:1@sha256:111111111111 → example.com/api:2@sha256:222222222222',
      '        rolling: nothing is exclusive; no downtime; 1 image to verify and pull',
      '',
      'new',
      '    + new.1  not deployed yet',
      '    + new.2  not deployed yet',
      '        image: example.com/new:1@sha256:111111111111',
      '        user: that of the image; network: prod; no variables',
      '        1 image to verify and pull',
      '',
      'web',
      '  -/+ web.1  image',
      '        web/image: example.com/web:1@sha256:111111111111 → example.com/web:2@sha256:222222222222',
      '        recreate: host port 80 can be published once; with a short downtime; 1 image to verify and pull',
      '',
      'old',
      '    - old.1  neither the manifest nor a deployment names it any more',
      '    - old.2  neither the manifest nor a deployment names it any more',
      '',
      'Plan: 3 to create, 2 to replace, 2 to remove.',
      '',
    ])
  })

  it('G7 goes field by field where it is known what the running one was made from', () => {
    const before = desired({ tag: '1', env: { LEVEL: 'info', TRACE: '1' } })
    const after = desired({ tag: '1', env: { LEVEL: 'debug', REGION: 'eu' } })
    const containers = before.applications[0]?.services[0]?.instances[0]?.containers
    const specificationOf = () => (containers === undefined ? undefined : { containers })
    expect(text(planOf({ desired: after, live: live(before), specificationOf })).slice(2, 9)).to.deep.equal([
      'web',
      '  -/+ web.1  env',
      '        web/env/LEVEL: info → debug',
      '        web/env/REGION: eu',
      '        web/env/TRACE: 1 → (not set)',
      '        rolling: nothing is exclusive; no downtime; 1 image to verify and pull',
      '',
    ])
  })

  it('H28 says what a hook runs and what its failure does, on one line and not without end', () => {
    const hook = (stage: 'pre' | 'post', command: readonly string[]) => ({
      ...job(stage),
      container: { ...job(stage).container, command },
    })
    const jobs = [
      hook('pre', ['migrate', 'up now', '--to=7']),
      hook('post', ['sh', '-c', `echo \x1b[2J${'x'.repeat(200)}`]),
    ]
    const wanted = desired(application('web', [{ ...service(), jobs }]))
    const lines = text(planOf({ desired: wanted, live: { site: 'local', containers: [] } }))
    expect(lines.slice(6, 8)).to.deep.equal([
      '        runs pre hook (Abort): migrate "up now" --to=7',
      `        runs post hook (Abort): sh -c "echo \\u001b[2J${'x'.repeat(119)}…`,
    ])
  })

  it('D9 has drift in a block of its own', () => {
    const state = desired({ name: 'api' }, { name: 'web' })
    const stopped = changed(live(state), 'web.1', { state: 'exited', exitCode: 137 })
    const next = desired({ name: 'api', tag: '2' }, { name: 'web' })
    const specificationOf = madeFrom(state)
    expect(
      text(planOf({ desired: next, live: stopped, applied: state, specificationOf })).slice(7),
    ).to.deep.equal([
      'Drift: what runs was changed from outside, and is repaired:',
      '',
      'web',
      '    ~ web.1  stopped (exit code 137)',
      '',
      'Plan: 0 to create, 1 to replace, 0 to remove, 1 to repair.',
      '',
    ])
  })

  it('D9 D18 tells what Tallyman left half-done from what somebody changed', () => {
    const state = desired({ name: 'api' }, { name: 'web' })
    const { site, containers } = live(state)
    const stopped = containers.map(one => ({ ...one, state: 'exited' as const, exitCode: 137 }))
    const attempt = desired({ name: 'web', tag: '2' })
    const situation = { desired: state, applied: state, attempt }
    expect(text(planOf({ ...situation, live: { site, containers: stopped } })).slice(2)).to.deep.equal([
      'Back to what ran before a rollout that did not come to its end:',
      '',
      'web',
      '    ~ web.1  stopped (exit code 137)',
      '',
      'Drift: what runs was changed from outside, and is repaired:',
      '',
      'api',
      '    ~ api.1  stopped (exit code 137)',
      '',
      'Plan: 0 to create, 0 to replace, 0 to remove, 2 to repair.',
      '',
    ])
    const [gone] = planOf({ ...situation, live: { site, containers: [] } }).changes.filter(
      ({ service }) => service === 'web',
    )
    expect(gone?.lines.map(({ reason }) => reason)).to.deep.equal(['was removed by that rollout'])
  })

  it('G13 says what is left alone and why', () => {
    const before = desired({ name: 'web' }, { name: 'old' })
    const plan = planOf({ desired: desired({ name: 'web' }), live: live(before), rules: { prune: 'never' } })
    expect(text(plan).slice(2)).to.deep.equal([
      'Differs, and is left alone:',
      '  old  neither the manifest nor a deployment names it any more; "prune: never" only reports (prune-never)',
      '',
      'Plan: 0 to create, 0 to replace, 0 to remove.',
      '',
    ])
  })

  it('G7 names service and site where they are not the application and the only one', () => {
    const wanted = desired(application('shop', [service({ name: 'web' })]))
    expect(text(planOf({ desired: wanted, live: { site: 'store-1', containers: [] } }))[2]).to.equal(
      'shop/web on store-1',
    )
  })
})
