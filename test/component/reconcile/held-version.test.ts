import { expect } from 'chai'
import { resume } from '../../../lib/answers/resume.ts'
import { rollback } from '../../../lib/answers/rollback.ts'
import { desiredState } from '../../../lib/reconcile/repository/desired.ts'
import { round } from '../../../lib/reconcile/round.ts'
import { pass } from '../../../lib/reconcile/site/pass.ts'
import type { RoundRequest } from '../../../lib/reconcile/site/pass-request.ts'
import { sitesOf } from '../../../lib/reconcile/site/site.ts'
import { environmentStatus } from '../../../lib/reconcile/status/environment-status.ts'
import { keptTogether } from '../../../lib/reconcile/status/last-state.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import type { Windows } from '../../../lib/state/fleet/window.ts'
import { ingressConfig } from '../../support/builders/ingress-config.ts'
import { queueScene, steppingStones } from '../../support/builders/queue-scene.ts'
import type { Files } from '../../support/builders/snapshot.ts'
import { commitHistory, hex, web } from '../../support/git/commit-history.ts'
import { ann, memoryAudience, memorySubject } from '../../support/memory/memory-audience.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const freshness = { maxAgeMs: 0, lastGood: true }
const approved: RoundRequest = {
  ...{ trigger: 'command', until: 'apply', freshness },
  answer: { who: 'ann', via: 'flag' },
}
const unapproved: RoundRequest = { trigger: 'poll', until: 'apply', freshness, keepsWaiting: true }

/** Version 2.0 of `web` runs on `local`, version 1.0 is kept, and somebody holds it there. */
async function heldAfterTwo(
  engine = memoryEngine(),
  versions = [web('1.0', '1'), web('2.0', '2')],
  config = {},
) {
  const broken = { 'environments/prod/manifest.json': '{' }
  const [one = {}, two = {}] = versions
  const history = commitHistory({ 1: one, 2: two, 3: broken }, config, engine)
  const { world, newest } = history
  for (const digit of ['1', '2']) {
    newest(digit)
    await round(world, approved, signal)
  }
  world.journal.holdVersion({
    ...{ environment: 'prod', application: 'web', version: '1.0', commit: hex('1', 40) },
    ...{ reason: '', who: 'ann', atMs: 0 },
  })
  const appliedFrom = () => world.journal.applied('prod', 'local').get('local/web/web')?.commit[0]
  return { ...history, appliedFrom }
}

describe('a held version on a site', () => {
  it('A6 A12 D18 leaves what runs alone where the repository was read before the hold, and cannot be read again', async () => {
    const { world, newest } = commitHistory({ 1: web('1.0', '1'), 2: web('2.0', '2') }, {}, memoryEngine())
    newest('1')
    await round(world, approved, signal)
    newest('2')
    const wanted = await desiredState(world, freshness, signal)
    world.journal.holdVersion({
      ...{ environment: 'prod', application: 'web', version: '1.0', commit: hex('1', 40) },
      ...{ reason: '', who: 'ann', atMs: 0 },
    })
    const [site] = sitesOf(world)
    if (site === undefined) throw new Error('there is no site')
    const { outcome, errors } = await pass(site, wanted, { ...approved, trigger: 'poll' }, signal)
    expect(outcome).to.equal('failed')
    expect(errors.map(({ message }) => message)).to.deep.equal([
      'web is held at version 1.0, and the repository could not be read since',
    ])
    expect(world.journal.applied('prod', 'local').get('local/web/web')?.commit).to.equal(hex('1', 40))
    expect((await round(world, approved, signal)).outcome).to.equal('in-sync')
  })

  it('A60 A66 waits while the window is closed, and goes outside of it by the word that `rollback --now` takes', async () => {
    const windows: Windows = {
      provider: [{ days: [], startMinutes: 0, zone: 'UTC', durationMs: 60_000 }],
      owner: [],
    }
    // An hour behind the minute in which it is open.
    const { world, appliedFrom } = await heldAfterTwo()
    const closed = {
      ...world,
      config: { ...world.config, sites: [{ ...{ name: 'local', labels: labelsOf([]) }, windows }] },
      nowMs: () => Date.parse('2026-03-01T01:00:00Z'),
    }
    await round(closed, approved, signal)
    expect(appliedFrom(), 'it waits').to.equal('2')
    const subject = memorySubject('prod', undefined, new Map([['local', windows]]))
    const audience = { ...memoryAudience(subject), journal: world.journal, nowMs: closed.nowMs }
    const answer = await rollback(audience, ann, { application: 'web', to: '1.0', outsideWindow: true })
    expect(answer.outsideWindow).to.deep.equal(['local'])
    expect((await round(closed, approved, signal)).outcome).to.equal('applied')
    expect(appliedFrom()).to.equal('1')
  })

  it('X18 A60 ends what was approved before: who resumes is asked again when the window opens', async () => {
    const windows: Windows = {
      provider: [{ days: [], startMinutes: 0, zone: 'UTC', durationMs: 60_000 }],
      owner: [],
    }
    const versions = ['1', '2', '3'].map(tag => web(`${tag}.0`, tag))
    const [one = {}, two = {}, three = {}] = versions
    const { world, newest } = commitHistory({ 1: one, 2: two, 3: three }, {}, memoryEngine())
    for (const digit of ['1', '2']) {
      newest(digit)
      await round(world, approved, signal)
    }
    newest('3')
    let nowMs = Date.parse('2026-03-01T01:00:00Z')
    const timed = {
      ...world,
      config: { ...world.config, sites: [{ ...{ name: 'local', labels: labelsOf([]) }, windows }] },
      nowMs: () => nowMs,
    }
    expect((await round(timed, approved, signal)).outcome).not.to.equal('applied')
    const subject = memorySubject('prod', undefined, new Map([['local', windows]]))
    const audience = { ...memoryAudience(subject), journal: world.journal, nowMs: () => nowMs }
    await rollback(audience, ann, { application: 'web', to: '2.0' })
    await resume(audience, ann, { application: 'web' })
    nowMs = Date.parse('2026-03-02T00:00:10Z')
    expect((await round(timed, unapproved, signal)).outcome).to.equal('needs-confirmation')
    expect(world.journal.applied('prod', 'local').get('local/web/web')?.commit).to.equal(hex('2', 40))
  })

  it('D4 A12 is asked about again if somebody discarded its plan, and it is said once more', async () => {
    const { world } = await heldAfterTwo()
    let nowMs = world.nowMs()
    const timed = { ...world, nowMs: () => nowMs }
    const { plan } = await round(timed, unapproved, signal)
    if (plan === undefined) throw new Error('there is a plan')
    const { id: planId, environment, revision } = plan
    world.journal.discard({ environment, planId, commit: revision.commit, who: 'lou', atMs: nowMs })
    expect((await round(timed, unapproved, signal)).outcome).to.equal('declined')
    nowMs += 1
    const audience = { ...memoryAudience(memorySubject()), journal: world.journal, nowMs: () => nowMs }
    await rollback(audience, ann, { application: 'web', to: '1.0' })
    const again = await round(timed, unapproved, signal)
    expect([again.outcome, again.plan?.id]).to.deep.equal(['needs-confirmation', planId])
  })

  it('A12 D18 is recorded as applied from its own commit, now and when it is found as wanted', async () => {
    const { world, appliedFrom } = await heldAfterTwo()
    expect(appliedFrom()).to.equal('2')
    expect((await round(world, approved, signal)).outcome).to.equal('applied')
    expect(appliedFrom()).to.equal('1')
    expect((await round(world, approved, signal)).outcome).to.equal('in-sync')
    expect(appliedFrom()).to.equal('1')
  })

  it('A12 D2 D18 waits for an approval, and what ran before is repaired as it was meanwhile', async () => {
    const engine = memoryEngine()
    const { world } = await heldAfterTwo(engine)
    expect((await round(world, unapproved, signal)).outcome).to.equal('needs-confirmation')
    engine.lose()
    await round(world, unapproved, signal)
    const images = [...engine.has().containers.values()].map(({ image }) => image)
    expect(images).to.deep.equal(['registry.example.com/web:2'])
  })

  it('A12 X8 is deployed while the newest commit cannot be read, and all else is only looked after', async () => {
    const { world, newest, appliedFrom } = await heldAfterTwo()
    newest('3')
    const { outcome, errors } = await round(world, approved, signal)
    expect(appliedFrom()).to.equal('1')
    expect([outcome, errors.map(({ code }) => code)]).to.deep.equal(['partially-applied', ['json-invalid']])
  })

  it('A12 P33 gets the requests of that version then, too', async () => {
    const routed = (tag: string, host: string): Files => ({
      ...web(`${tag}.0`, tag),
      'applications/web.yaml': `
name: web
version: "${tag}.0"
services:
  - name: web
    containers: [{name: web, image: registry.example.com/web}]
    ingress: [{host: ${host}, port: 80}]
`,
    })
    const versions = [routed('1', 'old.example'), routed('2', 'new.example')]
    const { world, newest } = await heldAfterTwo(memoryEngine(), versions, { ingress: ingressConfig({}) })
    const hosts = () => world.journal.routes('prod', 'local').map(({ host }) => host)
    newest('3')
    expect(hosts()).to.deep.equal(['new.example'])
    await round(world, approved, signal)
    expect(hosts()).to.deep.equal(['old.example'])
  })

  it('A12 D2 waits for an approval while the newest commit cannot be read, too', async () => {
    const { world, newest, appliedFrom } = await heldAfterTwo()
    newest('3')
    expect(
      (await round(world, unapproved, signal)).waiting.map(({ application }) => application),
    ).to.deep.equal(['web'])
    expect(appliedFrom()).to.equal('2')
  })

  it('A12 D15 is left for the newest commit only once that can be read', async () => {
    const { world, newest, appliedFrom } = await heldAfterTwo()
    newest('3')
    await round(world, approved, signal)
    world.journal.endHeldVersion('prod', 'web')
    await round(world, approved, signal)
    expect(appliedFrom()).to.equal('1')
    newest('2')
    await round(world, approved, signal)
    expect(appliedFrom()).to.equal('2')
  })

  it('A12 A65 is left by the same way by which one came to the newest: to go back takes no version back for others', async () => {
    const scene = await queueScene(steppingStones)
    const audience = { ...memoryAudience(memorySubject()), journal: scene.world.journal }
    await scene.at('2')
    await scene.at('3')
    scene.open()
    const runs = async (passes: number) => {
      for (let count = 0; count < passes; count += 1) await scene.pass(scene.approved)
      return scene.runs()
    }
    expect(await runs(2)).to.equal('3')
    await rollback(audience, ann, { application: 'web', to: '2.0.4' })
    expect(await runs(1)).to.equal('1')
    await resume(audience, ann, { application: 'web' })
    expect([await runs(1), await runs(1)]).to.deep.equal(['2', '3'])
  })

  for (const [what, answers, third] of [
    ['the registry does not answer', false, web('3.0', '3')],
    [
      'it is written wrongly',
      true,
      { ...web('3.0', '3'), 'applications/web.yaml': 'name: web\nversion: "3.0"\n' },
    ],
  ] as const)
    it(`A6 A12 never leads to what was gone back from where its correction cannot be had: ${what}`, async () => {
      const history = commitHistory(
        { 1: web('1.0', '1'), 2: web('2.0', '2'), 3: third, 4: web('4.0', '4') },
        {},
        memoryEngine(),
      )
      const { world, newest, registry } = history
      const audience = { ...memoryAudience(memorySubject()), journal: world.journal }
      const looked = async (digit: string) => {
        newest(digit)
        await round(world, approved, signal)
      }
      await looked('1')
      await looked('2')
      await rollback(audience, ann, { application: 'web' })
      await round(world, approved, signal)
      registry.answers = answers
      await looked('3')
      await resume(audience, ann, { application: 'web' })
      await looked('3')
      registry.answers = true
      await looked('4')
      expect(await rollback(audience, ann, { application: 'web' })).to.include({ version: '1.0' })
    })

  it('A12 G13 has a deployment that is done where sites have it, also while nobody has looked since a word', async () => {
    const deployment = `
name: web
application: web
placement: {all-sites: true}
deploy-to-sites: {sites-in-parallel: 1, healthy-time: 0s}
`
    const at = (files: Files) => ({ ...files, 'environments/prod/deployments/web.yaml': deployment })
    const history = commitHistory({ 1: at(web('1.0', '1')), 2: at(web('2.0', '2')) }, {}, memoryEngine())
    const { world, newest } = history
    const { journal } = world
    const audience = { ...memoryAudience(memorySubject()), journal }
    const told = async () => {
      const known = { environment: 'prod', journal, ...keptTogether(journal, 'prod'), nowMs: world.nowMs() }
      const { deployments = [] } = await environmentStatus(known, async () => undefined)
      return deployments.map(({ version, state, sites }) => `${version} ${state}, ${sites.done} of 1`)
    }
    for (const digit of ['1', '1', '2', '2']) {
      newest(digit)
      await round(world, approved, signal)
    }
    expect(await told()).to.deep.equal(['2.0 done, 1 of 1'])
    await rollback(audience, ann, { application: 'web' })
    expect(await told(), 'held').to.deep.equal(['1.0 progressing, 0 of 1'])
    await round(world, approved, signal)
    expect(await told(), 'as held').to.deep.equal(['1.0 done, 1 of 1'])
    await resume(audience, ann, { application: 'web' })
    expect(await told(), 'resumed').to.deep.equal(['1.0 done, 1 of 1'])
    await round(world, approved, signal)
    expect(await told(), 'looked at again').to.deep.equal(['2.0 progressing, 0 of 1'])
  })
})
