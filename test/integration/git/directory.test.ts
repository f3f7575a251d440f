import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { openSource } from '../../../lib/git/source.ts'
import type { Snapshot } from '../../../lib/state/repository/snapshot.ts'
import { createRepository } from '../../support/git/repository.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const { signal } = new AbortController()
const run = promisify(execFile)

describe('a directory as the source of manifests', () => {
  let directory: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tallyman-directory-'))
  })

  afterEach(() => rm(directory, { recursive: true, force: true }))

  async function newest(path = directory): Promise<Snapshot> {
    const source = openSource({ url: path }, '/nonexistent')
    return source.snapshot(await source.lookUp(signal), signal)
  }

  it('is read as its JSON and YAML files stand there', async () => {
    await mkdir(join(directory, 'environments/prod'), { recursive: true })
    await mkdir(join(directory, 'node_modules/x'), { recursive: true })
    await writeFile(join(directory, 'environments/prod/manifest.json'), '{}')
    await writeFile(join(directory, 'node_modules/x/package.json'), '{}')
    await writeFile(join(directory, 'README.md'), '#')
    await writeFile(join(directory, 'a.yaml'), 'a: 1')
    const snapshot = await newest()
    expect(await snapshot.list('')).to.deep.equal([
      { name: 'a.yaml', kind: 'file' },
      { name: 'environments', kind: 'directory' },
    ])
    expect(await snapshot.read('environments/prod/manifest.json')).to.equal('{}')
    expect(snapshot.revision.ref).to.equal('working tree')
    expect(snapshot.revision.commit).to.match(/^worktree-[0-9a-f]{12}$/)
  })

  it('is another commit after every change, and the same after none', async () => {
    await writeFile(join(directory, 'a.yaml'), 'a: 1')
    const source = openSource({ url: directory }, '/nonexistent')
    const first = await source.lookUp(signal)
    expect(await source.lookUp(signal)).to.equal(first)
    await writeFile(join(directory, 'a.yaml'), 'a: 2')
    expect(await source.lookUp(signal)).not.to.equal(first)
  })

  it('takes the author from the commit it was checked out from', async () => {
    await using repository = await createRepository()
    await repository.commit({ 'a.json': '1' }, 'Begin')
    await writeFile(join(repository.path, 'a.json'), '2')
    const snapshot = await newest(repository.path)
    expect(snapshot.revision).to.include({ author: 'Ada Example <ada@example.com>', subject: 'Begin' })
    expect(await snapshot.read('a.json')).to.equal('2')
  })

  it('G24 follows no symlink and holds no huge file', async () => {
    await writeFile(join(directory, 'huge.json'), ' '.repeat(9_000_000))
    await symlink('/etc', join(directory, 'etc'))
    await symlink('/etc/hostname', join(directory, 'host.json'))
    const snapshot = await newest()
    expect(await snapshot.kind('etc/hostname')).to.equal('symlink')
    expect(await codeOf(snapshot.read('host.json'))).to.equal('path-forbidden')
    expect(await codeOf(snapshot.read('huge.json'))).to.equal('file-too-large')
    expect(await codeOf(snapshot.read('../x.json'))).to.equal('path-forbidden')
    expect(await codeOf(snapshot.read('none.json'))).to.equal('file-missing')
  })

  for (const [what, put] of [
    ['a symlink', (path: string) => symlink('elsewhere', path)],
    ['a file', (path: string) => writeFile(path, '../elsewhere')],
    ['a pipe', (path: string) => run('mkfifo', [path])],
    ['a repository of its own', (path: string) => mkdir(join(path, '.git'), { recursive: true })],
  ] as const)
    for (const named of ['applications', 'deployments'])
      it(`G24 does not take ${what} in place of ${named} for nothing`, async () => {
        await mkdir(join(directory, 'environments/prod'), { recursive: true })
        const before = (await newest()).revision.commit
        await put(join(directory, named))
        const snapshot = await newest()
        expect(snapshot.revision.commit).not.to.equal(before)
        expect(await codeOf(snapshot.list(named))).to.be.oneOf(['path-forbidden', 'file-missing'])
        expect(await snapshot.list('environments/devel')).to.deep.equal([])
      })

  it('G24 does not take a pipe in place of a file for nothing', async () => {
    await run('mkfifo', [join(directory, 'shop.yaml')])
    const snapshot = await newest()
    expect(await snapshot.list('')).to.deep.equal([{ name: 'shop.yaml', kind: 'special' }])
    expect(await codeOf(snapshot.read('shop.yaml'))).to.equal('path-forbidden')
  })

  it('says of a file with another ending that none such is read', async () => {
    await writeFile(join(directory, 'shop.txt'), '{}')
    const failure = await (await newest()).read('shop.txt').catch((error: unknown) => error)
    expect(failure).to.have.property(
      'message',
      'shop.txt: of a directory only files whose names end in .json, .yaml or .yml are read',
    )
  })

  it('is watched: a saved file is told', async () => {
    const abort = new AbortController()
    let changes = 0
    const source = openSource({ url: directory }, '/nonexistent')
    const watching = source.watch?.(() => {
      changes += 1
    }, abort.signal)
    let saved = 0
    await waitUntil('a change is told', async () => {
      saved += 1
      await writeFile(join(directory, 'a.yaml'), `a: ${saved}`)
      return changes > 0
    })
    abort.abort()
    await watching
  })
})

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.catch((thrown: unknown) => thrown)
  if (!(error instanceof Failure)) throw error
  return error.code
}
