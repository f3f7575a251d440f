import { expect } from 'chai'
import { resume } from '../../../lib/answers/resume.ts'
import { rollback } from '../../../lib/answers/rollback.ts'
import { Failure } from '../../../lib/errors.ts'
import { round } from '../../../lib/reconcile/round.ts'
import { itemsOf } from '../../../lib/reconcile/site/decision/needs-approval.ts'
import type { RoundRequest } from '../../../lib/reconcile/site/pass-request.ts'
import { commitHistory, hex, web } from '../../support/git/commit-history.ts'
import { ann, memoryAudience, memorySubject } from '../../support/memory/memory-audience.ts'
import { memoryEngine, runningOn } from '../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const freshness = { maxAgeMs: 0, lastGood: true }
const approved: RoundRequest = {
  ...{ trigger: 'command', until: 'apply', freshness },
  answer: { who: 'ann', via: 'flag' },
}
const unapproved: RoundRequest = { trigger: 'poll', until: 'apply', freshness, keepsWaiting: true }
const pull = `pull-image registry.example.com/web:2@sha256:${hex('2', 64)}`
const noAnswer = new Failure('registry-unreachable', 'no answer')

/** Version 1.0 of `web` runs, and 2.0 is wanted, whose image cannot be pulled. */
async function unpulled() {
  const fails: Record<string, Failure> = { [pull]: noAnswer }
  const during: Record<string, () => void> = {}
  const waits: string[] = []
  const engine = memoryEngine({ fails, during, waits })
  const { world, newest } = commitHistory({ 1: web('1.0', '1'), 2: web('2.0', '2') }, {}, engine)
  newest('1')
  await round(world, approved, signal)
  newest('2')
  const audience = { ...memoryAudience(memorySubject()), journal: world.journal }
  return {
    ...{ world, engine, during, waits, fails },
    pass: (request = unapproved) => round(world, request, signal),
    goBack: () => rollback(audience, ann, { application: 'web', to: '1.0' }),
    resume: () => resume(audience, ann, { application: 'web' }),
    answer: () => delete fails[pull],
  }
}

describe('an approval of which nothing was touched', () => {
  it('D4 goes by itself once the image can be pulled', async () => {
    const { pass, answer, engine } = await unpulled()
    expect((await pass(approved)).outcome).to.equal('failed')
    answer()
    expect((await pass()).outcome).to.equal('applied')
    expect(runningOn(engine)).to.deep.equal(['web:2'])
  })

  it('D4 can be taken back while the image cannot be pulled', async () => {
    const { pass, answer, engine, world } = await unpulled()
    const { plan } = await pass(approved)
    expect(world.journal.unbegunApproval('prod', world.nowMs())).to.include({ planId: plan?.id, who: 'ann' })
    const taken = world.journal.takeBackApprovals('prod', [plan?.id ?? ''], world.nowMs())
    expect([taken?.plans.map(({ site }) => site), taken?.begun]).to.deep.equal([['local'], []])
    answer()
    expect((await pass()).outcome).to.equal('needs-confirmation')
    expect(runningOn(engine)).to.deep.equal(['web:1'])
  })

  it('X18 D5 is over for whoever goes back at once and resumes', async () => {
    const { pass, answer, engine, goBack, resume } = await unpulled()
    await pass(approved)
    await goBack()
    expect((await pass()).outcome).to.equal('in-sync')
    await resume()
    answer()
    expect((await pass()).outcome).to.equal('needs-confirmation')
    expect(runningOn(engine)).to.deep.equal(['web:1'])
  })

  it('X18 D5 is over for whoever goes back at once from what has begun, once that is put back', async () => {
    const { pass, answer, engine, world, goBack, resume, during, waits } = await unpulled()
    answer()
    const ending = new AbortController()
    const gate = 'await-healthy prod.web.1.ed919a87'
    waits.push(gate)
    during[gate] = () => ending.abort()
    await round(world, approved, ending.signal)
    await goBack()
    await pass()
    expect(runningOn(engine)).to.deep.equal(['web:1'])
    await resume()
    waits.length = 0
    expect((await pass()).outcome).to.equal('needs-confirmation')
    expect(runningOn(engine)).to.deep.equal(['web:1'])
  })

  it('X18 D5 is over for whoever goes back at once from what fails then, and is undone', async () => {
    const { pass, answer, engine, goBack, resume, during, fails } = await unpulled()
    answer()
    const gate = 'await-healthy prod.web.1.ed919a87'
    let said: Promise<unknown> | undefined
    fails[gate] = noAnswer
    during[gate] = () => {
      said = goBack()
    }
    expect((await pass(approved)).outcome).to.equal('rolled-back')
    await said
    delete fails[gate]
    delete during[gate]
    await resume()
    expect((await pass()).outcome).to.equal('needs-confirmation')
    expect(runningOn(engine)).to.deep.equal(['web:1'])
  })

  it('X18 D5 is over for whoever goes back at once during the pull, and resumes', async () => {
    const { pass, answer, engine, goBack, resume, during } = await unpulled()
    let said: Promise<unknown> | undefined
    during[pull] = () => {
      said = goBack()
    }
    await pass(approved)
    await said
    await resume()
    answer()
    expect((await pass()).outcome).to.equal('needs-confirmation')
    expect(runningOn(engine)).to.deep.equal(['web:1'])
  })

  for (const [when, passes] of [
    ['and resumes after a look', true],
    ['and resumes before a look', false],
  ] as const)
    it(`X18 D5 is over for whoever goes back at once after the process was killed during the pull, ${when}`, async () => {
      const { pass, answer, engine, goBack, resume, world } = await unpulled()
      const { plan } = await pass()
      if (plan === undefined) throw new Error('there is a plan')
      killed(world, plan)
      await goBack()
      if (passes) await pass()
      await resume()
      answer()
      expect((await pass()).outcome).to.equal('needs-confirmation')
      expect(runningOn(engine)).to.deep.equal(['web:1'])
    })

  it('D4 X18 can be taken back after the process was killed during the pull', async () => {
    const { pass, world } = await unpulled()
    const { plan } = await pass()
    if (plan === undefined) throw new Error('there is a plan')
    killed(world, plan)
    const taken = () => world.journal.takeBackApprovals('prod', [plan.id], world.nowMs())?.plans.length
    expect(taken(), 'nobody has looked yet').to.equal(undefined)
    await pass()
    expect(taken()).to.equal(1)
  })
})

type Scene = Awaited<ReturnType<typeof unpulled>>
type Plan = NonNullable<Awaited<ReturnType<Scene['pass']>>['plan']>

/** Leaves what a pass leaves that began an approved plan, and whose process was killed before the first step. */
function killed({ journal, nowMs }: Scene['world'], plan: Plan): void {
  const [environment, atMs] = ['prod', nowMs()]
  const parts = [
    { site: 'local', planId: plan.id, commit: plan.revision.commit, items: itemsOf(plan.changes) },
  ]
  journal.approve({
    ...{ environment, planId: plan.id, commit: plan.revision.commit, parts },
    ...{ who: 'ann', via: 'control', atMs, expiresAtMs: atMs + 60_000 },
  })
  journal.beginApproved(environment, plan.changes)
  for (const { site, application, service, target, release } of plan.changes)
    journal.beginAttempt({ environment, site, application, service, target, release, atMs })
}
