import { generateKeyPairSync } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openSource } from '../../../lib/git/source.ts'
import { refused } from '../../support/failures/refused.ts'
import { type GitServer, startGitServer } from '../../support/git/git-server.ts'
import { type GithubApi, startGithubApi, tokenFor } from '../../support/git/github-api.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'

const { signal } = new AbortController()

describe('a repository that a GitHub App may read', () => {
  let server: GitServer
  let repository: Repository
  let directory: string
  let api: GithubApi

  before(async () => {
    api = await startGithubApi()
  })

  after(() => api[Symbol.asyncDispose]())

  beforeEach(async () => {
    server = await startGitServer()
    repository = await createRepository(server)
    await repository.commit({ 'a.json': '1' })
    directory = await mkdtemp(join(tmpdir(), 'tallyman-app-'))
    await writeFile(join(directory, 'app.pem'), api.pem, { mode: 0o600 })
    api.asked.length = 0
    grants('first')
  })

  afterEach(async () => {
    await repository[Symbol.asyncDispose]()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  })

  /** What the API gives from now on, and the one token that the git server takes. */
  function grants(token: string, minutes = 60): void {
    api.answer = () => tokenFor(token, minutes)
    server.auth('x-access-token', token)
  }

  function source(apiUrl = api.url) {
    const privateKeyFile = join(directory, 'app.pem')
    const githubApp = { appId: 1234, installationId: '42', privateKeyFile, apiUrl }
    return openSource({ url: repository.url, auth: { githubApp } }, join(directory, 'store'))
  }

  it('is asked with a token that the key of the app gets, once for as long as that is good', async () => {
    const remote = source()
    const commit = await remote.lookUp(signal)
    expect(await (await remote.snapshot(commit, signal)).read('a.json')).to.equal('1')
    await remote.lookUp(signal)
    expect(api.asked).to.deep.equal([
      'POST /api/v3/app/installations/42/access_tokens by 1234 for 9 min: genuine',
    ])
  })

  it('gets another token before the one at hand ends', async () => {
    grants('ends soon', 9)
    const remote = source()
    await remote.lookUp(signal)
    grants('next')
    await remote.lookUp(signal)
    expect(api.asked.length).to.be.greaterThan(1)
  })

  it('gets another token after the server refused the one at hand', async () => {
    const remote = source()
    await remote.lookUp(signal)
    grants('second')
    expect(await refused(remote.lookUp(signal))).to.match(/^git-auth-failed: /)
    await remote.lookUp(signal)
    expect(api.asked).to.have.length(2)
  })

  it('says what GitHub refuses, is told from one that is down, and goes on once it gives a token', async () => {
    const remote = source()
    const at = api.url
    const what = 'gives app 1234 no token for installation 42'
    for (const [status, body, said] of [
      [404, { message: 'Not Found' }, `git-auth-failed: ${at}: ${what} (404): Not Found`],
      [
        401,
        { message: 'A JSON web token\u001b[2K' },
        `git-auth-failed: ${at}: ${what} (401): A JSON web token\u001b[2K`,
      ],
      [502, [], `git-unreachable: ${at}: ${what} (502)`],
      [201, { token: 7 }, `git-unreachable: ${at}: answers with no token`],
    ] as const) {
      api.answer = () => ({ status, body })
      expect(await refused(remote.lookUp(signal))).to.equal(said)
    }
    grants('first')
    await remote.lookUp(signal)
  })

  it('waits where GitHub was asked too often, which is no fault of the credentials', async () => {
    const remote = source()
    const body = { message: 'API rate limit exceeded' }
    const told = `git-unreachable: ${api.url}: gives app 1234 no token for installation 42 (403): API rate limit exceeded`
    for (const headers of [{ 'retry-after': '60' }, { 'x-ratelimit-remaining': '0' }]) {
      api.answer = () => ({ status: 403, body, headers })
      expect(await refused(remote.lookUp(signal))).to.equal(told)
    }
  })

  it('follows no redirect to another host, and reads once the address of that host is named', async () => {
    await using other = await startGithubApi()
    await writeFile(join(directory, 'app.pem'), other.pem)
    const location = `${other.url.replace('127.0.0.1', 'localhost')}app/installations/42/access_tokens`
    api.answer = () => ({ status: 307, body: {}, headers: { location } })
    const { origin } = new URL(location)
    expect(await refused(source().lookUp(signal))).to.match(
      new RegExp(`^git-redirected: .*: leads to another host, ${origin}$`),
    )
    expect(other.asked).to.deep.equal([])
    other.answer = () => tokenFor('first', 60)
    await source(other.url).lookUp(signal)
  })

  it('reads once the private key of the app is in place', async () => {
    const path = join(directory, 'app.pem')
    const passphrase = { cipher: 'aes-256-cbc', passphrase: 'open sesame' }
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem', ...passphrase }))
    expect(await refused(source().lookUp(signal))).to.equal(
      `git-credentials-unreadable: ${path}: needs a passphrase, which nobody is there to type`,
    )
    await writeFile(path, api.pem)
    await source().lookUp(signal)
  })

  it('G16 is read only with a key that nobody else can read', async () => {
    const path = join(directory, 'app.pem')
    await chmod(path, 0o644)
    expect(await refused(source().lookUp(signal))).to.equal(
      `git-key-unusable: ${path}: others can read it (mode 0644)`,
    )
    expect(api.asked).to.deep.equal([])
    await chmod(path, 0o600)
    await source().lookUp(signal)
  })

  it('G16 tells nothing of a key that is none', async () => {
    const path = join(directory, 'app.pem')
    await writeFile(path, 'hush hush')
    const said = `git-credentials-unreadable: ${path}: is no private key of a GitHub App (RSA, as PEM)`
    expect(await refused(source().lookUp(signal))).to.equal(said)
    const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    await writeFile(path, ed25519)
    expect(await refused(source().lookUp(signal))).to.equal(said)
    await rm(path)
    expect(await refused(source().lookUp(signal))).to.match(/^git-credentials-unreadable: .*ENOENT/)
    expect(api.asked).to.deep.equal([])
  })
})

/** `code: message` of what a promise fails with. */
