import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { toFailure } from '../../../lib/errors.ts'
import { openSource } from '../../../lib/git/source.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'

const { signal } = new AbortController()
const rounds = 6

describe('a repository on this machine while git tidies it up', () => {
  let repository: Repository

  before(async () => {
    repository = await createRepository()
    for (let number = 0; number < 8; number += 1)
      await repository.commit(
        { 'x/a.json': `${number}`, [`x/${number}.json`]: `${number}` },
        `Number ${number}`,
      )
  })

  after(() => repository[Symbol.asyncDispose]())

  const tidying: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    ['gc', [['gc', '--quiet', '--prune=now']]],
    ['repack -ad', [['repack', '-a', '-d', '-q', '-f']]],
    [
      'repack -Ad and prune-packed',
      [
        ['repack', '-A', '-d', '-q', '-f'],
        ['prune-packed', '-q'],
      ],
    ],
    ['pack-refs', [['pack-refs', '--all', '--prune']]],
    [
      'unpack and repack',
      [
        ['repack', '-q', '-f'],
        ['prune-packed', '-q'],
        ['repack', '-a', '-d', '-q'],
      ],
    ],
  ]
  for (const [name, commands] of tidying) {
    it(`G19 G4 is read as ever beside git ${name}`, async () => {
      let isTidying = true
      const commits: string[] = []
      const tidy = async () => {
        try {
          for (let round = 0; round < rounds; round += 1) {
            commits.push(await repository.commit({ 'x/new.json': `${name} ${round}` }))
            for (const command of commands) await repository.git('--git-dir', repository.bare, ...command)
          }
        } finally {
          isTidying = false
        }
      }
      const failures: string[] = []
      let reads = 0
      let newest = -1
      const read = async () => {
        while (isTidying) {
          try {
            const source = openSource({ url: `file://${repository.bare}` }, '/nonexistent')
            const commit = await source.lookUp(signal)
            const index = commits.indexOf(commit)
            if (index >= 0 && index < newest) failures.push(`an older commit: ${index} after ${newest}`)
            newest = Math.max(newest, index)
            const snapshot = await source.snapshot(commit, signal)
            for (const { name: file } of await snapshot.list('x')) await snapshot.read(`x/${file}`)
            expect(await snapshot.read('x/0.json')).to.equal('0')
          } catch (error) {
            const { code, message } = toFailure(error)
            failures.push(`${code}: ${message}`)
          }
          reads += 1
        }
      }
      await Promise.all([tidy(), read()])
      expect(failures).to.deep.equal([])
      expect(reads).to.be.greaterThan(rounds)
    })
  }

  // The last: git itself stumbles over such drafts.
  it('G19 takes no draft of a pack for a pack', async () => {
    const commit = await repository.head()
    await repository.git('--git-dir', repository.bare, 'repack', '-a', '-d', '-q')
    const packs = join(repository.bare, 'objects', 'pack')
    for (const name of ['.tmp-4711-pack-0a1b2c3d.idx', '.tmp-4711-pack-0a1b2c3d.pack', 'tmp_idx_aB3dEf'])
      await writeFile(join(packs, name), 'half of it')
    const source = openSource({ url: `file://${repository.bare}` }, '/nonexistent')
    expect(await (await source.snapshot(commit, signal)).read('x/a.json')).to.equal('7')
  })
})
