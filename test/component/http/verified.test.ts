import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { refused } from '../../support/failures/refused.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { unlessItHangs } from '../../support/time/hangs.ts'

describe('what is said after an apply, before its result was looked at', () => {
  it('D4 G8 is no yes to a plan that was carried out, but for a removal that it left', async () => {
    await using scene = await applied()
    const answer = refused(scene.daemon.ask(`POST /api/v1/plans/${scene.plan}/approve`, { who: 'bob' }))
    scene.goOn()
    expect(await answer).to.match(
      /^plan-answered: plan \w+ was approved by ann at TIME and ended as applied \(pass \d+, TIME\)$/,
    )
    const [{ waiting }] = await scene.daemon.ask('GET /api/v1/environments')
    expect(waiting.plan).to.not.equal(scene.plan)
    expect(scene.removals(), 'nobody has said so').to.deep.equal([])
  })

  it('D4 is no to the plan that waits then, not to the one that was carried out', async () => {
    await using scene = await applied()
    const answer = refused(scene.daemon.ask(`POST /api/v1/plans/${scene.plan}/discard`, { who: 'bob' }))
    scene.goOn()
    expect(await answer).to.match(/^plan-answered: plan \w+ was approved by ann/)
    const [{ waiting }] = await scene.daemon.ask('GET /api/v1/environments')
    await scene.daemon.ask(`POST /api/v1/plans/${waiting.plan}/discard`, { who: 'bob' })
    await scene.daemon.pass()
    const [later] = await scene.daemon.ask('GET /api/v1/environments')
    expect(later.outcome).to.equal('declined')
  })

  const orders = {
    suspend: { suspended: 'prod' },
    resume: { resumed: false },
    retry: { released: 0 },
  }
  for (const [verb, answer] of Object.entries(orders))
    it(`G14 is an order that counts at once, for that look too: ${verb}`, async () => {
      await using scene = await applied()
      expect(await scene.daemon.ask(`POST /api/v1/${verb}`, { reason: 'stocktaking' })).to.deep.equal(answer)
      scene.goOn()
      await scene.daemon.pass()
      const [{ suspensions, applications }] = await scene.daemon.ask('GET /api/v1/environments')
      expect(suspensions).to.have.length(verb === 'suspend' ? 1 : 0)
      const old = applications.find(({ application }: { application: string }) => application === 'old')
      expect(old.reason).to.match(verb === 'suspend' ? /stocktaking/ : /names it any more/)
    })
})

/**
 * An environment of which `web` was just replaced, with a yes of ann to a plan that also removes
 * `old`. The pass that looks at the result stands still until `goOn` is called.
 */
async function applied() {
  const still = Promise.withResolvers<void>()
  let [isReplaced, isSecond] = [false, false]
  const first = memoryEngine({ distribution: everyImage })
  const engine: Engine = {
    ...first,
    execute: async (step, ...more) => {
      isReplaced ||= isSecond && step.do === 'create-container'
      return first.execute(step, ...more)
    },
    observe: async (...given: Parameters<typeof first.observe>) => {
      if (isReplaced) await still.promise
      return first.observe(...given)
    },
  }
  const files = manifestOf('prod', { old: '1', web: '1' })
  const daemon = await memoryDaemon({ files, engine })
  await daemon.pass()
  await daemon.ask(`POST /api/v1/plans/${await asked(daemon)}/approve`, { who: 'ann' })
  await daemon.pass()
  await daemon.pass()
  daemon.commit(manifestOf('prod', { web: '2' }))
  await daemon.pass()
  const plan = await asked(daemon)
  isSecond = true
  const running = daemon.control.running[0]
  const result = running?.ends.until(() => running.loop.state().unverified.length > 0, unlessItHangs())
  await daemon.ask(`POST /api/v1/plans/${plan}/approve`, { who: 'ann' })
  await result
  return {
    daemon,
    plan,
    goOn: still.resolve,
    removals: () => first.done.filter(step => /remove-container prod\.old/.test(step)),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

async function asked(daemon: MemoryDaemon): Promise<string> {
  const [{ waiting }] = await daemon.ask('GET /api/v1/environments')
  return waiting.plan
}
