import { mkdtemp, open, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openSource, type Source, type SourceConfig } from '../../../lib/git/source.ts'
import type { Snapshot } from '../../../lib/state/repository/snapshot.ts'
import { refused } from '../../support/failures/refused.ts'
import { type GitServer, startGitServer } from '../../support/git/git-server.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'
import { close, listen } from '../../support/network/listen.ts'

const { signal } = new AbortController()

describe('a repository on a git server', () => {
  let server: GitServer
  let repository: Repository
  let stateDir: string

  beforeEach(async () => {
    server = await startGitServer()
    repository = await createRepository(server)
    stateDir = await mkdtemp(join(tmpdir(), 'tallyman-store-'))
  })

  afterEach(async () => {
    await repository[Symbol.asyncDispose]()
    await server.stop()
    await rm(stateDir, { recursive: true, force: true })
  })

  function source(config: Partial<SourceConfig> = {}): Source {
    return openSource({ url: repository.url, ...config }, stateDir)
  }

  async function newest(from: Source): Promise<Snapshot> {
    return from.snapshot(await from.lookUp(signal), signal)
  }

  it('is looked up, fetched and read', async () => {
    const commit = await repository.commit(
      { 'environments/prod/manifest.json': '{}', 'b.yaml': 'b: 1' },
      'Begin',
    )
    const snapshot = await newest(source())
    expect(snapshot.revision).to.deep.equal({
      ref: 'main',
      commit,
      author: 'Ada Example <ada@example.com>',
      subject: 'Begin',
      time: '2026-01-01T00:00:01.000Z',
    })
    expect(await snapshot.list('')).to.deep.equal([
      { name: 'b.yaml', kind: 'file' },
      { name: 'environments', kind: 'directory' },
    ])
    expect(await snapshot.read('environments/prod/manifest.json')).to.equal('{}')
    expect(await snapshot.kind('environments/prod')).to.equal('directory')
    expect(await snapshot.kind('b.yaml/x')).to.equal('missing')
    expect(await refused(snapshot.read('none.json'))).to.equal('file-missing: none.json: no such file')
  })

  it('costs one request per look-up and none to read again what is there', async () => {
    await repository.commit({ 'a.json': '1' })
    const remote = source()
    await newest(remote)
    server.requests.length = 0
    expect(await (await newest(remote)).read('a.json')).to.equal('1')
    expect(server.requests.map(({ method }) => method)).to.deep.equal(['POST'])
  })

  it('costs two requests per look-up of a tag, which a branch of its name would go before', async () => {
    const tagged = await repository.commit({ 'a.json': '1' })
    await repository.tag('v1', 'Version 1')
    const remote = source({ ref: 'v1' })
    expect(await remote.lookUp(signal)).to.equal(tagged)
    server.requests.length = 0
    expect(await remote.lookUp(signal)).to.equal(tagged)
    expect(server.requests.map(({ method }) => method)).to.deep.equal(['POST', 'POST'])
    await repository.branch('v1')
    const newer = await repository.commit({ 'a.json': '2' })
    expect(await remote.lookUp(signal)).to.equal(newer)
  })

  it('sends only what a push adds', async () => {
    const first = await repository.commit({ 'a.json': '1', 'same.json': 'same' })
    const remote = source()
    await newest(remote)
    await repository.commit({ 'a.json': '2' })
    const snapshot = await newest(remote)
    expect([await snapshot.read('a.json'), await snapshot.read('same.json')]).to.deep.equal(['2', 'same'])
    server.fail = { reset: true }
    expect(await (await remote.snapshot(first, signal)).read('a.json')).to.equal('1')
  })

  it('G19 heals by itself after a force-push and a moved default branch', async () => {
    const first = await repository.commit({ 'a.json': '1' })
    await repository.commit({ 'a.json': '2' })
    const remote = source()
    await newest(remote)
    await repository.forcePush(first)
    expect((await newest(remote)).revision.commit).to.equal(first)
    await repository.branch('trunk')
    const moved = await repository.commit({ 'a.json': '3' })
    await repository.git('--git-dir', repository.bare, 'symbolic-ref', 'HEAD', 'refs/heads/trunk')
    expect((await newest(remote)).revision).to.include({ commit: moved, ref: 'trunk' })
  })

  it('gives a commit by its name, a branch, and what an annotated tag stands for', async () => {
    const first = await repository.commit({ 'a.json': '1' })
    await repository.tag('v1', 'Version 1')
    await repository.branch('other')
    const other = await repository.commit({ 'a.json': '2' })
    expect((await newest(source({ ref: 'v1' }))).revision).to.include({ commit: first, ref: 'v1' })
    expect((await newest(source({ ref: 'other' }))).revision).to.include({ commit: other, ref: 'other' })
    expect((await newest(source({ ref: first }))).revision).to.include({ commit: first, ref: first })
  })

  it('gives a commit that no ref names any more, and says when it is gone', async () => {
    const first = await repository.commit({ 'a.json': '1' })
    const lost = await repository.commit({ 'a.json': '2' })
    await repository.forcePush(first)
    expect(await (await source().snapshot(lost, signal)).read('a.json')).to.equal('2')
    const never = 'f'.repeat(40)
    expect(await refused(source().snapshot(never, signal))).to.match(/^commit-unreachable: .*f{40}/)
  })

  it('names the refs spelled most like one that is not there', async () => {
    await repository.commit({ 'a.json': '1' })
    expect(await refused(source({ ref: 'mian' }).lookUp(signal))).to.equal(
      `ref-not-found: ${repository.url}: has no branch or tag "mian"; there are: main`,
    )
  })

  it('gives by the beginning of its name a commit that a ref names or that was fetched, and says what it cannot find', async () => {
    const first = await repository.commit({ 'a.json': '1' })
    const short = first.slice(0, 8)
    expect((await newest(source({ ref: short }))).revision).to.include({ commit: first, ref: short })
    await repository.commit({ 'a.json': '2' })
    expect(await source({ ref: short }).lookUp(signal)).to.equal(first)
    const never = 'f'.repeat(9)
    expect(await refused(source({ ref: never }).lookUp(signal))).to.equal(
      `ref-not-found: ${repository.url}: has no branch or tag "${never}"; a short name finds only commits at the end of a branch or tag, or fetched before`,
    )
  })

  it('without a commit says so', async () => {
    expect(await refused(source().lookUp(signal))).to.equal(
      `ref-not-found: ${repository.url}: the repository has no commit yet`,
    )
  })

  it('is read with the password of now from its file, and never names it', async () => {
    await repository.commit({ 'a.json': '1' })
    server.auth('ada', 's3cret-word')
    const passwordFile = join(stateDir, 'password')
    await writeFile(passwordFile, 'wrong-word\n')
    const remote = source({ auth: { username: 'ada', passwordFile } })
    const told = await refused(remote.lookUp(signal))
    expect(told).to.equal(`git-auth-failed: ${repository.url}: the credentials are missing or wrong (401)`)
    await writeFile(passwordFile, 's3cret-word\n')
    expect(await (await newest(remote)).read('a.json')).to.equal('1')
    const inUrl = source({ url: repository.url.replace('://', '://ada:wrong-word@') })
    expect(inUrl.address).to.equal(repository.url.replace(/\.git$/, ''))
    expect(inUrl.name).to.equal(repository.url.replace(/^.*\/|\.git$/g, ''))
    expect(await refused(inUrl.lookUp(signal))).to.equal(told)
    await rm(passwordFile)
    expect(await refused(remote.lookUp(signal))).to.match(/^git-credentials-unreadable: .*ENOENT/)
  })

  it('that is not there is told from a server that is down', async () => {
    expect(await refused(source({ url: `${server.url}/none.git` }).lookUp(signal))).to.equal(
      `git-not-found: ${server.url}/none.git: no such repository (404)`,
    )
    server.fail = { status: 503 }
    expect(await refused(source().lookUp(signal))).to.match(/^git-unreachable: .*status 503/)
    server.fail = { reset: true }
    expect(await refused(source().lookUp(signal))).to.match(/^git-unreachable: .*broke off/)
    await server.stop()
    expect(await refused(source().lookUp(signal))).to.match(/^git-unreachable: .*ECONNREFUSED/)
  })

  it('G19 is read as soon as a pack that broke off comes whole', async () => {
    await repository.commit({ 'a.json': JSON.stringify([...Array(5000).keys()]) })
    const remote = source()
    const commit = await remote.lookUp(signal)
    for (const truncateAfterBytes of [50, 300, 2000]) {
      server.fail = { truncateAfterBytes }
      expect(await refused(remote.snapshot(commit, signal))).to.match(/^git-unreachable: .*br[eo]a?ke?s? off/)
    }
    server.fail = undefined
    expect(await (await remote.snapshot(commit, signal)).kind('a.json')).to.equal('file')
  })

  it('G24 follows no redirect to another host, where the password would go too', async () => {
    const authorizations: unknown[] = []
    const stranger = createServer((incoming, answer) => {
      authorizations.push(incoming.headers.authorization)
      answer.end()
    })
    const port = await listen(stranger)
    server.fail = { redirectTo: `http://localhost:${port}` }
    const remote = source({ url: repository.url.replace('://', '://ada:s3cret@') })
    expect(await refused(remote.lookUp(signal))).to.equal(
      `git-redirected: ${repository.url}: leads to another host, http://localhost:${port}`,
    )
    expect(authorizations).to.deep.equal([])
    await close(stranger)
  })

  it('is given up when the caller aborts', async () => {
    await repository.commit({ 'a.json': '1' })
    server.fail = { delayMs: 60_000 }
    const abort = new AbortController()
    const looking = source().lookUp(abort.signal)
    abort.abort(new Error('shutting down'))
    expect(await looking.catch((error: unknown) => error))
      .to.be.an('error')
      .with.property('message', 'shutting down')
  })

  type Damage = (file: string) => Promise<void>
  const damages: Readonly<Record<string, Damage>> = {
    'a truncated pack': file => (file.endsWith('.pack') ? truncate(file, 60) : Promise.resolve()),
    'a garbled pack': file => (file.endsWith('.pack') ? garble(file) : Promise.resolve()),
    'a missing pack': file => (file.endsWith('.pack') ? rm(file) : Promise.resolve()),
    'an empty index': file => (file.endsWith('.idx') ? truncate(file, 0) : Promise.resolve()),
    'a garbled index': file => (file.endsWith('.idx') ? garble(file) : Promise.resolve()),
    'nothing left': file => rm(file),
  }
  for (const [name, damage] of Object.entries(damages)) {
    it(`G19 heals a store with ${name}`, async () => {
      await repository.commit({ 'a.json': '1', 'b/c.json': 'c'.repeat(500) })
      const remote = source()
      await newest(remote)
      await repository.commit({ 'a.json': '2' })
      const snapshot = await newest(remote)
      for (const file of await storedFiles(stateDir)) await damage(file)
      expect(await snapshot.read('b/c.json')).to.equal('c'.repeat(500))
      const afresh = await newest(source())
      expect([await afresh.read('a.json'), await afresh.read('b/c.json')]).to.deep.equal([
        '2',
        'c'.repeat(500),
      ])
    })
  }

  it('is read from a server that knows nothing of protocol 2', async () => {
    const first = await repository.commit({ 'a.json': '1' })
    await repository.tag('v1', 'Version 1')
    const second = await repository.commit({ 'a.json': '2' })
    const old = createServer((incoming, answer) => {
      const { 'git-protocol': _, ...headers } = incoming.headers
      relay(`${server.url}${incoming.url}`, { method: incoming.method, headers }, incoming, answer)
    })
    const url = repository.url.replace(server.url, `http://127.0.0.1:${await listen(old)}`)
    const remote = source({ url })
    expect((await newest(remote)).revision).to.include({ commit: second, ref: 'main' })
    expect((await newest(source({ url, ref: 'v1' }))).revision).to.include({ commit: first })
    await repository.commit({ 'a.json': '3' })
    await rm(stateDir, { recursive: true })
    expect(await (await remote.snapshot(second, signal)).read('a.json')).to.equal('2')
    await close(old)
  })

  it('is read where a redirect on the same host leads, though only the first question is redirected', async () => {
    const commit = await repository.commit({ 'a.json': '1' })
    const forge = createServer((incoming, answer) => {
      const { url = '' } = incoming
      if (!url.startsWith('/old.git/')) return relay(`${server.url}${url}`, incoming, incoming, answer)
      const location = url.replace('/old.git', new URL(repository.url).pathname)
      answer.writeHead(incoming.method === 'GET' ? 301 : 404, { location }).end()
    })
    const url = `http://127.0.0.1:${await listen(forge)}/old.git`
    expect((await newest(source({ url }))).revision).to.include({ commit })
    await close(forge)
  })

  it('G19 takes no list of refs that breaks off for a short one', async () => {
    await repository.commit({ 'a.json': '1' })
    await repository.tag('main-2')
    const url = new URL(repository.url)
    const gone = '0032want ref that is not there'
    let answer = Buffer.alloc(0)
    const proxy = createServer(async (incoming, reply) => {
      if (incoming.method === 'GET') return relay(`${server.url}${incoming.url}`, incoming, incoming, reply)
      incoming.resume()
      reply.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).end(answer)
    })
    url.port = String(await listen(proxy))
    const remote = source({ url: url.href })
    for (const body of ['', '0', '003d', `003d${'1'.repeat(40)} refs/heads/main\n`, gone]) {
      answer = Buffer.from(body)
      expect(await refused(remote.lookUp(signal)), body).to.equal(
        `git-unreachable: ${url.href}: the answer breaks off`,
      )
    }
    answer = Buffer.from('0010ERR no luck\n0000')
    expect(await refused(remote.lookUp(signal))).to.equal(`git-unreachable: ${url.href}: no luck`)
    answer = Buffer.from('000aoh no\n0000')
    expect(await refused(remote.lookUp(signal))).to.equal(
      `git-unreachable: ${url.href}: answers something that is not of git`,
    )
    await close(proxy)
  })

  it('G24 says what symlinks and submodules are and never reads through them', async () => {
    await repository.commit({ 'real/a.json': '1' })
    const blob = await repository.git('rev-parse', 'HEAD:real/a.json')
    await repository.git('update-index', '--add', '--cacheinfo', `120000,${blob},link`)
    const head = await repository.head()
    await repository.git('update-index', '--add', '--cacheinfo', `160000,${head},module`)
    await repository.git('commit', '-m', 'Add links')
    await repository.push()
    const snapshot = await newest(source())
    expect(await snapshot.list('')).to.deep.equal([
      { name: 'link', kind: 'symlink' },
      { name: 'module', kind: 'submodule' },
      { name: 'real', kind: 'directory' },
    ])
    expect(await snapshot.kind('link/a.json')).to.equal('symlink')
    expect(await refused(snapshot.list('link'))).to.match(/^path-forbidden: link: is a symlink/)
    expect(await refused(snapshot.read('link'))).to.equal('path-forbidden: link: leads through a symlink')
    expect(await refused(snapshot.read('module/a'))).to.equal(
      'path-forbidden: module/a: leads into a submodule',
    )
    expect(await refused(snapshot.read('../a'))).to.match(/^path-forbidden/)
  })

  it('G24 refuses a huge file by itself, and reads the others', async () => {
    await repository.commit({ 'huge.json': ' '.repeat(20_000_000), 'a.json': '1' })
    const snapshot = await newest(source())
    expect(await snapshot.read('a.json')).to.equal('1')
    expect(await refused(snapshot.read('huge.json'))).to.equal(
      'file-too-large: huge.json: has 20000000 bytes; at most 8388608 are read',
    )
  })

  it('lets 2,500 files be read, alike or not', async () => {
    const files = Array.from({ length: 2500 }, (_, index) => [
      `environments/e${index % 50}/s${index}.json`,
      JSON.stringify({ serviceName: `service-${index}`, serviceCountry: 'es', padding: 'x'.repeat(300) }),
    ])
    await repository.commit(Object.fromEntries(files))
    const snapshot = await newest(source())
    const read = await Promise.all(files.map(([path = '']) => snapshot.read(path)))
    expect(read).to.deep.equal(files.map(([, content]) => content))
  })
})

/** `code: message` of what a promise fails with. */

async function storedFiles(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

/** Hands a request on to another server, and its answer back. */
function relay(
  url: string,
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  body: IncomingMessage,
  answer: ServerResponse,
): void {
  const asked = request(url, { method, headers }, given => {
    answer.writeHead(given.statusCode ?? 500, given.headers)
    given.pipe(answer)
  })
  body.pipe(asked)
}

/** Overwrites some bytes in the middle, where the data is. */
async function garble(path: string): Promise<void> {
  const file = await open(path, 'r+')
  const { size } = await file.stat()
  await file.write(Buffer.alloc(40, 0x5a), 0, 40, Math.max(Math.floor(size / 2) - 20, 14))
  await file.close()
}
