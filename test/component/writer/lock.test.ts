import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempDisposableSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createLocks, type Lock } from '../../../lib/writer/lock.ts'

const names = Array.from({ length: 25 }, (_, index) => `site-${index + 1}`)
const lockFile = join(import.meta.dirname, '../../../lib/writer/lock.ts')

describe('the locks of a process', () => {
  it('D17 exclude other processes from each of many files, and from no other file', () => {
    using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
    const locks = createLocks(place.path)
    const own = names.map(name => taken(locks.take(name)))
    const refused = Object.fromEntries(names.map(name => [name, 'taken']))
    expect(ofAnotherProcess(place.path, [...names, 'other'])).to.deep.equal({ ...refused, other: 'locked' })
    for (const lock of own) lock.release()
  })

  it('D17 are released one by one', () => {
    using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
    const locks = createLocks(place.path)
    const own = new Map(names.map(name => [name, taken(locks.take(name))]))
    for (const name of ['site-3', 'site-25']) own.get(name)?.release()
    expect(ofAnotherProcess(place.path, ['site-2', 'site-3', 'site-4', 'site-25'])).to.deep.equal({
      'site-2': 'taken',
      'site-3': 'locked',
      'site-4': 'taken',
      'site-25': 'locked',
    })
    expect(locks.take('site-3')).to.be.an('object')
    expect(ofAnotherProcess(place.path, ['site-3'])).to.deep.equal({ 'site-3': 'taken' })
  })

  it('D17 lose none when one cannot be had', () => {
    using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
    const [locks, rival] = [createLocks(place.path), createLocks(place.path)]
    locks.take('site-1')
    const theirs = taken(rival.take('site-2'))
    expect(locks.take('site-2')).to.equal('taken')
    expect(ofAnotherProcess(place.path, ['site-1', 'site-2'])).to.deep.equal({
      'site-1': 'taken',
      'site-2': 'taken',
    })
    theirs.release()
    expect(locks.take('site-2')).to.be.an('object')
  })

  it('D17 write nothing, to their files or beside them', () => {
    using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
    const locks = createLocks(place.path)
    const [first, second] = [taken(locks.take('site-1')), taken(locks.take('site-2'))]
    const files = () => readdirSync(place.path).map(name => [name, statSync(join(place.path, name)).size])
    const empty = [
      ['site-1.lock', 0],
      ['site-2.lock', 0],
    ]
    expect(files()).to.deep.equal(empty)
    for (const lock of [first, second]) lock.release()
    expect(files()).to.deep.equal(empty)
  })

  it('D17 need a directory to which strangers cannot write', () => {
    using place = mkdtempDisposableSync(join(tmpdir(), 'tallyman-locks-'))
    chmodSync(place.path, 0o777)
    expect(createLocks(place.path).take('site-1')).to.equal('unusable')
    expect(createLocks('/proc/locks').take('site-1')).to.equal('unusable')
  })
})

function taken(lock: Lock | 'taken' | 'unusable'): Lock {
  if (typeof lock === 'string') throw new Error(lock)
  return lock
}

/** What another process gets if it asks for these locks. */
function ofAnotherProcess(directory: string, wanted: readonly string[]): Record<string, string> {
  const code = `
    const { createLocks } = await import(${JSON.stringify(lockFile)})
    const locks = createLocks(${JSON.stringify(directory)})
    const got = ${JSON.stringify(wanted)}.map(name => [name, locks.take(name)])
    console.log(JSON.stringify(Object.fromEntries(got.map(([name, lock]) => [name, typeof lock === 'string' ? lock : 'locked']))))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}
