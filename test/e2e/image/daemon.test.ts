import { chmod, copyFile, mkdir, mkdtempDisposable, readdir, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { writeImageContext } from '../../../bin/image.ts'
import { cleanUp } from '../../support/engine/clean-up.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { createGnuPg } from '../../support/git/gpg.ts'
import { createRepository } from '../../support/git/repository.ts'
import { type TallymanImage, tallymanImage } from '../../support/images/tallyman-image.ts'
import { makeSigner, startSshServer } from '../../support/network/ssh-server.ts'
import { testMachine, uniqueName } from '../../support/suite/env.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** What the engine answers, as a value that a test reads. */
async function shown(socket: string, path: string): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse(JSON.stringify(await engineGet(socket, path)))
}

/** A directory that the user of the container can read. */
async function readableDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const directory = await mkdtempDisposable(join(tmpdir(), 'tallyman-image-'))
  await chmod(directory.path, 0o755)
  return { path: directory.path, [Symbol.asyncDispose]: directory.remove }
}

/** Starts the daemon in a container as the manual says, with this directory mounted. */
async function startDaemon(
  dockerSocket: string,
  name: string,
  image: string,
  mount: { readonly from: string; readonly to: string },
  env: readonly string[] = [],
): Promise<void> {
  const made = await engineCall(dockerSocket, 'POST', `/containers/create?name=${name}`, {
    Image: image,
    Labels: { 'tallyman.environment': name },
    Env: env,
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
        { Type: 'bind', Source: mount.from, Target: mount.to, ReadOnly: true },
        { Type: 'volume', Target: '/var/lib/tallyman' },
      ],
    },
  })
  expect(made.status, made.body.toString()).to.equal(201)
  await engineCall(dockerSocket, 'POST', `/containers/${name}/start`)
}

const tallyman = '/opt/tallyman/bin/tallyman'

describe('the image of tallyman', () => {
  let image: TallymanImage
  before(async () => {
    image = await tallymanImage()
  })

  it('is made of what its user can read, whatever the umask of whoever makes it lets others do', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'tallyman-image-'))
    const before = process.umask(0o077)
    try {
      await writeImageContext(directory.path)
    } finally {
      process.umask(before)
    }
    const all = await readdir(directory.path, { recursive: true, withFileTypes: true })
    const shut = all.map(async entry => {
      const path = join(entry.parentPath, entry.name)
      const needed = entry.isDirectory() ? 0o005 : 0o004
      const isOpen = ((await stat(path)).mode & needed) === needed
      return isOpen ? [] : [path.slice(directory.path.length + 1)]
    })
    expect((await Promise.all(shut)).flat()).to.deep.equal(['state'])
  })

  it('runs the daemon as an ordinary user that writes only to its state, and says whether it answers', async () => {
    const { dockerSocket } = await testMachine()
    await using stack = new AsyncDisposableStack()
    const name = uniqueName('image')
    stack.use(cleanUp(dockerSocket, name))
    const { Config, Size } = await shown(dockerSocket, `/images/${image.reference}/json`)
    const base = await shown(dockerSocket, `/images/${image.base}/json`)
    expect([Config.User, Config.Entrypoint, Config.Cmd]).to.deep.equal([
      '65532:65532',
      ['/opt/tallyman/bin/tallyman'],
      ['daemon'],
    ])
    expect((Size - base.Size) / 1e6, 'megabytes over its base').to.be.below(55)

    const { path } = stack.use(await readableDirectory())
    await mkdir(join(path, 'environments', name), { recursive: true })
    await writeFile(join(path, 'environments', name, 'manifest.json'), '{"services": []}')
    const mount = { from: path, to: '/manifests' }
    await startDaemon(dockerSocket, name, image.reference, mount, ['TALLYMAN_REPOSITORY=/manifests'])
    await waitUntil('it is healthy', async () => {
      const { State } = await shown(dockerSocket, `/containers/${name}/json`)
      expect(State.Running, 'it ended').to.equal(true)
      return State.Health.Status === 'healthy'
    })
    // It answers before it has read the repository.
    const told = `${tallyman} status --output json`
    await waitUntil('it knows the environment', async () =>
      (await execIn(dockerSocket, name, told)).includes(`"environment": "${name}"`),
    )
  })

  it('G24 reads a repository over SSH, and takes what is signed there with keys of SSH and of OpenPGP', async () => {
    const { dockerSocket } = await testMachine()
    await using stack = new AsyncDisposableStack()
    const name = uniqueName('image')
    stack.use(cleanUp(dockerSocket, name))
    const [server, gnupg, repository, { path }] = await Promise.all([
      startSshServer(),
      createGnuPg(),
      createRepository(),
      readableDirectory(),
    ])
    for (const one of [server, gnupg, repository]) stack.use(one)
    const { path: signingKey, line } = await makeSigner(server.directory, 'ada')
    await gnupg.key('Bo Example <bo@example.com>')
    const files = {
      'ada.pub': line,
      'bo.asc': await gnupg.publicKey('bo@example.com'),
      'tallyman.yaml': stringify({
        repository: {
          url: server.urlOf(repository.bare),
          auth: { sshKeyFile: '/etc/tallyman/git-key', knownHostsFile: '/etc/tallyman/known_hosts' },
          verify: { mode: 'head', keys: ['/etc/tallyman/ada.pub', '/etc/tallyman/bo.asc'] },
        },
      }),
    }
    for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text)
    await copyFile(server.knownHostsFile, join(path, 'known_hosts'))
    await copyFile(server.keyFile, join(path, 'git-key'))
    // Of a private key that belongs to somebody else, ssh does not mind the mode.
    for (const file of ['git-key', 'known_hosts', ...Object.keys(files)]) await chmod(join(path, file), 0o644)

    const manifest = `environments/${name}/manifest.json`
    const run = (command: string) => execIn(dockerSocket, name, `${tallyman} ${command}`)
    const follows = (commit: string, signer: string) =>
      waitUntil(`it takes the commit of ${signer}`, async () => {
        const said = await run('status --output json')
        expect(said.match(/"message": "(?!no daemon answers).*"/g)).to.equal(null)
        return said.includes(commit) && said.includes(signer)
      })
    const first = await repository.commit({ [manifest]: '{"services": []}' }, 'By Ada', { signingKey })
    await startDaemon(dockerSocket, name, image.reference, { from: path, to: '/etc/tallyman' })
    await follows(first, 'ada@example.com')
    const openPgp = { home: gnupg.home, user: 'bo@example.com' }
    const second = await repository.commit({ [manifest]: '{}' }, 'By Bo', { openPgp })
    expect(await run('reconcile')).to.equal('A new pass starts now.\n')
    await follows(second, 'Bo Example <bo@example.com>')
    expect(await run('validate'), 'which fetches it to a place of its own').to.match(
      /^Everything is valid\.$/m,
    )
  })
})
