import { expect } from 'chai'
import type { Engine } from '../../../../lib/engine.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const files = (environment: string, tag = '1') =>
  manifestOf(environment, { web: tag }, { skipConfirmation: true })

describe('an environment that gets another name while the daemon runs', () => {
  it('G18 is listened to under the new name, and no longer under the old one', async () => {
    const site = heard('local')
    await using daemon = await memoryDaemon({ files: files('prod'), engines: [site.engine], config: named() })
    await daemon.pass()
    await daemon.pass()
    expect(site.followed()).to.deep.equal(['prod'])
    daemon.commit(files('live'))
    await daemon.pass()
    await daemon.pass()
    expect(site.followed()).to.deep.equal(['live'])
  })

  it('G18 is listened to no more on a site that does not run it', async () => {
    const [all, some] = [heard('all'), heard('some')]
    const engines = [all.engine, some.engine]
    await using daemon = await memoryDaemon({ files: files('prod'), engines, config: named() })
    await daemon.pass()
    await daemon.pass()
    expect(some.followed()).to.deep.equal(['prod'])
    daemon.commit(files('live'))
    await daemon.pass()
    await daemon.pass()
    expect([all.followed(), some.followed()]).to.deep.equal([['live'], []])
  })

  it('G17 is not looked at again on a site that it left before the work that it left there has ended', async () => {
    const [all, some] = [heard('all'), heard('some')]
    const engines = [all.engine, some.engine]
    await using daemon = await memoryDaemon({ files: files('prod'), engines, config: named() })
    await daemon.pass()
    await daemon.pass()
    const work = some.hold()
    daemon.commit(files('prod', '2'), '2'.repeat(40))
    const second = daemon.pass()
    await work.begun
    daemon.commit(files('live'), '3'.repeat(40))
    await daemon.pass()
    await second
    const looks = some.looks()
    daemon.commit(files('prod', '3'), '4'.repeat(40))
    const back = daemon.pass()
    await all.looked()
    expect(some.looks()).to.equal(looks)
    work.release()
    await back
    expect(some.looks()).to.be.greaterThan(looks)
  })
})

/** The site `some` runs only what is called prod. */
function named() {
  return {
    sites: ['local', 'all', 'some'].map(name => ({
      name,
      endpoint: `unix:///run/${name}.sock`,
      ...(name === 'some' ? { environments: ['prod'] } : {}),
    })),
  }
}

/** An engine that says which environments are listened to on it, and how often it was looked at. */
function heard(site: string) {
  const memory = memoryEngine({ site, distribution: everyImage })
  const followed = new Set<string>()
  let looks = 0
  let next = Promise.withResolvers<void>()
  let held: { readonly begun: () => void; readonly released: Promise<void> } | undefined
  const engine: Engine = {
    ...memory,
    async watch(scope, onEvent, signal) {
      followed.add(scope.environment)
      await memory.watch(scope, onEvent, signal).finally(() => followed.delete(scope.environment))
    },
    observe(...asked) {
      looks += 1
      next.resolve()
      next = Promise.withResolvers()
      return memory.observe(...asked)
    },
    async execute(...step) {
      held?.begun()
      await held?.released
      return memory.execute(...step)
    },
  }
  return {
    engine,
    followed: () => [...followed],
    looks: () => looks,
    /** Resolves at the next look. */
    looked: () => next.promise,
    /** Every step from now on waits until it is released, whatever its signal says. */
    hold() {
      const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      held = { begun: begun.resolve, released: released.promise }
      return { begun: begun.promise, release: released.resolve }
    },
  }
}
