import { expect } from 'chai'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { statusLines } from '../../../../lib/cli/text/status/status-text.ts'
import { steadyMs } from '../../../../lib/clock.ts'
import { Failure } from '../../../../lib/errors.ts'
import type { Source } from '../../../../lib/git/source.ts'
import { digest } from '../../../support/builders/builders.ts'
import { steppingStones } from '../../../support/builders/queue-scene.ts'
import { type Files, snapshotOf } from '../../../support/builders/snapshot.ts'
import { refused } from '../../../support/failures/refused.ts'
import { hex } from '../../../support/git/commit-history.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()

/** The id of the plan that waits. */
async function waiting(daemon: MemoryDaemon): Promise<string> {
  const [status] = await daemon.ask('GET /api/v1/environments')
  return status.waiting?.plan ?? ''
}

describe('a word on a plan', () => {
  const files = manifestOf('prod', { web: '1' })

  it('D4 is one: who says yes at the same moment is told what the first one said', async () => {
    const clock = { nowMs: () => Date.parse('2026-01-01T00:00:00Z'), steadyMs }
    await using daemon = await memoryDaemon({ files, clock })
    await daemon.pass()
    const id = await waiting(daemon)
    const [first, second] = await Promise.allSettled([
      daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann', message: 'go' }),
      daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'bob' }),
    ])
    expect([first?.status, second?.status]).to.deep.equal(['fulfilled', 'rejected'])
    const reason = second?.status === 'rejected' ? second.reason : undefined
    expect(reason).to.be.instanceOf(Failure)
    expect(reason.code).to.equal('plan-answered')
    expect(reason.message).to.match(new RegExp(`^plan ${id} was approved by ann at .* \\("go"\\) and `))
  })

  it('D4 an approval is taken back by a no as long as nothing of it has begun', async () => {
    const given: { refusal?: Failure } = {}
    const verify = async () => {
      if (given.refusal !== undefined) throw given.refusal
      return { name: 'ada@example.com', key: 'SHA256:abc' }
    }
    const engine = memoryEngine({ distribution: everyImage })
    await using daemon = await memoryDaemon({ files, verify, engine })
    await daemon.pass()
    const id = await waiting(daemon)
    given.refusal = new Failure('signature-untrusted', 'nobody trusts the key')
    await daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann', message: 'go' })
    await daemon.pass()
    await daemon.pass()
    const [status] = await daemon.ask('GET /api/v1/environments')
    const { at: _, ...approved } = status.approved
    expect(approved).to.deep.equal({ plan: id, who: 'ann', message: 'go', reason: 'nobody trusts the key' })
    expect(printed(statusLines({ ...status, ingress: [] }, Date.now()), false)).to.include(
      `: go\n    not carried out yet: nobody trusts the key\n    to take it back: tallyman discard ${id}\n`,
    )
    expect(await refused(daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'bob' }))).to.match(
      /^plan-answered: plan \w+ was approved by ann at TIME \("go"\) and is not carried out yet: nobody trusts the key$/,
    )
    await daemon.ask(`POST /api/v1/plans/${id}/discard`, { who: 'bob' })
    delete given.refusal
    await daemon.pass()
    expect(engine.done).to.deep.equal([])
    const [later] = await daemon.ask('GET /api/v1/environments')
    expect([later.outcome, later.declined.who, later.approved]).to.deep.equal(['declined', 'bob', undefined])
    expect(await refused(daemon.ask(`POST /api/v1/plans/${id}/discard`, { who: 'ann' }))).to.match(
      /^plan-answered: plan \w+ was discarded by bob/,
    )
  })

  it('D4 is told with how the plan ended to who comes later', async () => {
    await using daemon = await memoryDaemon({ files })
    await daemon.pass()
    const id = await waiting(daemon)
    await daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann' })
    await daemon.pass()
    expect(await refused(daemon.ask(`POST /api/v1/plans/${id}/discard`, { who: 'bob' }))).to.match(
      /^plan-answered: plan \w+ was approved by ann at TIME and ended as applied \(pass \d+, TIME\)$/,
    )
  })

  it('D4 is not told of a plan that came again with another commit, and waits no more', async () => {
    const clock = { nowMs: () => now, steadyMs: () => now }
    let now = 1_000_000
    await using daemon = await memoryDaemon({ files, clock })
    const again = async (version: string) => {
      now += 1000
      daemon.commit(manifestOf('prod', { web: version }), hex(String(now / 1000 - 999), 40))
      await daemon.pass()
      return waiting(daemon)
    }
    const approve = async (id: string) => {
      await daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann' })
      await daemon.pass()
      await daemon.pass()
    }
    const ids: string[] = []
    for (const version of ['1', '2', '1']) {
      const id = await again(version)
      ids.push(id)
      await approve(id)
    }
    const id = await again('2')
    expect(id, 'the same plan as before').to.equal(ids[1])
    daemon.commit({ 'environments/prod/manifest.json': '{' }, hex('9', 40))
    await daemon.pass()
    expect(await refused(daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'bob' }))).to.match(
      /^plan-changed: plan \w+ does not wait for an answer; no plan waits/,
    )
  })

  it('D4 G13 X18 is over where a commit came before it was carried out, also if that asks for nothing', async () => {
    let now = 1_000_000
    await using daemon = await memoryDaemon({ files, clock: { nowMs: () => now, steadyMs: () => now } })
    await daemon.pass()
    await daemon.ask(`POST /api/v1/plans/${await waiting(daemon)}/approve`, { who: 'ann' })
    await daemon.pass()
    daemon.commit(manifestOf('prod', { web: '2' }), hex('2', 40))
    await daemon.pass()
    const id = await waiting(daemon)
    now += 1_000
    daemon.commit(files, hex('3', 40))
    await daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann' })
    now += 1_000
    await daemon.pass()
    expect(await refused(daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'bob' }))).to.equal(
      `plan-changed: plan ${id} is over: commit 333333333333 came before it was carried out; no plan waits`,
    )
  })

  it('D4 stays no: a plan that was discarded is not approved, and does not wait', async () => {
    await using daemon = await memoryDaemon({ files })
    await daemon.pass()
    const id = await waiting(daemon)
    await daemon.ask(`POST /api/v1/plans/${id}/discard`, { who: 'bob', message: 'not on a Friday' })
    const said = async () => {
      const [{ outcome, waiting, declined }] = await daemon.ask('GET /api/v1/environments')
      const { at: _, ...word } = declined
      return { outcome, waiting, declined: word }
    }
    const expected = {
      outcome: 'declined',
      waiting: undefined,
      declined: { plan: id, who: 'bob', message: 'not on a Friday' },
    }
    expect(await said()).to.deep.equal(expected)
    await daemon.pass()
    expect(await said()).to.deep.equal(expected)
    expect(daemon.journal.waiting('prod')).to.deep.equal([])
    expect(await refused(daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann' }))).to.match(
      /^plan-answered: plan \w+ was discarded by bob at TIME \("not on a Friday"\)/,
    )
    daemon.commit(files)
    await daemon.pass()
    expect(await waiting(daemon)).to.equal(id)
  })

  it('D3 D4 is asked anew for what is left of a plan after a pass', async () => {
    await using daemon = await memoryDaemon({ files: manifestOf('prod', { old: '1', web: '1' }) })
    await daemon.pass()
    await daemon.ask(`POST /api/v1/plans/${await waiting(daemon)}/approve`, { who: 'ann' })
    await daemon.pass()
    await daemon.pass()
    daemon.commit(manifestOf('prod', { web: '2' }))
    await daemon.pass()
    const first = await waiting(daemon)
    const answer = await daemon.ask(`POST /api/v1/plans/${first}/approve`, { who: 'ann' })
    expect(answer).to.include({ changes: 1, removalsLeft: 1 })
    expect(await refused(daemon.ask(`POST /api/v1/plans/${first}/approve`, { who: 'bob' }))).to.match(
      /^plan-answered/,
    )
    await daemon.pass()
    await daemon.pass()
    const second = await waiting(daemon)
    expect(second).to.not.equal(first)
    expect(await daemon.ask(`POST /api/v1/plans/${second}/approve`, { who: 'bob' })).to.include({
      changes: 1,
    })
  })

  it('D4 counts in the environment of the plan alone', async () => {
    await using daemon = await memoryDaemon({
      environments: ['prod', 'devel'],
      files: { ...files, ...manifestOf('devel', { web: '2' }) },
    })
    await daemon.pass()
    const [{ waiting }] = await daemon.ask('GET /api/v1/environments')
    for (const verb of ['approve', 'discard'])
      expect(
        await refused(daemon.ask(`POST /api/v1/plans/${waiting.plan}/${verb}`, { environment: 'devel' })),
      ).to.equal(`wrong-usage: plan ${waiting.plan} belongs to the environment prod, not to devel`)
    expect(
      await refused(daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { environment: 'prd' })),
    ).to.equal('wrong-usage: there is no environment "prd"; did you mean "prod"?')
    expect(daemon.journal.approvals('prod', 'local', 0)).to.deep.equal([])
    await daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { environment: 'prod' })
  })

  it('D4 is taken by who writes alone, not by a daemon that only observes', async () => {
    await using daemon = await memoryDaemon({ files, rivalOn: ['local'] })
    await using writer = await memoryDaemon({ files })
    await Promise.all([daemon.pass(), writer.pass()])
    const id = await waiting(writer)
    expect(await refused(daemon.ask(`POST /api/v1/plans/${id}/approve`))).to.match(/^another-writer: /)
    expect(daemon.journal.wordsOn('prod', id)).to.deep.equal([])
  })

  it('G18 finds a plan that no pass has found yet', async () => {
    await using elsewhere = await memoryDaemon({ files: manifestOf('prod', { web: '2' }) })
    await elsewhere.pass()
    const id = await waiting(elsewhere)
    await using daemon = await memoryDaemon({ files })
    await daemon.pass()
    daemon.commit(manifestOf('prod', { web: '2' }))
    expect(await daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann' })).to.include({ approved: id })
    expect(await refused(daemon.ask('POST /api/v1/plans/0000/approve'))).to.match(
      /^plan-changed: plan 0000 does not wait for an answer/,
    )
  })

  it('G13 can be followed to the end of the pass that carries it out', async () => {
    await using daemon = await memoryDaemon({ files })
    await daemon.pass()
    const plan = await waiting(daemon)
    const { from, look, after } = await daemon.ask(`POST /api/v1/plans/${plan}/approve`)
    expect([from, look]).to.deep.equal([2, 3])
    await daemon.pass()
    const place = `GET /api/v1/environments/prod/progress?plan=${plan}&from=${from}`
    const first = await daemon.ask(`${place}&look=${look}&after=${after}`)
    expect(first.events.map(({ step, phase }: Record<string, string>) => `${step} ${phase}`).join()).to.match(
      /create-container prod\.web\.1\.\w{8} done/,
    )
    const applied = { outcome: 'applied', sync: 'Synced', waiting: 0 }
    const { ended } = await daemon.ask(`${place}&look=${look}&after=${first.after}`)
    expect(ended).to.include(applied)
    await daemon.pass()
    const earlier = await daemon.ask(`${place}&look=${look + 1}&after=${first.after}`)
    expect(earlier.ended, 'a pass that ran already took it up').to.include(applied)
  })

  it('X18 G13 can be followed over all steps of a way that one approval covers', async () => {
    const history: Readonly<Record<string, Files>> = steppingStones
    let newest = hex('1', 40)
    const source: Source = {
      ...{ name: 'ops/manifests', address: 'https://git.example.com/ops/manifests' },
      lookUp: async () => newest,
      snapshot: async commit => snapshotOf(history[commit[0] ?? ''] ?? {}, { commit }),
    }
    const engine = memoryEngine({
      distribution: async reference => ({
        ...(await everyImage('', signal)),
        digest: digest(reference.slice(-1)),
      }),
    })
    await using daemon = await memoryDaemon({ files: {}, source, engine })
    const approve = async () => {
      await daemon.pass()
      const plan = await waiting(daemon)
      return { plan, ...(await daemon.ask(`POST /api/v1/plans/${plan}/approve`)) }
    }
    await approve()
    await daemon.pass()
    newest = hex('2', 40)
    await daemon.pass()
    newest = hex('3', 40)
    const { plan, from, look, after } = await approve()
    const place = `GET /api/v1/environments/prod/progress?plan=${plan}&from=${from}&look=${look}`
    let told = { events: [], after, ended: undefined }
    while (told.ended === undefined) told = await daemon.ask(`${place}&after=${told.after}`)
    expect(told.ended).to.include({ outcome: 'applied', sync: 'Synced' })
    const images = [...engine.has().containers.values()].map(({ image }) =>
      image.slice(image.lastIndexOf(':')),
    )
    expect(images).to.deep.equal([':3'])
  })
})
