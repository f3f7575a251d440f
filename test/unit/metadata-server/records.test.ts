import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { recordFile } from '../../../lib/metadata/place.ts'
import { createRecords } from '../../../lib/metadata-server/records.ts'

describe('the records of pods', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-records-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const put = (token: string, content: string) => {
    const file = join(directory, recordFile(token))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  const recordOf = (uuid: string, value = '') =>
    JSON.stringify({ uuid, manifest: {}, annotations: [{ name: 'a', value }], apps: {} })

  it('C53 G24 are read once for all that ask at the same time, so that a large one takes memory once', async () => {
    put('mine', recordOf('1', 'x'.repeat(1_000_000)))
    const find = createRecords(directory)
    const found = await Promise.all(Array.from({ length: 256 }, () => find('mine')))
    expect(new Set(found).size).to.equal(1)
    expect(found[0]?.uuid).to.equal('1')
  })

  it('G24 are remembered up to a number of characters, the oldest of them not', async () => {
    const tokens = Array.from({ length: 10 }, (_, at) => `pod-${at}`)
    for (const token of tokens) put(token, recordOf(token, 'x'.repeat(1_000_000)))
    const find = createRecords(directory)
    for (const token of tokens) await find(token)
    // What is remembered is told although its file is another one by now.
    for (const token of tokens) put(token, recordOf('changed'))
    const isRemembered = async (token: string) => (await find(token))?.uuid === token
    expect(await isRemembered('pod-9')).to.equal(true)
    expect(await isRemembered('pod-0')).to.equal(false)
  })

  it('C53 are read again where there was none, or it could not be read', async () => {
    const find = createRecords(directory)
    expect(await find('late')).to.equal(undefined)
    put('late', '{')
    const failure = await find('late').catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(SyntaxError)
    put('late', recordOf('2'))
    expect((await find('late'))?.uuid).to.equal('2')
  })
})
