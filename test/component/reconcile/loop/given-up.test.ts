import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import {
  everyImage,
  type MemoryDaemonParts,
  manifestOf,
  memoryDaemon,
} from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const confirmed = { skipConfirmation: true }
const files = (services: Readonly<Record<string, string>>, more: object = confirmed) =>
  manifestOf('prod', services, more)
const commits = ['1', '2', '3'].map(digit => digit.repeat(40))

/**
 * A daemon over a site on which these services run, while another commit brings services of which what has the tag
 * `slow` is never healthy.
 */
async function underWay(
  before: Readonly<Record<string, string>>,
  then: Readonly<Record<string, string>>,
  config: MemoryDaemonParts['config'] = {},
) {
  const memory = memoryEngine({ distribution: everyImage })
  const waits = new Set<string>()
  const engine: typeof memory = {
    ...memory,
    async execute(...asked) {
      const [step, , signal] = asked
      const container = 'container' in step ? step.container : ''
      const isSlow = memory.has().containers.get(container)?.image.endsWith(':slow')
      if (step.do !== 'await-healthy' || isSlow !== true) return memory.execute(...asked)
      waits.add(container)
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          waits.delete(container)
          reject(new Failure('interrupted', 'the wait was ended'))
        }),
      )
    },
  }
  const daemon = await memoryDaemon({ environments: ['prod'], files: files(before), engine, config })
  const loop = daemon.control.running[0]?.loop
  const settle = async () => {
    const look = loop?.request('command') ?? 0
    await waitUntil('a look is dealt with', () => loop?.isSettled(look) === true)
    await daemon.pass()
  }
  await settle()
  daemon.commit(files(then), commits[1])
  loop?.request('command')
  await waitUntil('what is slow is waited for', () => waits.size > 0)
  return {
    settle,
    /** Ends the daemon, and starts another one that finds these files. */
    async restart(services: Readonly<Record<string, string>>) {
      await daemon[Symbol.asyncDispose]()
      const { journal } = daemon
      await using next = await memoryDaemon({
        environments: ['prod'],
        files: files(services),
        engine,
        config,
        journal,
      })
      await next.pass()
      await next.pass()
    },
    /** What runs, as `web:1`. */
    runs: () =>
      [...memory.has().containers.values()]
        .map(({ service, image }) => `${service}:${image.slice(image.lastIndexOf(':') + 1)}`)
        .sort(),
    /** Waits until a service has got what the second commit brings. */
    done: (service: string) =>
      waitUntil(`${service} is applied`, () =>
        daemon.journal.applied('prod').has(`local/${service}/${service}`),
      ),
    status: async () => (await daemon.ask('GET /api/v1/environments'))[0],
    approve: (plan: string) => daemon.ask(`POST /api/v1/plans/${plan}/approve`, {}),
    async commit(services: Readonly<Record<string, string>>, more?: object) {
      daemon.commit(files(services, more), commits[2])
      loop?.request('command')
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

describe('a commit that no longer wants what is being installed for the first time', () => {
  it('D18 G12 takes over at once: that is undone without a question, and the rest of the commit begins', async () => {
    await using scene = await underWay({ web: '1' }, { web: '1', first: 'slow', other: '1' })
    await scene.commit({ web: '2', more: '1', other: '1' })
    await scene.settle()
    const { sync, revision, waiting } = await scene.status()
    expect([scene.runs(), sync, revision.commit, waiting]).to.deep.equal([
      ['more:1', 'other:1', 'web:2'],
      'Synced',
      commits[2],
      undefined,
    ])
  })

  it('D3 D18 removes nothing else unasked: what ran before waits for a person', async () => {
    await using scene = await underWay({ web: '1', kept: '1' }, { web: '1', first: 'slow', kept: '1' })
    await scene.commit({ web: '1' })
    await scene.settle()
    const { waiting } = await scene.status()
    expect(scene.runs()).to.deep.equal(['kept:1', 'web:1'])
    expect(waiting).to.have.property('plan')
  })

  it('D3 D18 waits for no approval of what such a rollout has completed already', async () => {
    await using scene = await underWay({ web: '1' }, { web: '1', first: 'slow', done: '1' })
    await scene.done('done')
    await scene.commit({ web: '2' })
    await scene.settle()
    expect(scene.runs()).to.deep.equal(['done:1', 'web:2'])
    expect((await scene.status()).waiting).to.have.property('plan')
  })

  it('G13 D3 waits while what ran before changes, says so, and takes over once its removal is approved', async () => {
    await using scene = await underWay({ web: '1', old: '1' }, { web: '1', old: 'slow' })
    await scene.commit({ web: '2' })
    const { running, revision, waiting } = await waitUntil('the newer commit waits', async () => {
      const status = await scene.status()
      return status.running?.newer !== undefined && status
    })
    const { newer } = running
    expect([running.revision.commit, revision.commit, newer.commit]).to.deep.equal([
      commits[1],
      commits[2],
      commits[2],
    ])
    expect(newer.reason).to.equal('the removal of local/old/old needs an approval')
    await scene.approve(waiting.plan)
    await scene.settle()
    expect(scene.runs()).to.deep.equal(['web:2'])
  })

  it('D3 D18 takes over too where removals are only reported, and where nothing at all is wanted any more', async () => {
    {
      await using scene = await underWay({ web: '1' }, { web: '1', first: 'slow' }, { prune: 'never' })
      await scene.commit({ web: '1' })
      await scene.settle()
      expect([scene.runs(), (await scene.status()).sync]).to.deep.equal([['web:1'], 'Synced'])
    }
    await using scene = await underWay({ web: '1' }, { web: '1', first: 'slow' })
    await scene.commit({})
    await scene.settle()
    expect(scene.runs()).to.deep.equal(['web:1'])
    expect((await scene.status()).errors.map(({ code }: { code: string }) => code)).to.deep.equal([
      'empty-desired-state',
    ])
  })

  it('D18 undoes it, too, where the process had ended meanwhile', async () => {
    await using scene = await underWay({ web: '1' }, { web: '1', first: 'slow' })
    await scene.restart({ web: '1' })
    expect(scene.runs()).to.deep.equal(['web:1'])
  })
})
