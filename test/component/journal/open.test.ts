import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { openJournal } from '../../../lib/journal/journal.ts'
import { databaseOf, openDatabase } from '../../../lib/journal/store/database.ts'
import { migrate } from '../../../lib/journal/store/migrate.ts'
import { migrations } from '../../../lib/journal/store/migrations.ts'
import { runPass } from '../../support/builders/journal-builders.ts'
import { temporaryFilesIn } from '../../support/files/temporary-files.ts'

describe('journal: its file', () => {
  let directory = ''
  const file = () => join(directory, 'state', 'tallyman.sqlite')
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-journal-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('is for its owner alone, and so is the directory', () => {
    const journal = openJournal(file())
    runPass(journal)
    const modes = ['', '/tallyman.sqlite', '/tallyman.sqlite-wal', '/tallyman.sqlite-shm'].map(path =>
      (statSync(`${directory}/state${path}`).mode & 0o777).toString(8),
    )
    journal.close()
    expect(modes).to.deep.equal(['700', '600', '600', '600'])
  })

  it('G25 holds everything after it was closed and opened again', () => {
    const first = openJournal(file())
    const id = first.identity()
    runPass(first, { end: { outcome: 'applied' } })
    first.close()
    const second = openJournal(file())
    expect(second.identity()).to.equal(id)
    expect(second.log({ limit: 10 }).map(({ outcome }) => outcome)).to.deep.equal(['applied'])
    second.close()
  })

  it('G25 is left as it is, and refused, where the file has tables that are no journal', () => {
    mkdirSync(dirname(file()))
    const foreign = new DatabaseSync(file())
    foreign.exec('CREATE TABLE pass (id INTEGER); INSERT INTO pass VALUES (7)')
    foreign.close()
    for (const readOnly of [true, false])
      expect(() => openJournal(file(), { readOnly }))
        .to.throw(Failure, `${file()}: has tables, but not the version of a journal`)
        .with.property('code', 'journal-corrupt')
    const after = new DatabaseSync(file())
    expect(after.prepare('SELECT id FROM pass').all()).to.deep.equal([{ id: 7 }])
    after.close()
  })

  it('G25 calls a pass interrupted whose process died', () => {
    const first = openJournal(file())
    first.beginPass({ environment: 'prod', trigger: 'poll', atMs: 1_000 })
    first.close()
    const second = openJournal(file())
    const entry = second.log({ limit: 1 })[0]
    second.close()
    expect([entry?.outcome, entry?.endedAtMs]).to.deep.equal(['interrupted', undefined])
  })

  it('has from the start what the migrations of all versions make, one after the other', () => {
    using made = new DatabaseSync(':memory:')
    migrate(':memory:', databaseOf(':memory:', made))
    using migrated = new DatabaseSync(':memory:')
    for (const migration of migrations) migrated.exec(migration)
    migrated.exec(`INSERT INTO identity VALUES ('own'); PRAGMA user_version = ${migrations.length}`)
    made.exec("UPDATE identity SET id = 'own'")
    expect(contentOf(made)).to.deep.equal(contentOf(migrated))
  })

  /** Makes a journal as the first version did, with a suspension. */
  function makeOld(): void {
    const [first = ''] = migrations
    mkdirSync(dirname(file()))
    const old = new DatabaseSync(file())
    old.exec(`${first}; PRAGMA user_version = 1`)
    old.exec("INSERT INTO suspension VALUES ('prod', '', 'stocktaking', 'ann', 1, NULL)")
    old.close()
  }

  it('that an earlier version made can be read, and is left as it is', () => {
    makeOld()
    const reader = openJournal(file(), { readOnly: true })
    expect(reader.suspensions('prod', 2).map(({ reason }) => reason)).to.deep.equal(['stocktaking'])
    expect(reader.knownEnvironments()).to.deep.equal(['prod'])
    reader.close()
    const after = new DatabaseSync(file(), { readOnly: true })
    expect(after.prepare('PRAGMA user_version').get()).to.deep.include({ user_version: 1 })
    after.close()
  })

  it('that an earlier version made is read without a file beside it or anywhere else', () => {
    makeOld()
    using _nowhere = temporaryFilesIn(join(directory, 'nowhere'))
    const [reader, another] = [1, 2].map(() => openJournal(file(), { readOnly: true }))
    expect(readdirSync(dirname(file()))).to.deep.equal(['tallyman.sqlite'])
    reader?.close()
    expect(another?.knownEnvironments()).to.deep.equal(['prod'])
    another?.close()
  })

  it('can be read beside a writer, and is not changed by it', () => {
    const writer = openJournal(file())
    runPass(writer)
    const reader = openJournal(file(), { readOnly: true })
    runPass(writer, { commit: 'c2' })
    expect(reader.log({ limit: 10 })).to.have.length(2)
    expect(failureOf(() => reader.clearWaiting('prod'))).to.include({ code: 'journal-unusable' })
    reader.close()
    writer.close()
  })

  it('is empty to a reader where there is none yet, and is not made', () => {
    const reader = openJournal(file(), { readOnly: true })
    expect(reader.log({ limit: 10 })).to.deep.equal([])
    reader.close()
    expect(() => statSync(file())).to.throw('ENOENT')
  })

  it('is refused when it is damaged, and stays as it is', () => {
    const damaged = join(directory, 'tallyman.sqlite')
    writeFileSync(damaged, 'not a database at all '.repeat(100))
    for (const readOnly of [false, true]) {
      const failure = failureOf(() => openJournal(damaged, { readOnly }))
      expect(failure).to.include({ code: 'journal-corrupt', retry: 'never' })
      expect(failure.message).to.equal(`${damaged}: file is not a database`)
    }
    expect(statSync(damaged).size).to.equal(2_200)
  })

  it('is refused when a page inside of it is damaged', () => {
    const journal = openJournal(file())
    runPass(journal)
    journal.close()
    const descriptor = openSync(file(), 'r+')
    for (const page of [1, 2, 3]) writeSync(descriptor, Buffer.alloc(4_096, 0xff), 0, 4_096, page * 4_096)
    closeSync(descriptor)
    expect(failureOf(() => openJournal(file()))).to.include({ code: 'journal-corrupt' })
  })

  it('keeps nothing for a reader that remembers, so that a plan can be made without touching it', () => {
    openJournal(file()).close()
    const reader = openJournal(file(), { readOnly: true })
    reader.rememberInstance('v1:ab', {})
    reader.resolutions.remember({ reference: 'web:1', commit: 'c1', digest: 'sha256:aa' })
    expect(reader.instance('v1:ab')).to.equal(undefined)
    expect(reader.resolutions.find({ reference: 'web:1', commit: 'c1' })).to.equal(undefined)
    reader.close()
  })

  it('is refused when a later tallyman made it', () => {
    openJournal(file()).close()
    const later = new DatabaseSync(file())
    later.exec('PRAGMA user_version = 99')
    later.close()
    for (const readOnly of [false, true]) {
      expect(failureOf(() => openJournal(file(), { readOnly }))).to.include({ code: 'journal-newer' })
    }
  })

  it('says so when the disk is full, and is whole afterwards', () => {
    const database = openDatabase(file(), { readOnly: false })
    database.run('CREATE TABLE filled (text TEXT)')
    database.run('PRAGMA max_page_count = 4')
    const fill = () =>
      database.transaction(() => {
        for (let row = 0; row < 10; row++) database.run('INSERT INTO filled VALUES (?)', 'x'.repeat(4_000))
      })
    expect(failureOf(fill)).to.include({ code: 'disk-full', retry: 'backoff' })
    expect(database.all('SELECT * FROM filled')).to.deep.equal([])
    database.close()
  })

  it('says so when it cannot be made', () => {
    writeFileSync(join(directory, 'state'), '')
    expect(failureOf(() => openJournal(file()))).to.include({ code: 'journal-unusable' })
  })
})

function failureOf(work: () => unknown): Failure {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('it did not fail')
}

/**
 * The version, what the tables and indexes are, and every row. Of a table without a last number SQLite may say that it
 * is 0, which is the same.
 */
function contentOf(sqlite: DatabaseSync): object {
  const schema = sqlite.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all()
  const tables = schema.flatMap(({ type, name }) => (type === 'table' ? [String(name)] : []))
  return {
    version: sqlite.prepare('PRAGMA user_version').get(),
    schema,
    rows: tables.map(name => [name, sqlite.prepare(`SELECT * FROM ${name} ${told(name)}`).all()]),
  }
}

function told(table: string): string {
  return table === 'sqlite_sequence' ? 'WHERE seq <> 0' : ''
}
