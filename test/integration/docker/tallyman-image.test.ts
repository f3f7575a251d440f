import { chmod, mkdir, mkdtempDisposable, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { cleanUp } from '../../support/clean-up.ts'
import { engineCall, engineGet } from '../../support/engine-call.ts'
import { testMachine, uniqueName } from '../../support/env.ts'
import { execIn } from '../../support/exec-in.ts'
import { pushTallyman } from '../../support/tallyman-image.ts'
import { waitUntil } from '../../support/wait-until.ts'

/** What the engine answers, as a value that a test reads. */
async function shown(socket: string, path: string): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse(JSON.stringify(await engineGet(socket, path)))
}

describe('the image of tallyman', function () {
  this.timeout(240_000)

  it('runs the daemon as an ordinary user that writes only to its state, and says whether it answers', async () => {
    const { dockerSocket, registry } = await testMachine()
    await using stack = new AsyncDisposableStack()
    const name = uniqueName('image')
    stack.use(cleanUp(dockerSocket, name))
    const image = await pushTallyman(dockerSocket, registry, `${name}/tallyman`)
    const { Config, Size } = await shown(dockerSocket, `/images/${image}/json`)
    const base = await shown(dockerSocket, `/images/${registry.host}/${name}/tallyman-base:1/json`)
    expect([Config.User, Config.Entrypoint, Config.Cmd]).to.deep.equal([
      '65532:65532',
      ['/opt/tallyman/bin/tallyman'],
      ['daemon'],
    ])
    expect((Size - base.Size) / 1e6, 'megabytes over its base').to.be.below(80)

    const manifests = stack.use(await mkdtempDisposable(join(tmpdir(), 'tallyman-image-')))
    await chmod(manifests.path, 0o755)
    await mkdir(join(manifests.path, 'environments', name), { recursive: true })
    await writeFile(join(manifests.path, 'environments', name, 'manifest.json'), '{"services": []}')
    const made = await engineCall(dockerSocket, 'POST', `/containers/create?name=${name}`, {
      Image: image,
      Labels: { 'tallyman.environment': name },
      Env: ['TALLYMAN_REPOSITORY=/manifests'],
      // Otherwise it would be asked for the first time after 30 s.
      Healthcheck: { Interval: 1e9 },
      HostConfig: {
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges:true'],
        GroupAdd: [String((await stat(dockerSocket)).gid)],
        NetworkMode: 'host',
        Mounts: [
          { Type: 'bind', Source: dockerSocket, Target: '/var/run/docker.sock' },
          { Type: 'bind', Source: manifests.path, Target: '/manifests', ReadOnly: true },
          { Type: 'volume', Target: '/var/lib/tallyman' },
        ],
      },
    })
    expect(made.status, made.body.toString()).to.equal(201)
    await engineCall(dockerSocket, 'POST', `/containers/${name}/start`)
    await waitUntil(
      'it is healthy',
      async () => {
        const { State } = await shown(dockerSocket, `/containers/${name}/json`)
        expect(State.Running, 'it ended').to.equal(true)
        return State.Health.Status === 'healthy'
      },
      60_000,
    )
    // It answers before it has read the repository.
    const told = '/opt/tallyman/bin/tallyman status --output json'
    await waitUntil(
      'it knows the environment',
      async () => (await execIn(dockerSocket, name, told)).includes(`"environment": "${name}"`),
      60_000,
    )
  })
})
