import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { type Draft, draftOn } from '../../../lib/git/draft/draft.ts'
import { openSource, type SourceConfig } from '../../../lib/git/source.ts'
import type { Branch, Writing } from '../../../lib/git/writing.ts'
import { refused } from '../../support/failures/refused.ts'
import { git } from '../../support/git/git.ts'
import { type GitServer, startGitServer } from '../../support/git/git-server.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'
import { type SshServer, startSshServer } from '../../support/network/ssh-server.ts'

const { signal } = new AbortController()
const ada = { name: 'Ada Example', email: 'ada@example.com' }

describe('a commit that is pushed', () => {
  let server: GitServer
  let ssh: SshServer
  let repository: Repository
  let stateDir: string

  before(async () => {
    server = await startGitServer()
    ssh = await startSshServer()
  })

  after(async () => {
    await ssh[Symbol.asyncDispose]()
    await server.stop()
  })

  beforeEach(async () => {
    server.fail = undefined
    server.auth()
    await ssh.force()
    repository = await createRepository(server)
    stateDir = await mkdtemp(join(tmpdir(), 'tallyman-store-'))
    await repository.commit({ 'a/b.json': '1', 'a/c.json': '2', 'a-b/x': 'x', 'a.b': 'y', zoë: 'z' }, 'Begin')
  })

  afterEach(async () => {
    await repository[Symbol.asyncDispose]()
    await rm(stateDir, { recursive: true, force: true })
  })

  const ways = ['http', 'ssh', 'disk'] as const
  type Way = (typeof ways)[number]

  function configOf(way: Way): SourceConfig {
    const { keyFile: sshKeyFile, knownHostsFile } = ssh
    if (way === 'http') return { url: repository.url }
    if (way === 'disk') return { url: repository.bare }
    return { url: ssh.urlOf(repository.bare), auth: { sshKeyFile, knownHostsFile } }
  }

  function writingOf(way: Way, ref?: string): Writing {
    const { writing } = openSource({ ...configOf(way), ...(ref === undefined ? {} : { ref }) }, stateDir)
    if (writing === undefined) throw new Error('there is nothing to write to')
    return writing
  }

  async function prepared(
    writing: Writing,
    changes: Readonly<Record<string, string | undefined>> = { 'a/b.json': 'new', 'd/e/f': 'f' },
  ): Promise<{ readonly branch: Branch; readonly draft: Draft }> {
    const branch = await writing.branch(signal)
    const bytes = Object.entries(changes).map(
      ([path, text]) => [path, text === undefined ? undefined : Buffer.from(text)] as const,
    )
    const words = { author: ada, committer: ada, message: 'Go back', atMs: 1_800_000_000_000 }
    const read = await writing.objects(branch.commit, signal)
    return { branch, draft: await draftOn(branch.commit, new Map(bytes), words, 'main', read) }
  }

  for (const way of ways) {
    it(`A12 is what it says, on top of the newest commit, as git itself reads it (${way})`, async () => {
      const before = await repository.head()
      const writing = writingOf(way)
      const { branch, draft } = await prepared(writing, {
        'a/b.json': 'new',
        'a/c.json': undefined,
        'd/e/f': 'f',
        a0: '0',
      })
      expect(branch).to.deep.equal({ name: 'refs/heads/main', commit: before })
      expect(await draft.snapshot.read('d/e/f')).to.equal('f')
      await writing.push(branch, draft, signal)
      expect(await repository.head()).to.equal(draft.commit)
      await git(repository.bare, ['fsck', '--strict', '--full'])
      expect(
        await git(repository.bare, ['show', '--format=%an <%ae> %s %P', '--name-status', 'main']),
      ).to.equal(
        [
          `Ada Example <ada@example.com> Go back ${before}`,
          '',
          'M\ta/b.json',
          'D\ta/c.json',
          'A\ta0',
          'A\td/e/f',
        ].join('\n'),
      )
    })

    it(`A12 never goes over what somebody pushed meanwhile (${way})`, async () => {
      const writing = writingOf(way)
      const { branch, draft } = await prepared(writing)
      const theirs = await repository.commit({ 'a/b.json': 'theirs' })
      expect(await refused(writing.push(branch, draft, signal))).to.match(
        /^branch-moved: .*refs\/heads\/main/,
      )
      expect(await repository.head()).to.equal(theirs)
    })

    it(`A12 goes to the branch that is configured, and nowhere if a tag or a commit is (${way})`, async () => {
      const commit = await repository.head()
      await repository.branch('devel')
      await git(repository.bare, ['branch', 'team/a/main', 'devel'])
      await git(repository.bare, ['pack-refs', '--all', '--prune'])
      const deep = writingOf(way, 'team/a/main')
      const below = await prepared(deep)
      await deep.push(below.branch, below.draft, signal)
      expect(await repository.head('team/a/main')).to.equal(below.draft.commit)
      await repository.tag('v1', 'Version 1')
      const writing = writingOf(way, 'devel')
      const { branch, draft } = await prepared(writing)
      await writing.push(branch, draft, signal)
      expect([await repository.head('devel'), await repository.head()]).to.deep.equal([draft.commit, commit])
      for (const ref of ['v1', commit, 'nowhere'])
        expect(await refused(writingOf(way, ref).branch(signal))).to.match(
          /^push-impossible: .*no branch, so no commit can be added/,
        )
    })
  }

  it('A12 is refused in the words of the server, whose hooks decide', async () => {
    await hook('pre-receive', 'echo "main is protected" >&2; exit 1')
    const before = await repository.head()
    for (const way of ['http', 'ssh'] as const) {
      const writing = writingOf(way)
      const { branch, draft } = await prepared(writing)
      expect(await refused(writing.push(branch, draft, signal))).to.match(
        /^push-refused: .*pre-receive hook declined; main is protected$/,
      )
    }
    expect(await repository.head()).to.equal(before)
  })

  it('A12 is not written past the hooks of a repository on this machine', async () => {
    await hook('update', 'exit 0')
    const writing = writingOf('disk')
    const { branch, draft } = await prepared(writing)
    expect(await refused(writing.push(branch, draft, signal))).to.match(
      /^push-impossible: .*its hook "update" would be passed over$/,
    )
  })

  it('A12 is not written under a work tree that has the branch checked out', async () => {
    const { writing } = openSource({ url: repository.path, ref: 'main' }, stateDir)
    if (writing === undefined) throw new Error('there is nothing to write to')
    const { branch, draft } = await prepared(writing)
    expect(await refused(writing.push(branch, draft, signal))).to.match(/^push-impossible: .*checked out/)
  })

  it('A12 waits for nobody who holds the branch for long, and moves one that git has packed', async () => {
    const writing = writingOf('disk')
    const { branch, draft } = await prepared(writing)
    const lock = join(repository.bare, 'refs/heads/main.lock')
    await writeFile(lock, '')
    expect(await refused(writing.push(branch, draft, signal))).to.match(/^push-refused: .*main\.lock$/)
    await rm(lock)
    await git(repository.bare, ['pack-refs', '--all'])
    await writing.push(branch, draft, signal)
    expect(await repository.head()).to.equal(draft.commit)
  })

  it('A12 is told from a login that may only read', async () => {
    const writing = writingOf('http')
    const { branch, draft } = await prepared(writing)
    await git(repository.bare, ['config', 'http.receivepack', 'false'])
    expect(await refused(writing.push(branch, draft, signal))).to.match(
      /^push-refused: .*may read the repository, but not push to it: access is forbidden \(403\)$/,
    )
    await git(repository.bare, ['config', 'http.receivepack', 'true'])
    await writing.push(branch, draft, signal)
    expect(await repository.head()).to.equal(draft.commit)
    const overSsh = writingOf('ssh')
    const drafted = await prepared(overSsh)
    await ssh.force(
      String.raw`case \"$SSH_ORIGINAL_COMMAND\" in git-upload-pack*) eval \"$SSH_ORIGINAL_COMMAND\";; *) echo 'ERROR: The key you are authenticating with has been marked as read only.' >&2; exit 1;; esac`,
    )
    expect(await refused(overSsh.push(drafted.branch, drafted.draft, signal))).to.match(
      /^push-refused: .*not push to it: ERROR: The key .* read only\.$/,
    )
  })

  it('A12 G19 counts if the answer is lost and the server took it', async () => {
    const writing = writingOf('http')
    const { branch, draft } = await prepared(writing)
    // The list of branches is shorter than that, and what the hook says is longer.
    await hook('post-receive', 'head -c 60000 /dev/zero | tr "\\0" x >&2')
    server.fail = { truncateAfterBytes: 3_000 }
    await writing.push(branch, draft, signal)
    expect(await repository.head()).to.equal(draft.commit)
  })

  async function hook(name: string, script: string): Promise<void> {
    const path = join(repository.bare, 'hooks', name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `#!/bin/sh\n${script}\n`)
    await chmod(path, 0o755)
  }
})
