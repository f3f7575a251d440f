import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { watchConfiguration } from '../../../lib/daemon/watch-configuration.ts'
import type { Failure } from '../../../lib/errors.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** Two releases of a directory of sites and a file, to which links may lead, and what is read of a place that is watched. */
async function watched(place: string, kind: 'file' | 'directory', links: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'tallyman-watched-'))
  const at = (path: string) => join(root, path)
  const put = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  for (const release of ['one', 'two']) {
    put(`${release}/sites/oslo.yaml`, release)
    put(`${release}/tallyman.yaml`, release)
  }
  const link = (path: string, target: string) => {
    symlinkSync(target, at(`${path}.new`))
    renameSync(at(`${path}.new`), at(path))
  }
  for (const [path, target] of Object.entries(links)) link(path, target)
  const content = () => {
    const one = (path: string): string =>
      existsSync(path) && statSync(path).isDirectory()
        ? readdirSync(path)
            .map(name => `${name}: ${one(join(path, name))}`)
            .sort()
            .join(', ')
        : existsSync(path)
          ? readFileSync(path, 'utf8')
          : 'nothing'
    return one(at(place))
  }
  const stop = new AbortController()
  const looks: (() => Promise<void>)[] = []
  const told: Failure[] = []
  let read: string | undefined
  const watching = watchConfiguration(
    {
      origin: kind === 'file' ? { file: at(place) } : {},
      ...(kind === 'file' ? {} : { sitesDirectory: at(place) }),
    },
    () => {
      read = content()
      return true
    },
    { onPoll: look => void looks.push(look) },
    failure => void told.push(failure),
    stop.signal,
  )
  const reads = (expected: string) => waitUntil(`reading ${expected}, not ${read}`, () => read === expected)
  return {
    put,
    link,
    reads,
    told,
    remove: (path: string) => rmSync(at(path)),
    rename: (from: string, to: string) => renameSync(at(from), at(to)),
    poll: () => Promise.all(looks.map(look => look())),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await watching
      rmSync(root, { recursive: true })
    },
  }
}

describe('the configuration that a daemon watches', () => {
  for (const [what, place, links] of [
    ['a directory', 'one/sites', {}],
    ['a link to a directory', 'sites', { sites: 'one/sites' }],
    ['a directory below a link', 'current/sites', { current: 'one' }],
  ] as const)
    it(`G17 of sites in ${what} is read after every edit, new file and rename`, async () => {
      await using there = await watched(place, 'directory', links)
      await there.reads('oslo.yaml: one')
      there.put('one/sites/oslo.yaml', 'edited')
      await there.reads('oslo.yaml: edited')
      there.put('one/sites/rome.yaml', 'new')
      await there.reads('oslo.yaml: edited, rome.yaml: new')
      there.put('one/draft', 'renamed')
      there.rename('one/draft', 'one/sites/oslo.yaml')
      await there.reads('oslo.yaml: renamed, rome.yaml: new')
      expect(there.told).to.deep.equal([])
    })

  it('G17 of sites, each of which may be a link, is read after what they lead to was edited', async () => {
    await using there = await watched('one/sites', 'directory', {
      'one/sites/oslo.yaml': '../../two/tallyman.yaml',
    })
    await there.reads('oslo.yaml: two')
    there.put('two/tallyman.yaml', 'edited')
    await there.reads('oslo.yaml: edited')
  })

  for (const [what, place, links] of [
    ['a file', 'one/tallyman.yaml', {}],
    ['a link to a file', 'tallyman.yaml', { 'tallyman.yaml': 'one/tallyman.yaml' }],
    ['a file below a link', 'current/tallyman.yaml', { current: 'one' }],
  ] as const)
    it(`G17 in ${what} is read after every edit and rename`, async () => {
      await using there = await watched(place, 'file', links)
      await there.reads('one')
      there.put('one/tallyman.yaml', 'edited')
      await there.reads('edited')
      there.put('one/draft', 'renamed')
      there.rename('one/draft', 'one/tallyman.yaml')
      await there.reads('renamed')
      there.put('one/tallyman.yaml', 'edited again')
      await there.reads('edited again')
      expect(there.told).to.deep.equal([])
    })

  for (const [what, place, kind, from] of [
    ['a link to a directory', 'sites', 'directory', 'sites'],
    ['a link above a directory', 'current/sites', 'directory', ''],
    ['a link to a file', 'tallyman.yaml', 'file', 'tallyman.yaml'],
    ['a link above a file', 'current/tallyman.yaml', 'file', ''],
  ] as const)
    it(`G17 is read with the next poll where ${what} leads elsewhere by then, and watched there`, async () => {
      const changing = from === '' ? 'current' : from
      const target = (release: string) => (from === '' ? release : `${release}/${from}`)
      await using there = await watched(place, kind, { [changing]: target('one') })
      const shown = (text: string) => (kind === 'file' ? text : `oslo.yaml: ${text}`)
      await there.reads(shown('one'))
      there.link(changing, target('two'))
      await there.poll()
      await there.reads(shown('two'))
      there.put(kind === 'file' ? 'two/tallyman.yaml' : 'two/sites/oslo.yaml', 'edited')
      await there.reads(shown('edited'))
    })

  it('G17 is read with the next poll where another directory has the name by then, and watched there', async () => {
    await using there = await watched('one/sites', 'directory', {})
    await there.reads('oslo.yaml: one')
    there.rename('one/sites', 'one/old')
    there.rename('two/sites', 'one/sites')
    await there.poll()
    await there.reads('oslo.yaml: two')
    there.put('one/sites/oslo.yaml', 'edited')
    await there.reads('oslo.yaml: edited')
  })

  it('G17 is watched again from the next poll on where something in it kept it from being watched', async () => {
    await using there = await watched('one/sites', 'directory', { 'one/sites/loop': 'loop' })
    await waitUntil('that it is told', () => there.told.length > 0)
    there.remove('one/sites/loop')
    await there.poll()
    await there.reads('oslo.yaml: one')
    there.put('one/sites/oslo.yaml', 'edited')
    await there.reads('oslo.yaml: edited')
    expect(there.told.map(({ code }) => code)).to.deep.equal(['watch-failed'])
  })

  it('G17 is read with the next poll where there was nothing before', async () => {
    await using there = await watched('later/sites', 'directory', {})
    there.put('later/sites/oslo.yaml', 'new')
    await there.poll()
    await there.reads('oslo.yaml: new')
  })
})
