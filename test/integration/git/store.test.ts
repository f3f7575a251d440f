import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openStore, type Store } from '../../../lib/git/store.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'

describe('the store of fetched objects', () => {
  let repository: Repository
  let directory: string
  let store: Store
  let commit: string
  let pack: Buffer

  beforeEach(async () => {
    repository = await createRepository()
    directory = await mkdtemp(join(tmpdir(), 'tallyman-store-'))
    store = openStore(directory)
    commit = await repository.commit({ 'a.json': '1' })
    pack = packOf(repository, commit)
  })

  afterEach(async () => {
    await repository[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  async function* sent(bytes: Buffer): AsyncIterable<Buffer> {
    for (let at = 0; at < bytes.byteLength; at += 7) yield bytes.subarray(at, at + 7)
  }

  it('has what was added, and bases the next pack on it', async () => {
    await store.add(commit, store.next(), sent(pack), 'here')
    expect(store.has(commit)).to.equal(true)
    expect(store.open().find(commit)?.type).to.equal('commit')
    expect(store.next()).to.deep.equal({ generation: 1, haves: [commit] })
    expect((await readdir(join(directory, '1'))).sort()).to.deep.equal([`${commit}.idx`, `${commit}.pack`])
  })

  it('writes an index that git itself accepts', async () => {
    await store.add(commit, store.next(), sent(pack), 'here')
    const verify = () => execFileSync('git', ['verify-pack', join(directory, '1', `${commit}.idx`)])
    expect(verify).not.to.throw()
  })

  it('G22 keeps the generation before the newest, and none older', async () => {
    for (const generation of [1, 2, 3]) await store.add(commit, { generation, haves: [] }, sent(pack), 'here')
    expect((await readdir(directory)).sort()).to.deep.equal(['2', '3'])
  })

  it('A6 X8 keeps an older generation as long as a commit in it is needed', async () => {
    const needed = [commit]
    const keeping = openStore(directory, () => needed)
    await keeping.add(commit, keeping.next(), sent(pack), 'here')
    const other = await repository.commit({ 'a.json': '2' })
    const add = async (generation: number) =>
      keeping.add(other, { generation, haves: [] }, sent(packOf(repository, other)), 'here')
    for (const generation of [2, 3, 4]) await add(generation)
    expect((await readdir(directory)).sort()).to.deep.equal(['1', '3', '4'])
    needed.pop()
    await add(5)
    expect((await readdir(directory)).sort()).to.deep.equal(['4', '5'])
  })

  it('A6 G19 drops what is damaged only when it is there afresh, and what is needed and whole never', async () => {
    const other = await repository.commit({ 'a.json': '2' })
    const third = await repository.commit({ 'a.json': '3' })
    const keeping = openStore(directory, () => [commit, other])
    const add = async (one: string, generation: number) =>
      keeping.add(one, { generation, haves: [] }, sent(packOf(repository, one)), 'here')
    await add(commit, 1)
    await add(other, 2)
    await truncate(join(directory, '2', `${other}.pack`), 60)
    await add(third, keeping.afresh().generation)
    expect((await readdir(directory)).sort()).to.deep.equal(['1', '2', '3'])
    await keeping.dropDamaged()
    expect((await readdir(directory)).sort()).to.deep.equal(['1', '3'])
  })

  it('G19 keeps nothing of a pack that is damaged or lacks the commit', async () => {
    const damaged = Buffer.from(pack)
    damaged[20] = (damaged[20] ?? 0) ^ 0xff
    const codes: unknown[] = []
    const note = (error: { code: string }) => codes.push(error.code)
    await store.add(commit, store.next(), sent(damaged), 'here').catch(note)
    await store.add(commit, store.next(), sent(pack.subarray(0, -30)), 'here').catch(note)
    await store.add('f'.repeat(40), store.next(), sent(pack), 'here').catch(note)
    expect(codes).to.deep.equal(['repository-corrupt', 'repository-corrupt', 'commit-unreachable'])
    expect(await readdir(join(directory, '1'))).to.deep.equal([])
  })
})

function packOf({ bare }: Repository, commit: string): Buffer {
  return execFileSync('git', ['pack-objects', '--revs', '--stdout', '-q'], { cwd: bare, input: commit })
}
