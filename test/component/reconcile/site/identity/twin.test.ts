import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { EngineInfo } from '../../../../../lib/engine.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { hindrancesIn } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'

const files = (tag: string) => manifestOf('prod', { web: tag }, { skipConfirmation: true })
const silence = new Failure('engine-unreachable', 'no answer')

const at = (name: string) => ({ name, endpoint: `unix:///run/${name}.sock` })

/**
 * Two sites that lead to one engine, in the order of the configuration, and a daemon that looks after both.
 * @param first those that are there when it starts; absent: both
 */
async function twins(
  names: readonly [string, string],
  parts: Partial<Record<string, Partial<MemoryEngine>>>,
  first: readonly string[] = names,
) {
  const engine = memoryEngine({ distribution: everyImage })
  const { signal } = new AbortController()
  const same: EngineInfo = await engine.info(signal)
  /** What was done through which site. */
  const done: string[] = []
  const engines = names.map(site => ({
    ...engine,
    site,
    info: async () => same,
    observe: async (...asked: Parameters<MemoryEngine['observe']>) => ({
      ...(await (parts[site]?.observe ?? engine.observe)(...asked)),
      site,
    }),
    execute: async (...asked: Parameters<MemoryEngine['execute']>) => {
      done.push(`${site} ${asked[0].do}`)
      await parts[site]?.execute?.(...asked)
      return engine.execute(...asked)
    },
    ...(parts[site]?.info === undefined ? {} : { info: parts[site].info }),
  }))
  const journal = memoryJournal()
  journal.setEnvironment(identity('prod'))
  const start = (sites: readonly string[]) =>
    memoryDaemon({
      environments: ['prod'],
      files: files('1'),
      engines,
      later: engines.map(one => ({ ...one })),
      journal,
      config: { sites: sites.map(at) },
    })
  const daemon = await start(first)
  return {
    daemon,
    /** Starts another daemon with the same journal, once this one has ended. */
    restart: start,
    same,
    by: () => [...new Set(done.map(one => one.split(' ')[0]))],
    forget: () => done.splice(0),
    happen: engine.happen,
    done,
    /** Why sites are refused. */
    told: () =>
      daemon
        .results()
        .flatMap(hindrancesIn)
        .map(({ code, message }) => `${code}: ${message}`),
  }
}

const refused = (first: string, second: string) =>
  `same-engine: sites: "${first}" and "${second}" are the same engine, local on local`

describe('two sites that are one engine', () => {
  for (const names of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const)
    it(`D17 G17 are served as the one that comes first in the configuration, ${names.join(' before ')}, though the other answers first`, async () => {
      const asked = Promise.withResolvers<EngineInfo>()
      let times = 0
      const info = () => {
        times += 1
        return asked.promise
      }
      const { daemon, same, done, by, told } = await twins(names, {
        [names[0]]: { info },
      })
      await using _daemon = daemon
      // Once for the registry, and once for who it is: the other one would be deployed to by now, if it did not wait.
      await waitUntil('it is asked', () => times > 1)
      for (let turns = 0; turns < 150 && done.length === 0; turns += 1) await turn()
      asked.resolve(same)
      await daemon.pass()
      await daemon.pass()
      expect(by()).to.deep.equal([names[0]])
      expect(told()).to.deep.equal([refused(names[0], names[1])])
    })

  it('D17 G17 are served as the second while the first is silent, and so after it answers', async () => {
    let isSilent = true
    const { daemon, by, told, forget } = await twins(['a', 'b'], {
      a: {
        info: async () => {
          if (isSilent) throw silence
          return { id: 'local', host: 'local', version: '27.0.0', os: 'linux', architecture: 'amd64' }
        },
      },
    })
    await using _daemon = daemon
    await daemon.pass()
    await daemon.pass()
    expect([by(), told()]).to.deep.equal([['b'], ['engine-unreachable: no answer']])
    forget()
    isSilent = false
    daemon.commit(files('2'))
    for (let pass = 0; pass < 3; pass += 1) await daemon.pass()
    expect([by(), told()]).to.deep.equal([['b'], [refused('b', 'a')]])
  })

  it('D17 are never written to as both: the other one waits until the pass over a site that is gone has ended', async () => {
    const during = Promise.withResolvers<void>()
    let isHeld = false
    const { daemon, done, by, told, forget } = await twins(
      ['a', 'b'],
      { b: { execute: async () => (isHeld ? during.promise : undefined) as Promise<undefined> } },
      ['b'],
    )
    await using _daemon = daemon
    await daemon.pass()
    await daemon.pass()
    forget()
    isHeld = true
    daemon.commit(files('2'))
    daemon.control.running[0]?.loop.request('command')
    await waitUntil('the second is at work', () => done.length > 0)
    daemon.adopt([at('a')])
    const pass = daemon.pass()
    await waitUntil('the first is told to wait', () => told().some(one => one.startsWith('another-writer: ')))
    expect(by()).to.deep.equal(['b'])
    during.resolve()
    await pass
    await waitUntil('the first is served', async () => {
      await daemon.pass()
      return by().join() === 'b,a'
    })
  })

  it('D17 are two again once the address of one was corrected, without a restart', async () => {
    let id = 'local'
    const { daemon, by, told } = await twins(['a', 'b'], {
      b: {
        info: async () => ({ id, host: id, version: '27.0.0', os: 'linux', architecture: 'amd64' }),
      },
    })
    await using _daemon = daemon
    await daemon.pass()
    expect([by(), told()]).to.deep.equal([['a'], [refused('a', 'b')]])
    id = 'another'
    await daemon.pass()
    expect(told()).to.deep.equal([])
  })

  it('D17 are found when another engine answers at a site after it was silent', async () => {
    let [id, isSilent] = ['another', false]
    const { daemon, told } = await twins(['a', 'b'], {
      b: {
        info: async () => {
          if (isSilent) throw silence
          return { id, host: id, version: '27.0.0', os: 'linux', architecture: 'amd64' }
        },
        observe: async () => {
          throw silence
        },
      },
    })
    await using _daemon = daemon
    await daemon.pass()
    isSilent = true
    await daemon.pass()
    id = 'local'
    isSilent = false
    await daemon.pass()
    expect(told()).to.deep.equal([refused('a', 'b')])
  })

  it('G13 are no matter of the commit: status says of the other one why it is not served, and nothing of the commit', async () => {
    const { daemon } = await twins(['east', 'alias'], {})
    await using running = daemon
    await running.pass()
    const [status] = await running.ask('GET /api/v1/environments')
    expect(status).to.not.have.property('unread')
    expect(status.revision.commit).to.equal('1'.repeat(40))
    expect(status.errors.map(({ code }: { readonly code: string }) => code)).to.deep.equal(['same-engine'])
  })
})

describe('a site that is the engine of one that is served already, and comes before it in the configuration', () => {
  it('D17 G13 gets nothing of it: the other one is served as before, which `sites` says', async () => {
    const { daemon, by, told, forget, restart } = await twins(['aa', 'b'], {}, ['b'])
    await using running = daemon
    await running.pass()
    await running.pass()
    expect(by()).to.deep.equal(['b'])
    forget()
    running.adopt([at('aa'), at('b')])
    running.commit(files('2'))
    for (const _ of [1, 2, 3]) await running.pass()
    expect([by(), told()]).to.deep.equal([['b'], [refused('b', 'aa')]])
    const errorsOf = async ({ ask }: Pick<typeof daemon, 'ask'>) =>
      (await ask('GET /api/v1/sites')).map(
        ({ name, error }: { name: string; error?: { message: string } }) => [name, error?.message],
      )
    const errors = [
      ['aa', 'sites: "b" and "aa" are the same engine, local on local'],
      ['b', undefined],
    ]
    expect(await errorsOf(running)).to.deep.equal(errors)
    await running[Symbol.asyncDispose]()
    forget()
    await using again = await restart(['aa', 'b'])
    again.commit(files('3'))
    for (const _ of [1, 2, 3]) await again.pass()
    expect(by()).to.deep.equal(['b'])
    expect(await errorsOf(again)).to.deep.equal(errors)
  })

  it('D17 gets nothing of it either while the other one does not answer by its own address', async () => {
    let isSilent = false
    const info = async () => {
      if (isSilent) throw silence
      return { id: 'local', host: 'local', version: '27.0.0', os: 'linux', architecture: 'amd64' } as const
    }
    const { daemon, by, forget, restart } = await twins(['aa', 'b'], { b: { info } }, ['b'])
    await daemon.pass()
    await daemon.pass()
    await daemon[Symbol.asyncDispose]()
    isSilent = true
    forget()
    await using again = await restart(['aa', 'b'])
    again.commit(files('2'))
    for (const _ of [1, 2]) await again.pass()
    expect(by()).to.deep.equal([])
    expect(
      again
        .results()
        .flatMap(hindrancesIn)
        .map(({ message }) => message),
    ).to.include('sites: "b" and "aa" are the same engine, local on local')
  })

  for (const [how, sites] of [
    ['is taken out: it is the same site under another name', [at('aa')]],
    [
      'is reached otherwise, and does not answer there: that may be another engine',
      [at('aa'), { name: 'b', endpoint: 'tcp://192.0.2.1:2376' }],
    ],
  ] as const)
    it(`D17 is served once the other one ${how}`, async () => {
      let isSilent = false
      const info = async () => {
        if (isSilent) throw silence
        return { id: 'local', host: 'local', version: '27.0.0', os: 'linux', architecture: 'amd64' } as const
      }
      const { daemon, by, forget } = await twins(['aa', 'b'], { b: { info } }, ['b'])
      await using running = daemon
      await running.pass()
      await running.pass()
      running.adopt([at('aa'), at('b')])
      await running.pass()
      forget()
      isSilent = true
      running.adopt(sites)
      running.commit(files('2'))
      await waitUntil('it is served', async () => {
        await running.pass()
        return by().join() === 'aa'
      })
    })
})
