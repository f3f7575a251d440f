import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { EngineInfo } from '../../../../../lib/engine.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { hindrancesIn } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { identity } from '../../../../support/builders.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../../../support/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../../../support/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory-journal.ts'
import { waitUntil } from '../../../../support/wait-until.ts'

const files = (tag: string) => manifestOf('prod', { web: tag }, { skipConfirmation: true })
const silence = new Failure('engine-unreachable', 'no answer')

/** Two sites that lead to one engine, in the order of the configuration, and a daemon that looks after both. */
async function twins(
  names: readonly [string, string],
  parts: Partial<Record<string, Partial<MemoryEngine>>>,
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
  const daemon = await memoryDaemon({
    environments: ['prod'],
    files: files('1'),
    engines,
    journal,
    config: { sites: names.map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
  })
  return {
    daemon,
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
      for (let turns = 0; turns < 500 && done.length === 0; turns += 1) await turn()
      asked.resolve(same)
      await daemon.pass()
      await daemon.pass()
      expect(by()).to.deep.equal([names[0]])
      expect(told()).to.deep.equal([refused(names[0], names[1])])
    })

  it('D17 G17 are served as the second while the first is silent, and as the first from when it answers', async () => {
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
    expect(told()).to.deep.equal([refused('a', 'b')])
  })

  it('D17 are never written to as both: the first waits until the pass over the second has ended', async () => {
    const during = Promise.withResolvers<void>()
    let isSilent = true
    const { daemon, done, told, forget, happen } = await twins(['a', 'b'], {
      a: {
        info: async () => {
          if (isSilent) throw silence
          return { id: 'local', host: 'local', version: '27.0.0', os: 'linux', architecture: 'amd64' }
        },
      },
      b: { execute: async () => during.promise as Promise<undefined> },
    })
    await using _daemon = daemon
    await waitUntil('the second is at work', () => done.length > 0)
    isSilent = false
    happen()
    await waitUntil('the first is told to wait', () => told().some(one => one.startsWith('another-writer: ')))
    expect(done.filter(one => one.startsWith('a '))).to.deep.equal([])
    during.resolve()
    await waitUntil('the pass over the second ends', async () => {
      await daemon.pass()
      return told().join() === refused('a', 'b')
    })
    forget()
    daemon.commit(files('2'))
    await daemon.pass()
    expect(new Set(done.map(one => one.split(' ')[0]))).to.deep.equal(new Set(['a']))
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
