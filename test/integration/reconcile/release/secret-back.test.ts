import { mkdir, mkdtempDisposable, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { bad, image } from '../../../scenes/applications/slow-and-others.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import type { Files } from '../../../support/git/repository.ts'
import { simulatedScene } from '../../../support/simulated/scene.ts'

/** An application that needs a secret. */
const web = (version: string): Files => ({
  'applications/web.json': JSON.stringify({
    ...{ name: 'web', version },
    services: [
      {
        name: 'web',
        containers: [
          {
            ...{ name: 'app', image: `registry.example.com/web:${version}` },
            env: { PASSWORD: { secret: 'db/password' } },
          },
        ],
      },
    ],
  }),
})

describe('a secret that is missing for a while', () => {
  it('D18 G16 G3 lets what served before a failed version be made anew once it is back, also by another daemon', async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'tallyman-secrets-'))
    await mkdir(join(place.path, 'db'))
    const password = join(place.path, 'db', 'password')
    await writeFile(password, 'hunter22')
    await using scene = await simulatedScene({
      config: { healthyTime: '1s', secrets: { directory: place.path } },
    })
    scene.registry.push('web', '1', image)
    scene.registry.push('web', 'bad', bad)
    const manifest = { services: [{ name: 'web' }], skipConfirmation: true }
    await scene.commit(manifest, web('1'))
    await scene.until('it runs', ({ sync, applications }) => sync === 'Synced' && applications.length === 1)
    await scene.commit(manifest, web('bad'))
    const has = (code: string) => scene.until(code, ({ errors }) => errors.some(one => one.code === code))
    await has('quarantined')
    await rm(password)
    await scene.ask('POST /api/v1/reconcile')
    await has('secret-missing')
    await scene.restart()
    const [there] = scene.site('local').containers()
    await engineCall(scene.site('local').socket, 'DELETE', `/containers/${there?.id}?force=1`)
    const { applications } = await scene.until('it is told', ({ applications: [one] }) => one?.running === 0)
    expect(applications[0]).to.include({ health: 'Missing' })
    await writeFile(password, 'hunter22')
    await scene.ask('POST /api/v1/reconcile')
    await scene.until(
      'it is back',
      ({ applications: [one] }) => one?.running === 1 && one.health === 'Healthy',
    )
    expect(scene.has('local')).to.deep.equal(['web.1 registry.example.com/web:1 running'])
  })
})
