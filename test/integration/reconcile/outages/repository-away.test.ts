import { mkdtempDisposable, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openSource } from '../../../../lib/git/source.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { createRepository } from '../../../support/git/repository.ts'
import { everyImage, memoryDaemon } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

const released = (version: string) => ({
  'environments/prod/manifest.json': JSON.stringify({
    skipConfirmation: true,
    services: [{ name: 'web', containers: [{ dockerTag: version }] }],
  }),
})

describe('a repository on this machine that is away', () => {
  for (const isRestarted of [false, true])
    it(`A6 A12 keeps nobody from going back at once, ${isRestarted ? 'after a restart' : 'while the daemon runs'}`, async () => {
      await using repository = await createRepository()
      await using store = await mkdtempDisposable(join(tmpdir(), 'tallyman-store-'))
      const journal = memoryJournal()
      const engine = memoryEngine({ distribution: everyImage })
      const start = () =>
        memoryDaemon({
          ...{ environments: ['prod'], files: {}, journal, engine },
          source: openSource({ url: repository.bare }, store.path, journal.keptCommits),
        })
      let daemon = await start()
      for (const version of ['1', '2']) {
        await repository.commit(released(version))
        for (const _ of [1, 2]) await daemon.pass()
      }
      await rename(repository.bare, `${repository.bare}.away`)
      if (isRestarted) {
        await daemon[Symbol.asyncDispose]()
        daemon = await start()
        await daemon.pass()
      }
      const versions = async () => {
        const [{ applications }] = await daemon.ask('GET /api/v1/environments')
        return applications.map(({ version }: { readonly version: string }) => version)
      }
      expect(await versions()).to.deep.equal(['2'])
      const answer = await daemon.ask('POST /api/v1/rollback', { application: 'web' })
      expect(answer).to.include({ version: '1' })
      for (const _ of [1, 2]) await daemon.pass()
      expect(await versions()).to.deep.equal(['1'])
      await daemon[Symbol.asyncDispose]()
      await rename(`${repository.bare}.away`, repository.bare)
    })

  it('A6 G13 refuses to go back to what was never copied, and holds nothing until the repository is there', async () => {
    await using repository = await createRepository()
    const { keep: _, ...source } = openSource({ url: repository.bare }, '/nonexistent')
    const parts = {
      ...{ environments: ['prod'], files: {}, source, journal: memoryJournal() },
      engine: memoryEngine({ distribution: everyImage }),
    }
    const before = await memoryDaemon(parts)
    for (const version of ['1', '2', '3']) {
      await repository.commit(released(version))
      for (const _ of [1, 2]) await before.pass()
    }
    await before[Symbol.asyncDispose]()
    // What the one before has read, it would remember.
    await using daemon = await memoryDaemon(parts)
    await daemon.pass()
    await rename(repository.bare, `${repository.bare}.away`)
    const asked = daemon.ask('POST /api/v1/rollback', { application: 'web', to: '1' })
    const { code, message } = await failureOf(asked)
    expect([code, message.replace(/commit [0-9a-f]{12}/, 'commit C')]).to.deep.equal([
      'version-unreadable',
      `web: version 1 of commit C cannot be read, and nothing was changed: ${repository.bare}: cannot be read: ENOENT: no such file or directory, stat '${repository.bare}'`,
    ])
    const [{ held }] = await daemon.ask('GET /api/v1/environments')
    expect(held).to.equal(undefined)
    await rename(`${repository.bare}.away`, repository.bare)
    await daemon.pass()
    const again = await daemon.ask('POST /api/v1/rollback', { application: 'web', to: '1' })
    expect(again).to.include({ version: '1' })
  })
})
