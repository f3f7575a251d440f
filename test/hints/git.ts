import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { openSource, type SourceConfig } from '../../lib/git/source.ts'
import { git } from '../support/git/git.ts'
import { directory, file, treeLine } from '../support/git/git-objects.ts'
import { type GitServer, startGitServer } from '../support/git/git-server.ts'
import { createRepository, type Repository } from '../support/git/repository.ts'
import { followedIn, type Room, toldOf } from './followed.ts'

/** A repository on a git server, and `repository` of the configuration. */
type Scene = {
  readonly server: GitServer
  readonly repository: Repository
  readonly directory: string
  config: SourceConfig
  stateDir: string
}

const manifest = 'environments/prod/manifest.json'
const author = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}
const { signal } = new AbortController()

/** What is told of reading the newest commit with one file of it. */
const room: Room<Scene> = {
  open: async () => {
    const server = await startGitServer()
    const repository = await createRepository(server)
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-hints-'))
    await repository.commit({ [manifest]: '{}' })
    const config = { url: repository.url }
    return { server, repository, directory, config, stateDir: join(directory, 'state') }
  },
  look: async ({ config, stateDir }) => {
    try {
      const source = openSource(config, stateDir)
      const snapshot = await source.snapshot(await source.lookUp(signal), signal)
      await snapshot.read(manifest)
      return []
    } catch (error) {
      return toldOf(error)
    }
  },
  close: async ({ server, repository, directory }) => {
    await repository[Symbol.asyncDispose]()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  },
}

function configured(config: Partial<SourceConfig>): (scene: Scene) => void {
  return scene => {
    scene.config = { ...scene.config, ...config }
  }
}

async function login(scene: Scene, file = 'token'): Promise<void> {
  const tokenFile = join(scene.directory, file)
  await writeFile(join(scene.directory, 'token'), 'word\n')
  scene.config = { ...scene.config, auth: { username: 'robot', tokenFile } }
}

/** A directory in place of a repository. */
async function files(scene: Scene, contents: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const root = join(scene.directory, 'files')
  await rm(root, { recursive: true, force: true })
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  scene.config = { url: root }
}

/** Two commits whose names begin with the same seven digits; the same ones at every call. */
async function likeNamed({ bare }: Repository): Promise<readonly [string, string]> {
  const tree = await git(bare, ['rev-parse', 'main^{tree}'])
  const known = new Map<string, number>()
  for (let number = 0; ; number += 1) {
    const content = commitOf(tree, number)
    const name = createHash('sha1').update(`commit ${content.length}\0${content}`).digest('hex')
    const other = known.get(name.slice(0, 7))
    known.set(name.slice(0, 7), number)
    if (other !== undefined) return [await written(bare, commitOf(tree, other)), await written(bare, content)]
  }
}

function commitOf(tree: string, number: number): string {
  const who = `Ada Example <ada@example.com> ${1_700_000_000 + number} +0000`
  return `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nChange\n`
}

async function written(bare: string, content: string): Promise<string> {
  const file = join(bare, 'draft')
  await writeFile(file, content)
  return git(bare, ['hash-object', '-t', 'commit', '-w', file])
}

const objects = (repository: Repository) => join(repository.bare, 'objects')

export const inGit = followedIn(room, [
  {
    code: 'repository-invalid',
    wrong: configured({ url: 'ftp://git.example.com/ops/manifests' }),
    follow: {
      'Give an http(s)://, ssh:// or file:// address': scene =>
        configured({ url: `file://${scene.repository.bare}` })(scene),
      'the path of a repository or directory': scene => configured({ url: scene.repository.bare })(scene),
    },
    says: ['an address such as git@host:path'],
  },
  {
    code: 'repository-invalid',
    hint: 'Leave out "ref" (of "repository" in the configuration, --ref or TALLYMAN_REF) to read the files of the directory as they are, or name a git repository.',
    wrong: async scene => {
      await files(scene, { [manifest]: '{}' })
      scene.config = { ...scene.config, ref: 'main' }
    },
    follow: {
      'Leave out "ref" (of "repository" in the configuration, --ref or TALLYMAN_REF) to read the files of the directory as they are':
        scene => {
          scene.config = { url: scene.config.url }
        },
      'name a git repository': scene => configured({ url: scene.repository.url })(scene),
    },
  },
  {
    code: 'git-unreachable',
    wrong: ({ server }) => {
      server.fail = { status: 503 }
    },
    follow: {
      'Check the server and the network': ({ server }) => {
        server.fail = undefined
      },
    },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'git-unreachable',
    hint: 'Make sure that the user who runs tallyman can read the whole directory; tallyman tries again by itself.',
    wrong: async scene => {
      await files(scene, { [manifest]: '{}' })
      // Nobody can follow it, not even root.
      await rm(join(scene.directory, 'files'), { recursive: true })
      await symlink('files', join(scene.directory, 'files'))
    },
    follow: {
      'Make sure that the user who runs tallyman can read the whole directory': scene =>
        files(scene, { [manifest]: '{}' }),
    },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'git-auth-failed',
    wrong: ({ server }) => server.auth('robot', 'word'),
    follow: {
      'Correct "auth" under "repository" in the configuration': scene => login(scene),
      'give that account read access on the server': ({ server }) => server.auth(),
    },
  },
  {
    code: 'git-credentials-unreadable',
    wrong: async scene => {
      scene.server.auth('robot', 'word')
      await login(scene, 'tokne')
    },
    follow: {
      'Correct the path of the file under "auth" of "repository" in the configuration': scene => login(scene),
      'the permissions of the file': ({ directory }) => writeFile(join(directory, 'tokne'), 'word\n'),
    },
  },
  {
    code: 'git-not-found',
    wrong: scene => configured({ url: `${scene.server.url}/other.git` })(scene),
    follow: {
      'Correct "url" under "repository" in the configuration': scene =>
        configured({ url: scene.repository.url })(scene),
    },
    says: ['add credentials as "auth" there'],
  },
  {
    code: 'git-not-found',
    wrong: ({ server }) => {
      server.fail = { status: 404 }
    },
    follow: {
      'add credentials as "auth" there': async scene => {
        scene.server.fail = undefined
        scene.server.auth('robot', 'word')
        await login(scene)
      },
    },
    says: ['Correct "url" under "repository" in the configuration'],
  },
  {
    code: 'git-not-found',
    hint: 'Name the directory of a repository that exists, or its address.',
    wrong: scene => configured({ url: join(scene.directory, 'nowhere') })(scene),
    follow: {
      'Name the directory of a repository that exists': async scene => {
        const path = join(scene.directory, 'manifests')
        await mkdir(dirname(join(path, manifest)), { recursive: true })
        await writeFile(join(path, manifest), '{}')
        configured({ url: path })(scene)
      },
      'its address': scene => configured({ url: scene.repository.url })(scene),
    },
  },
  {
    code: 'git-redirected',
    wrong: ({ server }) => {
      server.fail = { redirectTo: 'http://localhost:1' }
    },
    follow: {
      'If you trust that host, set "url" under "repository" to the address that the server redirects to':
        scene => {
          scene.server.fail = undefined
          configured({ url: scene.repository.url.replace('127.0.0.1', 'localhost') })(scene)
        },
    },
  },
  {
    code: 'ref-not-found',
    wrong: configured({ ref: 'prodution' }),
    follow: {
      'Correct the name, which the command or "ref" under "repository" in the configuration gives':
        configured({
          ref: 'main',
        }),
      'push what it names': ({ repository }) => repository.branch('prodution'),
    },
  },
  {
    code: 'ref-ambiguous',
    wrong: async scene => {
      const [one] = await likeNamed(scene.repository)
      configured({ url: scene.repository.bare, ref: one.slice(0, 7) })(scene)
    },
    follow: {
      'Give more digits of the commit': async scene => {
        const [one] = await likeNamed(scene.repository)
        configured({ ref: one.slice(0, 20) })(scene)
      },
      'all forty are never ambiguous': async scene => {
        const [one] = await likeNamed(scene.repository)
        configured({ ref: one })(scene)
      },
    },
  },
  {
    code: 'ref-not-found',
    hint: 'Give all forty digits of the commit.',
    wrong: async scene => {
      const commit = await scene.repository.head()
      await scene.repository.commit({ [manifest]: '{"services": []}' })
      configured({ ref: commit.slice(0, 9) })(scene)
    },
    follow: {
      'Give all forty digits of the commit': async scene =>
        configured({ ref: await scene.repository.head('main~1') })(scene),
    },
  },
  {
    code: 'commit-unreachable',
    wrong: async scene => {
      const first = await scene.repository.head()
      const gone = await scene.repository.commit({ [manifest]: '{"services": []}' })
      await scene.repository.forcePush(first)
      await git(scene.repository.bare, ['gc', '--quiet', '--prune=now'])
      configured({ ref: gone })(scene)
    },
    follow: {
      'Point a branch or a tag at the commit': async ({ repository, config }) => {
        await repository.git('checkout', '--quiet', '-b', 'kept', config.ref ?? '')
        await repository.push()
      },
      'correct "ref" under "repository" in the configuration': configured({ ref: 'main' }),
    },
    says: ['because a force-push may have removed the last one'],
  },
  {
    code: 'repository-corrupt',
    wrong: async scene => {
      const tree = await git(scene.repository.bare, ['rev-parse', 'main^{tree}'])
      await cp(objects(scene.repository), join(scene.directory, 'clone'), { recursive: true })
      await rm(join(objects(scene.repository), tree.slice(0, 2), tree.slice(2)), { force: true })
      configured({ url: scene.repository.bare })(scene)
    },
    follow: {
      'Run "git fsck" in the repository, which names what is missing or damaged. Put that back, from another clone for instance':
        async ({ repository, directory }) => {
          const told = await git(repository.bare, ['fsck']).catch(
            (failed: { readonly stdout: string }) => failed.stdout,
          )
          expect(told).to.match(/missing tree [0-9a-f]{40}/)
          await cp(join(directory, 'clone'), objects(repository), { recursive: true, force: true })
        },
    },
  },
  {
    code: 'repository-corrupt',
    hint: 'Commit the files of that directory anew with git itself, which never writes such an entry.',
    wrong: async scene => {
      const { bare } = scene.repository
      const blob = await git(bare, ['rev-parse', `main:${manifest}`])
      const entry = treeLine(file('manifest.json', blob))
      const twice = join(scene.directory, 'twice')
      await writeFile(twice, Buffer.concat([entry, entry]))
      const prod = await git(bare, ['hash-object', '-w', '--literally', '-t', 'tree', twice])
      await writeFile(twice, treeLine(directory('prod', prod)))
      const environments = await git(bare, ['hash-object', '-w', '-t', 'tree', twice])
      await writeFile(twice, treeLine(directory('environments', environments)))
      const root = await git(bare, ['hash-object', '-w', '-t', 'tree', twice])
      const commit = await git(bare, ['commit-tree', root, '-m', 'Twice'], author)
      await git(bare, ['update-ref', 'refs/heads/main', commit])
    },
    follow: {
      'Commit the files of that directory anew with git itself': ({ repository }) =>
        repository.commit({ [manifest]: '{"services": []}' }),
    },
    says: ['which never writes such an entry'],
  },
  {
    code: 'repository-unsupported',
    wrong: async scene => {
      const url = join(scene.directory, 'other.git')
      await git(scene.directory, ['init', '--quiet', '--bare', '--object-format=sha256', url])
      configured({ url })(scene)
    },
    follow: {
      'Use a repository with SHA-1 object names and the files ref format': scene =>
        configured({ url: scene.repository.bare })(scene),
    },
  },
  {
    code: 'repository-too-large',
    wrong: scene => files(scene, { [manifest]: '{}', [`${'a/'.repeat(70)}video`]: '' }),
    follow: {
      'Keep manifests in a repository of their own': scene => files(scene, { [manifest]: '{}' }),
    },
    says: ['docs/operations.md lists the limits'],
  },
  {
    code: 'git-store-unwritable',
    wrong: ({ stateDir }) => writeFile(stateDir, ''),
    follow: {
      'Free disk space for "stateDir"': ({ stateDir }) => rm(stateDir),
      'correct its path': scene => {
        scene.stateDir = join(scene.directory, 'other')
      },
      permissions: ({ stateDir }) => rm(stateDir),
    },
  },
  {
    code: 'file-too-large',
    wrong: scene => files(scene, { [manifest]: `{"x-video": "${'x'.repeat(9_000_000)}"}` }),
    follow: {
      'Split the file': scene =>
        files(scene, { [manifest]: `{"includes": ["./more.json"]}`, 'environments/prod/more.json': '{}' }),
      'move everything that is not a manifest out of the repository': scene =>
        files(scene, { [manifest]: '{}' }),
    },
  },
  {
    code: 'file-missing',
    hint: `Keep the file in git itself: remove the line that matches it from .gitattributes, run "git add --renormalize ${manifest}", and commit both.`,
    wrong: async ({ repository }) => {
      const pointer = 'version https://git-lfs.github.com/spec/v1\\noid sha256:0\\nsize 2\\n'
      await repository.git('config', 'filter.lfs.clean', `cat > /dev/null; printf '${pointer}'`)
      await repository.commit({ '.gitattributes': '*.json filter=lfs\n', [manifest]: '{ }' })
    },
    follow: {
      [`Keep the file in git itself: remove the line that matches it from .gitattributes, run "git add --renormalize ${manifest}", and commit both`]:
        async ({ repository }) => {
          await writeFile(join(repository.path, '.gitattributes'), '')
          await repository.git('add', '--renormalize', manifest)
          await repository.git('commit', '--quiet', '--no-gpg-sign', '--all', '-m', 'Keep it in git')
          await repository.push()
        },
    },
  },
  {
    code: 'file-not-text',
    wrong: scene => files(scene, { [manifest]: Buffer.from('{"x-name": "caf\u00e9"}', 'latin1') }),
    follow: {
      'Save the file as UTF-8': scene =>
        files(scene, { [manifest]: Buffer.from('{"x-name": "caf\u00e9"}', 'utf8') }),
    },
  },
])
