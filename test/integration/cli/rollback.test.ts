import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { openJournal } from '../../../lib/journal/journal.ts'
import { atTerminal } from '../../support/command/pseudo-terminal.ts'
import {
  createTallyman,
  type Ran,
  type Tallyman,
  type TallymanConfig,
} from '../../support/command/tallyman.ts'
import { type GitServer, startGitServer } from '../../support/git/git-server.ts'
import { createRepository, type Files, type Repository } from '../../support/git/repository.ts'
import { makeSigner } from '../../support/network/ssh-server.ts'

const noEngine = '/nonexistent/docker.sock'

/** A repository with a bad version on top of a good one, and tallyman for it. */
type Scene = AsyncDisposable & {
  readonly repository: Repository
  readonly tallyman: Tallyman
  readonly good: string
  readonly bad: string
}

describe('a rollback by a commit', () => {
  let server: GitServer

  before(async () => {
    server = await startGitServer()
  })

  after(() => server.stop())

  const files = (tag: string): Files => ({
    'environments/prod/manifest.json': `{"services": [{"name": "web", "containers": [{"dockerTag": "${tag}"}]}]}\n`,
  })

  async function createScene(
    config: (repository: Repository) => TallymanConfig = ({ url }) => ({ repository: { url } }),
  ): Promise<Scene> {
    await using stack = new AsyncDisposableStack()
    const repository = stack.use(await createRepository(server))
    const good = await repository.commit(files('1'))
    const bad = await repository.commit(files('2'))
    const tallyman = stack.use(await createTallyman(config(repository), noEngine, 'here'))
    const parts = stack.move()
    return { repository, tallyman, good, bad, [Symbol.asyncDispose]: () => parts.disposeAsync() }
  }

  it('A12 G7 shows every line that changes, and pushes nothing without an answer', async () => {
    await using scene = await createScene()
    const { tallyman, repository, good, bad } = scene
    const ran = await tallyman.run('rollback', 'web', '--to', good)
    expect(ran.code, ran.stderr).to.equal(3)
    const [line, replaced] = [
      `${files('1')['environments/prod/manifest.json']}`,
      `${files('2')['environments/prod/manifest.json']}`,
    ]
    expect(ran.stdout).to.equal(
      [
        `web in prod goes back from 2 to 1 (${good.slice(0, 12)}), by a commit on main that changes environments/prod/manifest.json:`,
        '',
        'diff --git a/environments/prod/manifest.json b/environments/prod/manifest.json',
        '--- a/environments/prod/manifest.json',
        '+++ b/environments/prod/manifest.json',
        '@@ -1,1 +1,1 @@',
        `-${replaced.trimEnd()}`,
        `+${line.trimEnd()}`,
        '',
        '',
      ].join('\n'),
    )
    expect(ran.stderr).to.match(/Nothing was pushed; confirm with --yes\.\n$/)
    expect(await repository.head()).to.equal(bad)
  })

  it('A12 is wrong usage with a name that no application has, and says which was probably meant: 64', async () => {
    await using scene = await createScene()
    const { tallyman, repository, good, bad } = scene
    const ran = await tallyman.run('rollback', 'webb', '--to', good, '--yes')
    expect(ran.code).to.equal(64)
    expect(ran.stderr).to.include(
      'Error: there is no application "webb"; did you mean "web"? (wrong-usage)\n  hint: There are: web.\n',
    )
    expect(await repository.head()).to.equal(bad)
  })

  it('A12 G25 pushes with --yes, in the name of the author of the configuration, and the log tells it', async () => {
    await using scene = await createScene(({ url }) => ({
      repository: { url, author: { name: 'Ops', email: 'ops@example.com' } },
    }))
    const { tallyman, repository, good, bad } = scene
    const ran = await tallyman.run(
      'rollback',
      'web',
      '--to',
      good.slice(0, 10),
      '--yes',
      '--message',
      'it leaks',
    )
    // A server lists no commit in the middle of a branch, and this one was never fetched.
    expect([ran.code, ran.stderr.includes('Give all forty digits')], ran.stderr).to.deep.equal([1, true])
    const pushed = await tallyman.run('rollback', 'web', '--to', good, '--yes', '--message', 'it leaks')
    expect(pushed.code, pushed.stderr).to.equal(0)
    const head = await repository.head()
    expect(pushed.stdout).to.match(new RegExp(`\\nPushed ${head.slice(0, 12)} to main\\. No daemon was told`))
    await repository.git('fetch', '--quiet', 'origin')
    const told = await repository.git('log', '-1', '--format=%an <%ae> %cn %P%n%s%n%b', 'FETCH_HEAD')
    expect(told).to.match(
      new RegExp(
        `^Ops <ops@example.com> Tallyman ${bad}\nRoll back web in prod to 1\nweb is again as in commit ${good}.*\n\nit leaks$`,
      ),
    )
    expect(await repository.git('diff', '--stat', good, 'FETCH_HEAD')).to.equal('')
    const log = await tallyman.run('log', '--answers')
    expect(log.stdout).to.match(
      new RegExp(`rollback web by \\S+.*: to version 1 by commit ${head.slice(0, 12)}: it leaks`),
    )
    const again = await tallyman.run('rollback', 'web', '--to', good, '--yes', '--output', 'json')
    expect(JSON.parse(again.stdout)).to.include({ environment: 'prod', application: 'web', pushed: false })
    expect(await repository.head()).to.equal(head)
  })

  it('A12 G25 is told as done where it cannot be recorded any more', async () => {
    await using scene = await createScene()
    const { tallyman, repository, good } = scene
    await hook(repository, `mv '${tallyman.stateDir}' '${tallyman.stateDir}.away'`)
    const ran = await tallyman.run('rollback', 'web', '--to', good, '--yes', '--output', 'json')
    expect(ran.code, ran.stderr).to.equal(0)
    const { pushed, commit } = JSON.parse(ran.stdout)
    expect([pushed, commit]).to.deep.equal([true, await repository.head()])
    expect(ran.stderr).to.match(/^It is pushed, and could not be recorded: .+ \(state-dir-gone\)$/m)
  })

  it('A12 is made anew on top of what somebody pushed meanwhile, and gives up when that never ends', async () => {
    await using scene = await createScene()
    const { tallyman, repository, good } = scene
    await repository.git('commit', '--quiet', '--allow-empty', '-m', 'Theirs')
    const theirs = await repository.git('rev-parse', 'HEAD')
    await repository.git('push', '--quiet', 'origin', 'HEAD:refs/heads/waiting')
    const meanwhile = 'unset GIT_QUARANTINE_PATH; git update-ref refs/heads/main'
    await hook(repository, `test -e moved || { touch moved; ${meanwhile} ${theirs}; }`)
    const ran = await tallyman.run('rollback', 'web', '--to', good, '--yes', '--output', 'json')
    expect(ran.code, ran.stderr).to.equal(0)
    expect(await repository.git('--git-dir', repository.bare, 'rev-parse', 'main^')).to.equal(theirs)
    const { commit, diff, ...document } = JSON.parse(ran.stdout)
    expect(commit).to.equal(await repository.head())
    expect(diff).to.include('+{"services"')
    expect(document).to.deep.equal({
      ...{ environment: 'prod', application: 'web', branch: 'main', pushed: true },
      ...{ from: { version: '2', commit: theirs }, to: { version: '1', commit: good } },
      files: ['environments/prod/manifest.json'],
    })
    const another = `${meanwhile} $(git commit-tree -p main -m x main^{tree})`
    await repository.commit(files('3'))
    await hook(
      repository,
      `export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x; unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES; ${another}`,
    )
    expect(refusedWith(await tallyman.run('rollback', 'web', '--to', good, '--yes'))).to.match(
      /^Error: .*refs\/heads\/main got another commit meanwhile \(branch-moved\)$/m,
    )
    await hook(repository, 'exit 0')
    const again = await tallyman.run('rollback', 'web', '--to', good, '--yes')
    expect(again.code, again.stderr).to.equal(0)
  })

  it('A12 keeps the version that was before when it began, and pushes nothing if somebody has brought that meanwhile', async () => {
    await using scene = await createScene()
    const { tallyman, repository, good, bad } = scene
    const worse = await repository.commit(files('3'))
    await keepReleases(tallyman, [
      ['1', good],
      ['2', bad],
      ['3', worse],
    ])
    const moveOnce = (to: string) =>
      hook(
        repository,
        `test -e moved-${to} || { touch moved-${to}; unset GIT_QUARANTINE_PATH; git update-ref refs/heads/main ${to}; }`,
      )
    const pushAside = async (tag: string) => {
      const commit = await repository.commit(files(tag))
      await repository.git('push', '--quiet', 'origin', `HEAD:refs/heads/aside-${tag}`)
      await repository.git('push', '--quiet', '--force', 'origin', `${worse}:refs/heads/main`)
      return commit
    }
    const corrected = await pushAside('4')
    await moveOnce(corrected)
    const other = await tallyman.run('rollback', 'web', '--yes', '--output', 'json')
    expect(other.code, other.stderr).to.equal(0)
    expect(JSON.parse(other.stdout)).to.deep.include({
      ...{ from: { version: '4', commit: corrected }, to: { version: '2', commit: bad }, pushed: true },
    })
    await repository.git('reset', '--quiet', '--hard', worse)
    const theirs = await pushAside('2')
    await moveOnce(theirs)
    const late = await tallyman.run('rollback', 'web', '--yes')
    expect(late.code, late.stderr).to.equal(0)
    expect(late.stdout).to.match(/^web in prod goes back from 3 to 2 /)
    expect(late.stdout.trimEnd().split('\n').at(-1)).to.equal(
      `Somebody else pushed meanwhile: web is as it was in ${bad.slice(0, 12)} by now. Nothing was pushed.`,
    )
    expect(await repository.head()).to.equal(theirs)
  })

  it('A12 G19 pushes nothing that would be refused for want of a signature, and writes it for whoever can sign', async () => {
    await using scene = await createScene(({ url }) => ({
      repository: { url, verify: { mode: 'head', keys: ['keys'] } },
    }))
    const { tallyman, repository, good, bad } = scene
    const { line } = await makeSigner(tallyman.directory, 'ada')
    await writeFile(join(tallyman.directory, 'keys'), line)
    expect(refusedWith(await tallyman.run('rollback', 'web', '--to', good, '--yes'))).to.match(
      /only signed commits are used \("verify"\).*\(push-impossible\)/,
    )
    const file = join(tallyman.directory, 'back.patch')
    const written = await tallyman.run('rollback', 'web', '--to', good, '--patch', file)
    expect(written.code, written.stderr).to.equal(0)
    expect(await repository.head()).to.equal(bad)
    expect(await readFile(file, 'utf8')).to.match(/^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\nFrom: /)
    await repository.git('am', '--quiet', '--keep-cr', file)
    expect(await repository.git('diff', '--stat', good, 'HEAD')).to.equal('')
  })

  it('A12 G13 names the way that needs no commit where the repository cannot be reached', async () => {
    await using scene = await createScene()
    const { tallyman, repository, good } = scene
    await rename(repository.bare, `${repository.bare}.away`)
    const ran = await tallyman.run('rollback', 'web', '--to', good)
    expect(ran.code).to.equal(1)
    expect(ran.stderr).to.match(/\(git-[a-z-]+\)/)
    expect(ran.stderr).to.include(
      'Without a commit, "tallyman rollback web --now" holds it at a version that is kept.',
    )
  })

  it('A12 says what it takes where no commit can be added', async () => {
    await using tagged = await createScene(({ url }) => ({ repository: { url, ref: 'v1' } }))
    await tagged.repository.tag('v1')
    expect(refusedWith(await tagged.tallyman.run('rollback', 'web', '--to', tagged.good))).to.match(
      /"v1" is no branch.*\(push-impossible\)/,
    )
    await using directory = await createScene(({ path }) => ({ repository: { url: path } }))
    const back = ['rollback', 'web', '--to', directory.good] as const
    expect(refusedWith(await directory.tallyman.run(...back))).to.match(
      /these are files and no commits.*\(push-impossible\)\n.*set "ref" under "repository" to a branch/,
    )
    const ran = await directory.tallyman.run(...back, '--ref', 'main', '--patch', patchIn(directory.tallyman))
    expect(ran.code, ran.stderr).to.equal(0)
  })

  it('A12 needs to know what to bring back, and from where', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    for (const [args, told] of [
      [[], /needs to know where to go back to: --to COMMIT or --to pass:NUMBER \(wrong-usage\)/],
      [['--now'], /--now holds one application: name it \(wrong-usage\)/],
      [['web', '--message', 'a', '--reason', 'b'], /--message and --reason are one thing: give one of them/],
      [
        ['web', '--now', '--message', 'a', '--reason', 'a'],
        /are one thing: give one of them \(wrong-usage\)/,
      ],
      [['web', '--outside-window'], /--outside-window needs --now: .* \(wrong-usage\)/],
      [['web', '--now', '--patch', 'x'], /nothing to write with --patch \(wrong-usage\)/],
    ] as const)
      expect(refusedWith(await tallyman.run('rollback', ...args), 64)).to.match(told)
    for (const [args, told] of [
      [
        ['web'],
        /web: there is no version before the present one; no version of it is kept here \(version-missing\)/,
      ],
      [['web', '--to', '9.9'], /there is no version 9\.9; .*\(version-missing\)/],
      [
        ['web', '--to', '1'],
        /no version 1; .*\n.*If you mean the pass of that number in "tallyman log", write --to pass:1\./,
      ],
      [['--to', '1'], /"1" is neither .*\n.*write --to pass:1\./],
      [['--to', 'main'], /prod: "main" is neither a commit nor a pass over it \(version-missing\)/],
      [['web', '--to', '0'.repeat(40)], /0{40}.*\(commit-unreachable\)/],
    ] as const)
      expect(refusedWith(await tallyman.run('rollback', ...args))).to.match(told)
  })

  it('A12 G24 asks without colors if none are wanted', async () => {
    await using scene = await createScene()
    const { tallyman, good } = scene
    const back = ['rollback', 'web', '--to', good] as const
    const colors = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`)
    const asks: readonly (readonly [string, ...string[]])[] = [
      ['--no-color', ...back],
      [...back, '--no-color'],
    ]
    for (const args of asks) {
      await using terminal = atTerminal(tallyman, ...args)
      await terminal.shows('Push this commit? Only "yes" is accepted:')
      terminal.type('no\r')
      expect(await terminal.ended, terminal.shown()).to.equal(1)
      expect(terminal.shown()).not.to.match(colors)
    }
    await using terminal = atTerminal(tallyman, ...back)
    await terminal.shows('Only "yes" is accepted:')
    expect(terminal.shown()).to.match(colors)
    terminal.type('no\r')
    await terminal.ended
  })

  it('A66 at once asks for one word more where windows are closed, and names the sites', async () => {
    const never = {
      provider: [{ daysOfWeek: 'Monday', startTime: '00:00', timezone: 'UTC', duration: '1m' }],
      owner: [{ daysOfWeek: 'Friday', startTime: '00:00', timezone: 'UTC', duration: '1m' }],
    }
    await using scene = await createScene(({ url }) => ({
      repository: { url },
      sites: ['north', 'south'].map(name => ({
        name,
        endpoint: `unix://${noEngine}.${name}`,
        windows: never,
      })),
    }))
    const { tallyman, good, bad } = scene
    await keepReleases(tallyman, [
      ['1', good],
      ['2', bad],
    ])
    const journal = openJournal(join(tallyman.stateDir, 'tallyman.sqlite'))
    for (const [site, version] of [
      ['north', '2'],
      ['south', '1'],
    ] as const)
      journal.keepState(
        'prod',
        site,
        { errors: [], applications: [{ application: 'web', site, version, running: 1 }] },
        1,
      )
    const forced = () => journal.queueWords('prod', 'north').map(({ version, word }) => `${word} ${version}`)
    const waits = /north: waits for the upgrade window, which never opens/
    const ran = await tallyman.run('rollback', 'web', '--now')
    expect(ran.code, ran.stderr).to.equal(0)
    expect(ran.stderr).to.match(waits).and.to.include('tallyman rollback web --now --to 1 --outside-window')
    expect(ran.stderr).not.to.include('south: waits')
    expect(forced()).to.deep.equal([])
    for (const [answer, words] of [
      ['no', []],
      ['yes', ['forced 1']],
    ] as const) {
      await using terminal = atTerminal(tallyman, 'rollback', 'web', '--now', '--to', '1')
      await terminal.shows('outside of the windows? Only "yes" is accepted:')
      expect(terminal.shown()).to.match(waits)
      terminal.type(`${answer}\r`)
      expect(await terminal.ended, terminal.shown()).to.equal(0)
      expect(forced()).to.deep.equal(words)
    }
    expect((await tallyman.run('resume', 'web')).code).to.equal(0)
    expect(forced()).to.deep.equal([])
    const script = await tallyman.run('rollback', 'web', '--now', '--outside-window', '--output', 'json')
    expect(JSON.parse(script.stdout)).to.deep.include({ version: '1', outsideWindow: ['north'] })
    expect(forced()).to.deep.equal(['forced 1'])
    journal.close()
  })

  it('A12 A42 says before it pushes where nothing would come of it, and refuses if that is so everywhere', async () => {
    await using repository = await createRepository(server)
    const specification = (name: string, version: string) => `
name: ${name}
version: "${version}"
services:
  - name: ${name}
    containers: [{name: ${name}, image: "team/${name}:${version}"}]
upgrade-from:
  - {version-regexp: '^0\\.9$', method: stop-and-restart}
`
    const versions = (version: string): Files => ({
      'environments/prod/manifest.json': '{"services": [{"name": "web"}, {"name": "api"}]}\n',
      'applications/web.yaml': specification('web', version),
      'applications/api.yaml': specification('api', '1.0'),
    })
    const good = await repository.commit(versions('1.0'))
    const bad = await repository.commit(versions('2.0'))
    await using tallyman = await createTallyman({ repository: { url: repository.url } }, noEngine, 'here')
    const run = (...args: readonly string[]) => tallyman.run('rollback', 'web', '--to', good, ...args)
    const reason = 'no entry of "upgrade-from" leads from 2.0 to 1.0'
    const shown = await run()
    expect(shown.code).to.equal(3)
    expect(shown.stdout).to.match(
      new RegExp(
        `\nIt would stay as it is \\(no-upgrade-path\\): web: ${reason}, wherever that version runs\n`,
      ),
    )
    await mkdir(tallyman.stateDir, { recursive: true })
    const journal = openJournal(join(tallyman.stateDir, 'tallyman.sqlite'))
    const runs = (site: string, version: string) =>
      journal.keepState(
        'prod',
        site,
        { applications: ['web', 'api'].map(application => ({ application, site, version, running: 1 })) },
        1,
      )
    runs('north', '2.0')
    const whole = await tallyman.run('rollback', '--to', good)
    expect(whole.stdout).to.include(`web: ${reason}, on north\n`).and.not.to.include('api:')
    expect(refusedWith(await run('--yes'))).to.match(
      new RegExp(`web would stay as it is: web: ${reason}, on north \\(no-upgrade-path\\)`),
    )
    const patched = await run('--patch', patchIn(tallyman))
    expect([patched.code, patched.stdout.includes(`${reason}, on north`)]).to.deep.equal([0, true])
    expect(await repository.head()).to.equal(bad)
    runs('south', '0.9')
    const json = await run('--yes', '--output', 'json')
    expect(json.code, json.stderr).to.equal(0)
    expect(JSON.parse(json.stdout)).to.deep.include({
      pushed: true,
      staysAsItIs: [{ application: 'web', site: 'north', reason }],
    })
    journal.close()
  })

  async function keepReleases(
    { stateDir }: Tallyman,
    versions: readonly (readonly [version: string, commit: string])[],
  ): Promise<void> {
    await mkdir(stateDir, { recursive: true })
    const journal = openJournal(join(stateDir, 'tallyman.sqlite'))
    for (const [version, commit] of versions)
      journal.keepVersion({
        environment: 'prod',
        application: 'web',
        version,
        commit,
        mark: version,
        images: [],
        atMs: 0,
      })
    journal.close()
  }

  function patchIn({ directory }: Tallyman): string {
    return join(directory, 'back.patch')
  }

  function refusedWith({ code, stderr }: Ran, expected = 1): string {
    expect(code, stderr).to.equal(expected)
    return stderr
  }

  async function hook({ bare }: Repository, script: string): Promise<void> {
    await mkdir(join(bare, 'hooks'), { recursive: true })
    await writeFile(join(bare, 'hooks/pre-receive'), `#!/bin/sh\n${script}\n`)
    await chmod(join(bare, 'hooks/pre-receive'), 0o755)
  }
})
