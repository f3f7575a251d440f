import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { execIn } from '../../../support/engine/exec-in.ts'
import { createScene } from '../scene.ts'

/** Two instances that get a secret as a variable and as a file. */
function shop(prefix: string): object {
  return {
    name: 'shop',
    services: [
      {
        name: 'web',
        replicas: 2,
        volumes: [{ name: 'keys', secret: { items: [{ name: 'token', secret: 'shop/token' }] } }],
        containers: [
          {
            name: 'httpd',
            image: `${prefix}/web:1`,
            env: { TOKEN: { secret: 'shop/token' } },
            mounts: [{ 'volume-name': 'keys', files: [{ name: 'token', 'mount-path': '/etc/token' }] }],
          },
        ],
      },
    ],
  }
}

describe('an application with a secret', () => {
  it('G16 a changed secret is a difference, and never seen', async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'tallyman-secrets-'))
    const file = join(place.path, 'shop', 'token')
    await mkdir(join(place.path, 'shop'))
    await writeFile(file, 'canary-7f3a\n')
    await using scene = await createScene({ config: { secrets: { directory: place.path } } })
    scene.push('web', '1')
    const { tallyman } = scene
    const shown = async () => {
      const containers = await scene.containers()
      return Promise.all(containers.map(({ id }) => execIn(scene.dockerSocket, id, 'cat /etc/token')))
    }
    const files = { 'applications/shop.yaml': stringify(shop(scene.prefix)) }
    await scene.commit({ services: [{ name: 'shop' }] }, 'First', files)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    await writeFile(file, 'canary-changed\n')
    const plan = await tallyman.run('plan')
    expect(plan.stdout).to.include('env/TOKEN: (secret changed)')
    const applied = await tallyman.run('apply', '--yes', '--output', 'json')
    expect(documentOf(applied).outcome).to.equal('applied')
    expect(await shown()).to.deep.equal(['canary-changed', 'canary-changed'])
    const told = await Promise.all(
      ['log', 'show'].map(verb => tallyman.run(verb, ...(verb === 'show' ? ['2'] : []))),
    )
    const all = [plan, applied, ...told].map(({ stdout, stderr }) => stdout + stderr).join('\n')
    expect(all).to.not.include('canary')
    for (const file of await readdir(tallyman.stateDir, { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect((await readFile(join(file.parentPath, file.name))).includes('canary'), file.name).to.equal(
          false,
        )
    const labels = JSON.stringify((await scene.containers()).map(({ labels }) => labels))
    expect(labels).to.not.include('canary')
  })
})
