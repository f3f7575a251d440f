import { randomBytes } from 'node:crypto'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { parseRepositoryAddress } from '../../../lib/git/address.ts'
import { openSource, type Source } from '../../../lib/git/source.ts'
import { openSshServer } from '../../../lib/git/ssh/server.ts'
import type { Snapshot } from '../../../lib/state/repository/snapshot.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { refused } from '../../support/failures/refused.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'
import {
  makeKey,
  type SshServer,
  startCuttingProxy,
  startSshServer,
} from '../../support/network/ssh-server.ts'

const { signal } = new AbortController()

describe('a repository that is reached over SSH', () => {
  let server: SshServer
  let repository: Repository
  let stateDir: string

  before(async () => {
    server = await startSshServer()
  })

  after(() => server[Symbol.asyncDispose]())

  beforeEach(async () => {
    await server.force()
    repository = await createRepository()
    stateDir = await mkdtemp(join(tmpdir(), 'tallyman-store-'))
  })

  afterEach(async () => {
    await repository[Symbol.asyncDispose]()
    await rm(stateDir, { recursive: true, force: true })
  })

  type Changes = { url?: string; ref?: string; sshKeyFile?: string; knownHostsFile?: string }

  function source({ url = server.urlOf(repository.bare), ref, ...files }: Changes = {}): Source {
    const { keyFile: sshKeyFile, knownHostsFile } = server
    const auth = { sshKeyFile, knownHostsFile, ...files }
    return openSource({ url, auth, ...(ref === undefined ? {} : { ref }) }, stateDir)
  }

  async function newest(from: Source): Promise<Snapshot> {
    return from.snapshot(await from.lookUp(signal), signal)
  }

  it('is looked up, fetched and read, and then sends only what a push adds', async () => {
    await repository.commit({ 'environments/prod/manifest.json': '{}', 'same.json': '1' }, 'Begin')
    const remote = source()
    expect((await newest(remote)).revision).to.include({ ref: 'main', subject: 'Begin' })
    await repository.commit({ 'environments/prod/manifest.json': '{"a":1}' })
    const snapshot = await newest(remote)
    expect(await snapshot.read('environments/prod/manifest.json')).to.equal('{"a":1}')
    expect(await snapshot.read('same.json')).to.equal('1')
  })

  it('gives a commit by its name, the beginning of it, a branch, and what an annotated tag stands for', async () => {
    const first = await repository.commit({ 'a.json': '1' })
    await repository.tag('v1', 'Version 1')
    await repository.branch('other')
    const other = await repository.commit({ 'a.json': '2' })
    for (const [ref, commit] of [
      ['v1', first],
      ['other', other],
      [first, first],
      [first.slice(0, 8), first],
    ] as const)
      expect((await newest(source({ ref }))).revision, ref).to.include({ commit, ref })
    expect(await refused(source({ ref: 'mian' }).lookUp(signal))).to.equal(
      `ref-not-found: ${server.urlOf(repository.bare)}: has no branch or tag "mian"; there are: main, v1, other`,
    )
  })

  it('is read from a server that knows nothing of protocol 2', async () => {
    await using old = await startSshServer({ protocol: 0 })
    const { keyFile: sshKeyFile, knownHostsFile } = old
    const remote = source({ url: old.urlOf(repository.bare), sshKeyFile, knownHostsFile })
    expect(await refused(remote.lookUp(signal))).to.match(/^ref-not-found: .*has no commit yet/)
    await repository.commit({ 'a.json': '1', 'same.json': 'same' })
    await repository.tag('v1', 'Version 1')
    await newest(remote)
    const second = await repository.commit({ 'a.json': '2' })
    const snapshot = await newest(remote)
    expect(snapshot.revision).to.include({ commit: second, ref: 'main' })
    expect([await snapshot.read('a.json'), await snapshot.read('same.json')]).to.deep.equal(['2', 'same'])
    await rm(stateDir, { recursive: true })
    expect(await (await remote.snapshot(second, signal)).read('same.json')).to.equal('same')
  })

  it('G19 heals by itself after history was rewritten and the store was damaged', async () => {
    const first = await repository.commit({ 'a.json': '1' })
    await repository.commit({ 'a.json': '2' })
    const remote = source()
    const snapshot = await newest(remote)
    for (const name of await readdir(stateDir, { recursive: true }))
      if (name.endsWith('.pack')) await truncate(join(stateDir, name), 60)
    expect(await snapshot.read('a.json')).to.equal('2')
    await repository.forcePush(first)
    const rewritten = await repository.commit({ 'a.json': '3' })
    expect((await newest(remote)).revision.commit).to.equal(rewritten)
    expect(await refused(remote.snapshot('f'.repeat(40), signal))).to.match(/^commit-unreachable: /)
  })

  it('G24 is refused while the key of its host is not known, with the line to add, and added by nobody', async () => {
    await repository.commit({ 'a.json': '1' })
    const knownHostsFile = join(stateDir, 'known_hosts')
    const remote = source({ knownHostsFile })
    for (const before of [undefined, '', 'elsewhere.example.com ssh-ed25519 AAAA\n']) {
      if (before !== undefined) await writeFile(knownHostsFile, before)
      expect(await refused(remote.lookUp(signal))).to.match(
        new RegExp(
          `^git-host-unknown: .*the ED25519 key of 127.0.0.1 is not in ${knownHostsFile}; its fingerprint is SHA256:`,
        ),
      )
      expect(await readFile(knownHostsFile, 'utf8').catch(() => undefined)).to.equal(before)
    }
    const { message } = await failureOf(remote.lookUp(signal))
    const line = message.split('The line to add: ')[1] ?? ''
    expect(line).to.equal(server.hostLine)
    await writeFile(knownHostsFile, `${line}\n`)
    expect(await (await newest(remote)).read('a.json')).to.equal('1')
  })

  it('G24 is refused when its host shows another key than the known one, with the line to put in its place', async () => {
    const other = join(stateDir, 'other')
    await makeKey(other)
    const [kind, blob] = (await readFile(`${other}.pub`, 'utf8')).split(' ')
    const [host] = server.hostLine.split(' ')
    const knownHostsFile = join(stateDir, 'known_hosts')
    const told = () => refused(source({ knownHostsFile }).lookUp(signal))
    const at = `git-host-changed: ${server.urlOf(repository.bare)}: 127.0.0.1 shows`
    await writeFile(knownHostsFile, `${host} ${kind} ${blob}\n`)
    const [changed, line = ''] = (await told()).split('. The new line: ')
    expect(changed).to.match(
      new RegExp(
        `^${at} another ED25519 key than the one in ${knownHostsFile}; its fingerprint is SHA256:\\S+$`,
      ),
    )
    expect(line).to.equal(server.hostLine)
    await writeFile(knownHostsFile, `@revoked ${server.hostLine}\n`)
    expect(await told(), 'a revoked key is not offered').to.equal(
      `${at} a key that ${knownHostsFile} revokes`,
    )
  })

  it('tells a file for the keys of hosts that is none from one that does not have the key', async () => {
    const knownHostsFile = join(stateDir, 'known_hosts')
    await mkdir(knownHostsFile)
    expect(await refused(source({ knownHostsFile }).lookUp(signal))).to.equal(
      `git-credentials-unreadable: ${knownHostsFile}: is not a file`,
    )
  })

  it('tells keys that cannot be used from keys that are not let in', async () => {
    const sshKeyFile = join(stateDir, 'key')
    const told = () => refused(source({ sshKeyFile }).lookUp(signal))
    expect(await told()).to.equal(`git-credentials-unreadable: ${sshKeyFile}: cannot be read (ENOENT)`)
    await copyFile(server.keyFile, sshKeyFile)
    await chmod(sshKeyFile, 0o640)
    expect(await told()).to.equal(`git-key-unusable: ${sshKeyFile}: others can read it (mode 0640)`)
    await rm(sshKeyFile)
    await makeKey(sshKeyFile, 'open sesame')
    expect(await told()).to.equal(
      `git-key-unusable: ${sshKeyFile}: needs a passphrase, which nobody is there to type`,
    )
    // Of a public key beside it ssh would only say that the server does not know it.
    await rm(`${sshKeyFile}.pub`)
    const whole = await readFile(server.keyFile, 'utf8')
    for (const broken of [whole.trimEnd(), whole.replaceAll('\n', '\r\n'), whole.slice(0, 200)]) {
      await writeFile(sshKeyFile, broken)
      expect(await told()).to.include(`git-key-unusable: ${sshKeyFile}: ssh cannot load it (`)
    }
    await rm(sshKeyFile)
    await makeKey(sshKeyFile)
    const isStranger = 'the server knows no such user, or does not let this key in'
    expect(await told()).to.equal(`git-auth-failed: ${server.urlOf(repository.bare)}: ${isStranger}`)
    const url = server.urlOf(repository.bare).replace(`${server.user}@`, 'nobody-of-this-name@')
    expect(await refused(source({ url }).lookUp(signal))).to.equal(`git-auth-failed: ${url}: ${isStranger}`)
  })

  it('G24 uses no agent, no key and no settings of the environment', async () => {
    await repository.commit({ 'a.json': '1' })
    const own = join(stateDir, 'own')
    await makeKey(own)
    const trap = join(stateDir, 'trap')
    const spy = join(stateDir, 'bin')
    await mkdir(spy)
    const usual = process.env['PATH'] ?? ''
    await writeFile(join(spy, 'ssh'), `#!/bin/sh\nenv > ${trap}\nPATH=${usual} exec ssh "$@"\n`, {
      mode: 0o755,
    })
    const settings = {
      PATH: `${spy}:${usual}`,
      SSH_AUTH_SOCK: join(stateDir, 'agent'),
      GIT_SSH_COMMAND: trap,
      GIT_DIR: trap,
      GIT_SSH: trap,
      SSH_ASKPASS: trap,
      SSH_ASKPASS_REQUIRE: 'force',
      GIT_PROTOCOL: 'version=1',
      DISPLAY: ':0',
    }
    const before = Object.keys(settings).map(name => [name, process.env[name]] as const)
    Object.assign(process.env, settings)
    try {
      await newest(source())
      const seen = await readFile(trap, 'utf8')
      expect(seen).to.include('GIT_PROTOCOL=version=2')
      expect(seen).not.to.match(/SSH_AUTH_SOCK|GIT_SSH|GIT_DIR|ASKPASS|DISPLAY|HOME=/)
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
  })

  it('that is not there is told from a server that is down', async () => {
    const url = server.urlOf('/srv/none.git')
    expect(await refused(source({ url }).lookUp(signal))).to.equal(
      `git-not-found: ${url}: fatal: '/srv/none.git' does not appear to be a git repository`,
    )
    const down = server.urlOf(repository.bare, 1)
    expect(await refused(source({ url: down }).lookUp(signal))).to.match(
      /^git-unreachable: .*Connection refused/,
    )
    await server.force("echo 'ERROR: Repository not found.' >&2; exit 1")
    expect(await refused(source().lookUp(signal))).to.match(
      /^git-not-found: .*: ERROR: Repository not found\.$/,
    )
    for (const [command, told] of [
      ['echo Welcome', 'answers something that is not of git'],
      ['exit 0', 'the answer breaks off'],
      ['echo 003c; exit 3', 'the answer breaks off'],
    ] as const) {
      await server.force(command)
      expect(await refused(source().lookUp(signal)), command).to.equal(
        `git-unreachable: ${server.urlOf(repository.bare)}: ${told}`,
      )
    }
  })

  it('G19 is given up when the server hangs after the login, or when the caller aborts', async () => {
    await server.force('cat > /dev/null')
    const address = parseRepositoryAddress(server.urlOf(repository.bare))
    if (address.kind !== 'ssh') throw new Error('is an address of SSH')
    const limits = { connectMs: 10_000, idleMs: 700, totalMs: 20_000 }
    const hanging = openSshServer(address, server, limits)
    expect(await refused(hanging.find(['HEAD'], signal))).to.equal(
      `git-unreachable: ${address.url}: no byte for 0.7 s`,
    )
    const dripping = openSshServer(address, server, { ...limits, idleMs: 20_000, totalMs: 1_000 })
    await server.force('while sleep 0.1; do printf 0001; done')
    expect(await refused(dripping.find(['HEAD'], signal))).to.equal(
      `git-unreachable: ${address.url}: did not finish within 1 s`,
    )
    await server.force('cat > /dev/null')
    const abort = new AbortController()
    const looking = source().lookUp(abort.signal)
    abort.abort(new Error('shutting down'))
    expect(await looking.catch((error: unknown) => error))
      .to.be.an('error')
      .with.property('message', 'shutting down')
  })

  it('G19 is read as soon as a connection that was cut in the middle of a pack holds', async () => {
    const noise = randomBytes(200_000).toString('base64')
    await repository.commit({ 'a.json': noise })
    const commit = await source().lookUp(signal)
    for (const bytes of [10_000, 100_000]) {
      await using proxy = await startCuttingProxy(server.port, bytes)
      const knownHostsFile = join(stateDir, `known_hosts-${bytes}`)
      await writeFile(knownHostsFile, server.hostLine.replace(String(server.port), String(proxy.port)))
      const cut = source({ url: server.urlOf(repository.bare, proxy.port), knownHostsFile })
      expect(await refused(cut.snapshot(commit, signal)), String(bytes)).to.match(/^git-unreachable: /)
    }
    expect(await (await source().snapshot(commit, signal)).read('a.json')).to.equal(noise)
  })

  it('G24 ends a server that says more than is ever read', async () => {
    await server.force('while printf fff0; do head -c 65516 /dev/zero; done')
    expect(await refused(source().lookUp(signal))).to.match(/^repository-too-large: /)
  })

  it('names the files that it needs, and refuses those whose path ssh would read in its own way', () => {
    const url = server.urlOf(repository.bare)
    const { keyFile: sshKeyFile, knownHostsFile } = server
    for (const [auth, what] of [
      [{ knownHostsFile }, 'needs the file with a private key'],
      [{ sshKeyFile }, 'needs a file for the keys of hosts'],
      [{ sshKeyFile: '/keys/%h', knownHostsFile }, 'ssh does not accept this path'],
    ] as const)
      expect(() => openSource({ url, auth }, stateDir)).to.throw(Failure, what)
  })
})
