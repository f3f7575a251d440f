import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempDisposable, readdir, readFile, rename, rm, symlink, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { openSource } from '../../../lib/git/source.ts'
import type { Snapshot } from '../../../lib/state/repository/snapshot.ts'
import { refused } from '../../support/failures/refused.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'

const { signal } = new AbortController()

describe('a repository on this machine', () => {
  let repository: Repository

  beforeEach(async () => {
    repository = await createRepository()
  })

  afterEach(() => repository[Symbol.asyncDispose]())

  async function newest(url: string, ref?: string): Promise<Snapshot> {
    const source = openSource({ url, ...(ref === undefined ? {} : { ref }) }, '/nonexistent')
    return source.snapshot(await source.lookUp(signal), signal)
  }

  it('is read from loose objects and from packs, by path and by file://', async () => {
    const commit = await repository.commit({ 'x/a.json': '1' }, 'Begin')
    const loose = await newest(repository.bare)
    expect(loose.revision).to.include({ commit, ref: 'main', subject: 'Begin' })
    expect(await loose.read('x/a.json')).to.equal('1')
    await repository.git('--git-dir', repository.bare, 'gc', '--quiet')
    expect(await loose.read('x/a.json')).to.equal('1')
    expect(await (await newest(`file://${repository.bare}`)).read('x/a.json')).to.equal('1')
  })

  it('A6 can be gone back in while it is away: a commit that was kept is read from the copy', async () => {
    const first = await repository.commit({ 'x/a.json': '1', 'b.json': 'same' }, 'First')
    const second = await repository.commit({ 'x/a.json': '2' }, 'Second')
    const third = await repository.commit({ 'x/a.json': '3' }, 'Third')
    await using store = await mkdtempDisposable(join(tmpdir(), 'tallyman-store-'))
    const source = openSource({ url: repository.bare }, store.path)
    for (const commit of [first, second, first]) await source.keep?.(commit)
    await rename(repository.bare, `${repository.bare}.away`)
    for (const opened of [source, openSource({ url: repository.bare }, store.path)]) {
      const read = async (commit: string, path: string) => (await opened.snapshot(commit, signal)).read(path)
      expect(await read(first, 'x/a.json')).to.equal('1')
      expect(await read(second, 'x/a.json')).to.equal('2')
      expect(await read(second, 'b.json')).to.equal('same')
      expect(await refused(opened.lookUp(signal))).to.match(/^git-unreachable: .*no such file or directory/)
      expect(await refused(opened.snapshot(third, signal))).to.match(/^git-unreachable: /)
      await rename(`${repository.bare}.away`, repository.bare)
      expect(await opened.lookUp(signal)).to.equal(third)
      expect(await read(third, 'x/a.json')).to.equal('3')
      await rename(repository.bare, `${repository.bare}.away`)
    }
  })

  it('A6 G24 is copied anew where the copy is damaged, and without what is too large to be read', async () => {
    const first = await repository.commit({ 'a.json': '1', 'large.bin': 'x'.repeat(8 * 1024 * 1024 + 1) })
    const second = await repository.commit({ 'a.json': '2' })
    await using store = await mkdtempDisposable(join(tmpdir(), 'tallyman-store-'))
    const source = openSource({ url: repository.bare }, store.path)
    await source.keep?.(first)
    const packs = await readdir(store.path, { recursive: true })
    const [pack = ''] = packs.filter(name => name.endsWith(`${first}.pack`))
    await truncate(join(store.path, pack), 40)
    await source.keep?.(second)
    await rename(repository.bare, `${repository.bare}.away`)
    expect(await (await source.snapshot(second, signal)).read('a.json')).to.equal('2')
    expect(await refused(source.snapshot(first, signal))).to.match(/^git-unreachable: /)
  })

  it('G24 does not take a symlink, a submodule or a file in place of a directory for nothing', async () => {
    await repository.commit({ 'file/a.yaml': '1', 'a.yaml': '1' })
    await rm(join(repository.path, 'file'), { recursive: true })
    await symlink('elsewhere', join(repository.path, 'link'))
    const commit = await repository.commit({ file: '../elsewhere' })
    await repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},module`)
    await repository.git('commit', '--quiet', '-m', 'Add a submodule')
    await repository.push()
    const snapshot = await newest(repository.bare)
    const said = ['link', 'module', 'file', 'missing'].map(path =>
      snapshot.list(path).then(
        entries => `${entries.length} entries`,
        (error: unknown) => String(error),
      ),
    )
    expect(await Promise.all(said)).to.deep.equal([
      'Failure: link: is a symlink, and a directory is looked for there',
      'Failure: module: is a submodule, and a directory is looked for there',
      'Failure: file: is a file, and a directory is looked for there',
      '0 entries',
    ])
  })

  it('G12 G24 waits for no pipe and reads no device that is in the place of a ref, an object or a pack', async () => {
    const commit = await repository.commit({ 'x/a.json': '1' }, 'Begin')
    const object = join('objects', commit.slice(0, 2), commit.slice(2))
    const replaced = async (path: string, make: (place: string) => unknown) => {
      const place = join(repository.bare, path)
      await rename(place, `${place}.away`)
      await make(place)
      const refusal = await refused(newest(repository.bare, 'main').then(found => found.read('x/a.json')))
      await rm(place)
      await rename(`${place}.away`, place)
      return refusal.replaceAll(repository.bare, '')
    }
    const pipe = (place: string) => execFileSync('mkfifo', [place])
    const device = (place: string) => symlink('/dev/zero', place)
    for (const make of [pipe, device]) {
      expect(await replaced('refs/heads/main', make)).to.match(/^ref-not-found: /)
      expect(await replaced(object, make)).to.match(/^repository-corrupt: .* cannot be read/)
    }
    await repository.git('--git-dir', repository.bare, 'gc', '--quiet')
    const packs = await readdir(join(repository.bare, 'objects/pack'))
    for (const name of packs.filter(one => /\.(idx|pack)$/.test(one)))
      for (const make of [pipe, device])
        expect(await replaced(`objects/pack/${name}`, make)).to.match(
          /^repository-corrupt: .* cannot be read/,
        )
  })

  it('is the repository of a work tree when a ref is asked for, or file://', async () => {
    const commit = await repository.commit({ 'a.json': '1' })
    await repository.tag('v1', 'Version 1')
    expect((await newest(`file://${repository.path}`)).revision).to.include({ commit, ref: 'main' })
    expect((await newest(repository.path, 'v1')).revision).to.include({ commit, ref: 'v1' })
    await repository.git('pack-refs', '--all')
    expect((await newest(repository.path, 'v1')).revision).to.include({ commit, ref: 'v1' })
  })

  it('is read in a linked work tree, where HEAD is its own and all else is shared', async () => {
    await repository.commit({ 'a.json': '1' })
    await repository.branch('other')
    const other = await repository.commit({ 'a.json': '2' })
    await repository.tag('v2', 'Version 2')
    await repository.git('checkout', '--quiet', 'main')
    const linked = `${repository.path}-linked`
    await repository.git('worktree', 'add', '--quiet', linked, 'other')
    expect((await newest(`file://${linked}`)).revision).to.include({ commit: other, ref: 'other' })
    await repository.git('pack-refs', '--all')
    expect((await newest(`file://${linked}`)).revision).to.include({ commit: other, ref: 'other' })
    expect((await newest(linked, 'v2')).revision).to.include({ commit: other, ref: 'v2' })
    await repository.git('-C', linked, 'checkout', '--quiet', '--detach')
    expect((await newest(`file://${linked}`)).revision).to.include({ commit: other, ref: 'HEAD' })
    expect(await refused(newest(linked, 'v1'))).to.match(/there are: v2, main, other$/)
  })

  it('prefers a branch to a tag of the same name', async () => {
    await repository.commit({ 'a.json': '1' })
    await repository.git('tag', 'same')
    await repository.git('checkout', '--quiet', '-b', 'same')
    await repository.git('commit', '--allow-empty', '-m', 'Second')
    const second = await repository.git('rev-parse', 'refs/heads/same')
    expect((await newest(repository.path, 'same')).revision).to.include({ commit: second, ref: 'same' })
  })

  it('gives a commit by the beginning of its name, loose or packed, and names those that begin alike', async () => {
    const commit = await repository.commit({ 'a.json': '1' })
    await repository.commit({ 'a.json': '2' })
    const short = commit.slice(0, 7)
    expect((await newest(repository.bare, short)).revision).to.include({ commit, ref: short })
    await repository.git('--git-dir', repository.bare, 'gc', '--quiet')
    expect((await newest(repository.bare, short)).revision).to.include({ commit, ref: short })
    const blob = await repository.git('rev-parse', 'HEAD:a.json')
    expect(await refused(newest(repository.bare, blob.slice(0, 10)))).to.equal(
      `ref-not-found: ${repository.bare}: has no branch or tag, and no commit, "${blob.slice(0, 10)}"; there are: main`,
    )
    await repository.branch(short)
    const other = await repository.commit({ 'a.json': '3' })
    expect((await newest(repository.bare, short)).revision.commit).to.equal(other)
  })

  it('is never written to', async () => {
    await repository.commit({ 'a.json': '1' })
    const before = await contentsOf(repository.bare)
    await (await newest(repository.bare)).read('a.json')
    expect(await contentsOf(repository.bare)).to.equal(before)
  })

  it('names what is missing', async () => {
    expect(await refused(newest(repository.bare))).to.equal(
      `ref-not-found: ${repository.bare}: the repository has no commit yet`,
    )
    await repository.commit({ 'a.json': '1' })
    expect(await refused(newest(repository.bare, 'mian'))).to.equal(
      `ref-not-found: ${repository.bare}: has no branch or tag "mian"; there are: main`,
    )
    expect(await refused(newest(repository.bare, 'f'.repeat(40)))).to.match(/^commit-unreachable/)
    expect(() => openSource({ url: '/dev/null' }, '')).to.throw(Failure, '/dev/null: is no directory')
    expect(() => openSource({ url: '/nonexistent/m.git' }, '')).to.throw(Failure, 'no such directory')
  })
})

async function contentsOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const hash = createHash('sha256')
  for (const path of entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort())
    hash.update(path).update(await readFile(path))
  return hash.digest('hex')
}
