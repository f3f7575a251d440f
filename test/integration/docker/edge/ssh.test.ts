import { once } from 'node:events'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import ssh2 from 'ssh2'
import { loadConfig } from '../../../../lib/config.ts'
import { openEngines } from '../../../../lib/daemon.ts'
import { openClient, startsAtATime } from '../../../../lib/docker/api/client.ts'
import { openChannels } from '../../../../lib/docker/api/ssh/channels.ts'
import { connect } from '../../../../lib/docker/connect.ts'
import { endpointOf, type SiteEndpoint } from '../../../../lib/endpoint.ts'
import type { Engine } from '../../../../lib/engine.ts'
import { createLanes } from '../../../../lib/wait/lanes.ts'
import { identity } from '../../../support/builders/builders.ts'
import { configWith } from '../../../support/builders/sites.ts'
import { realEngine } from '../../../support/engine/for-each-engine.ts'
import { type SshSite, sshSite } from '../../../support/engine/ssh-site.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { testSite } from '../site.ts'

const { signal } = new AbortController()
const commandOnly = 'AllowStreamLocalForwarding no'

function engineOn(site: SiteEndpoint): Engine & Disposable {
  const engine = connect(site, async () => undefined, { starts: createLanes(startsAtATime), lingerMs: 500 })
  return { ...engine, [Symbol.dispose]: () => engine.close() }
}

const gone = ({ server }: SshSite) =>
  waitUntil('no connection is left', async () => (await server.connections()) === 0)

function endpointFor(site: SiteEndpoint) {
  const endpoint = endpointOf(site, {})
  if (endpoint.kind !== 'ssh') throw new Error(`${site.endpoint} is not an SSH address`)
  return endpoint
}

/** The site with the key of its host in place of a file of known hosts. */
function pinned({ server, site }: SshSite, port = server.port): SiteEndpoint & { readonly ssh: object } {
  const { knownHostsFile: _, ...ssh } = site().ssh
  const [, ...hostKey] = server.hostLine.split(' ')
  return { ...site({ port }), ssh: { ...ssh, hostKey: hostKey.join(' ') } }
}

/** Says which engine it is, and dies of any other call, without a word. */
async function dyingEngine(): Promise<AsyncDisposable & { readonly socket: string }> {
  const directory = await mkdtempDisposable(join(tmpdir(), 'tallyman-dying-'))
  const socket = join(directory.path, 'docker.sock')
  const about = { ApiVersion: '1.41', MinAPIVersion: '1.12', Version: '20.10.24', Os: 'linux', Arch: 'amd64' }
  const server = createHttpServer((asked, answer) => {
    const { url = '' } = asked
    // It has read all of it, so that its end is an end, and no reset.
    if (url.includes('/start')) return void asked.resume().once('end', () => asked.socket.destroy())
    answer.setHeader('content-type', 'application/json')
    answer.end(JSON.stringify(url.includes('/version') ? about : 'OK'))
  })
  await once(server.listen(socket), 'listening')
  return {
    socket,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await directory[Symbol.asyncDispose]()
    },
  }
}

describe('an engine over SSH', () => {
  it('answers many calls and streams at a time on one connection, which ends when it is closed', async () => {
    await using there = await sshSite()
    using engine = engineOn(there.site())
    const first = await engine.info(signal)
    const [open, stop] = [Promise.withResolvers<void>(), new AbortController()]
    const watching = engine.watch(identity('nowhere'), () => undefined, stop.signal, open.resolve)
    await open.promise
    expect(await Promise.all([1, 2, 3].map(() => engine.info(signal)))).to.deep.equal([first, first, first])
    expect(await there.server.connections()).to.equal(1)
    stop.abort()
    await watching
    engine.close()
    await gone(there)
  })

  it('G17 has nine channels at most of a connection (MaxSessions is ten), and what finds no room gets another', async () => {
    await using there = await sshSite()
    const channels = openChannels('store-1', endpointFor(there.site()), createLanes())
    const answering = async () => {
      const channel = channels.open(60_000)
      channel.write('GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n')
      await once(channel, 'data')
      return channel
    }
    const nine = await Promise.all(Array.from({ length: 9 }, answering))
    expect(await there.server.connections()).to.equal(1)
    const more = await Promise.all(Array.from({ length: 6 }, answering))
    expect(await there.server.connections()).to.equal(2)
    for (const channel of more) channel.destroy()
    await waitUntil('the other connection has ended', async () => (await there.server.connections()) === 1)
    await Promise.all(nine.map(channel => once(channel.destroy(), 'close')))
    expect(await channels.knock(), 'the first one is kept').to.equal(true)
    expect(await there.server.connections()).to.equal(1)
    channels.close()
    await gone(there)
  })

  it('G17 is left only when what is under way has come to its end, and nothing stays behind', async () => {
    await using there = await sshSite()
    using engine = engineOn(there.site())
    const [open, stop] = [Promise.withResolvers<void>(), new AbortController()]
    const watching = engine.watch(identity('nowhere'), () => undefined, stop.signal, open.resolve)
    await open.promise
    const asked = engine.info(signal)
    engine.close()
    expect((await asked).id).not.to.equal('')
    expect(await there.server.connections(), 'the stream is under way').to.be.greaterThan(0)
    stop.abort()
    await watching
    await gone(there)
    expect((await engine.info(signal)).id, 'a step may have more to ask').not.to.equal('')
    await gone(there)
  })

  it('is reached by "docker system dial-stdio" on a host that forwards to no socket', async () => {
    await using there = await sshSite({ settings: [commandOnly] })
    using engine = engineOn(there.site())
    expect((await engine.info(signal)).id).not.to.equal('')
  })

  it('is reached by a key that may run nothing but that command', async () => {
    await using there = await sshSite()
    const { server } = there
    const socket = new URL(there.site().endpoint).pathname
    const file = `${server.directory}/authorized_keys`
    const key = await readFile(file, 'utf8')
    await writeFile(file, `restrict,command="docker --host unix://${socket} system dial-stdio" ${key}`)
    using engine = engineOn(there.site())
    expect((await engine.info(signal)).id).not.to.equal('')
  })

  for (const most of [1, 2])
    it(`answers calls beside streams where sshd allows ${most} sessions (MaxSessions) of a connection`, async () => {
      await using there = await sshSite({ settings: [commandOnly, `MaxSessions ${most}`] })
      using engine = engineOn(there.site())
      const open = Promise.withResolvers<void>()
      const stop = new AbortController()
      const watching = engine.watch(identity('nowhere'), () => undefined, stop.signal, open.resolve)
      await open.promise
      // Two calls at a time, each of which needs a session of its own.
      expect((await engine.info(signal)).id).not.to.equal('')
      stop.abort()
      await watching
      engine.close()
      await gone(there)
    })

  it('G13 says engine-unreachable and names MaxSessions where sshd allows no session', async () => {
    await using there = await sshSite({ settings: [commandOnly, 'MaxSessions 0'] })
    using engine = engineOn(there.site())
    const { code, hint } = await failureOf(engine.info(signal))
    expect(code).to.equal('engine-unreachable')
    expect(hint).to.include('MaxSessions')
  })

  it('G17 is reached for 24 sites on one host that drops connections beyond ten (MaxStartups)', async () => {
    await using there = await sshSite({ settings: ['MaxStartups 10:100:10'] })
    const sites = Array.from({ length: 24 }, (_, index) => ({ ...there.site(), name: `store-${index + 1}` }))
    const engines = openEngines(configWith(loadConfig({ repository: '.' }, {}), { sites }))
    const ids = await Promise.all(engines.map(async engine => (await engine.info(signal)).id))
    expect(new Set(ids).size).to.equal(1)
    for (const engine of engines) engine.close()
    await gone(there)
  })

  const refused: readonly (readonly [what: string, command: string, code: string, words: RegExp])[] = [
    [
      'docker is not there',
      'exec docker-that-is-not-there system dial-stdio',
      'engine-unreachable',
      /docker is not on the PATH of .*Install Docker on 127\.0\.0\.1/,
    ],
    [
      'the user is not in the group docker',
      'echo dial unix /var/run/docker.sock: connect: permission denied >&2; exit 1',
      'engine-denied',
      /may not use the engine's socket .*usermod -aG docker/,
    ],
  ]
  for (const [what, command, code, words] of refused)
    it(`G13 says ${code} where ${what}, and what to do`, async () => {
      await using there = await sshSite({ settings: [commandOnly] })
      await there.server.force(command)
      using engine = engineOn(there.site())
      const failure = await failureOf(engine.info(signal))
      expect(failure.code).to.equal(code)
      expect(`${failure.message} ${failure.hint}`).to.match(words)
    })

  it('G13 says engine-denied where the key is not let in', async () => {
    await using there = await sshSite()
    await writeFile(`${there.server.directory}/authorized_keys`, '')
    using engine = engineOn(there.site())
    const failure = await failureOf(engine.info(signal))
    expect(failure.code).to.equal('engine-denied')
    expect(failure.hint).to.include('authorized_keys')
    await gone(there)
  })

  it('G24 is not spoken to while its host shows another key, and is again once that key is known', async () => {
    await using there = await sshSite()
    const { server } = there
    using engine = engineOn(there.site())
    await engine.info(signal)
    engine.close()
    const line = await server.replaceHostKey()
    expect((await failureOf(engine.info(signal))).code).to.equal('engine-host-changed')
    await writeFile(server.knownHostsFile, `${line}\n`)
    expect((await engine.info(signal)).id).not.to.equal('')
  })

  it('G24 is reached by one pinned key in place of a file, and by no other', async () => {
    await using there = await sshSite()
    const site = pinned(there)
    using engine = engineOn(site)
    expect((await engine.info(signal)).id).not.to.equal('')
    const own = (await readFile(`${there.server.keyFile}.pub`, 'utf8')).trim()
    using other = engineOn({ ...site, ssh: { ...site.ssh, hostKey: own } })
    expect((await failureOf(other.info(signal))).code).to.equal('engine-host-changed')
  })

  it('G17 breaks a stream at once when the connection is cut, and is reached again by the next call', async () => {
    await using there = await sshSite()
    using engine = engineOn(there.site())
    const open = Promise.withResolvers<void>()
    const ended = failureOf(engine.watch(identity('nowhere'), () => undefined, signal, open.resolve))
    await open.promise
    await there.server.signal('SIGKILL')
    expect((await ended).code).to.equal('engine-unreachable')
    expect((await engine.info(signal)).id).not.to.equal('')
  })
})

describe('steps over SSH', () => {
  for (const [way, settings] of [
    ['forwarded to', []],
    ['reached by "docker system dial-stdio"', [commandOnly]],
  ] as const)
    it(`G12 G17 is known to be gone as soon as it dies in the middle of a call (${way})`, async () => {
      await using dying = await dyingEngine()
      await using there = await sshSite({ socket: dying.socket, settings })
      const client = openClient(there.site(), async () => undefined)
      const asked = client.call({ method: 'POST', path: '/containers/web/start', limitMs: 10_000 }, signal)
      const { code, message } = await failureOf(asked)
      expect(code).to.equal('engine-unreachable')
      expect(message).to.equal('store-1: socket hang up')
      client.close()
      await gone(there)
    })

  it('G15 pull images, bring files into containers, run them, check them and take their output', async () => {
    await using there = await sshSite()
    await using site = await testSite(realEngine, there.site())
    const files = [{ path: '/etc/app/long', content: 'x'.repeat(3_000_000), mode: 0o444 }]
    const image = await site.push({ cmd: ['sh', '-c', 'wc -c < /etc/app/long'] })
    expect(await site.outputOf(image, { files })).to.equal('3000000\n')
    const check = { kind: 'command', test: ['CMD', 'true'], intervalMs: 100 } as const
    const place = { suffix: '.checked' }
    const { container } = await site.create(await site.push(), { healthcheck: check }, place)
    await site.run(
      { do: 'start-container', container },
      { do: 'await-healthy', container, healthyMs: 60_000, timeoutMs: 30_000 },
    )
    expect(await there.server.connections()).to.equal(1)
  })
})

describe('a host that does nothing', () => {
  const limits = { loginMs: 300, silenceMs: 60_000, channelMs: 300, knockMs: 300 }
  const failing = async (channels: ReturnType<typeof openChannels>) => {
    const [error] = await once(channels.open(60_000), 'error')
    return error
  }

  /** Logs in at a server that says this and nothing more. */
  const loggedInAt = async (greeting: string) => {
    await using there = await sshSite()
    const server = createServer(socket => {
      socket.on('error', () => undefined).resume()
      socket.write(greeting)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const error = await failing(
      openChannels('store-1', endpointFor(there.site({ port })), createLanes(), limits),
    )
    const closed = once(server, 'close')
    server.close()
    await closed
    expect(error).to.have.property('code', 'engine-unreachable')
    expect(error.message).to.match(/the SSH server does not say who it is within 0\.3 s/)
  }

  it('G12 G13 is given up before it greets', () => loggedInAt(''))

  it('G12 G13 is given up after it has greeted', () => loggedInAt('SSH-2.0-OpenSSH_9.9\r\n'))

  it('G13 names MaxStartups where it closes the connection before it greets', async () => {
    await using there = await sshSite()
    const server = createServer(socket => void socket.on('error', () => undefined).end())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const channels = openChannels('store-1', endpointFor(there.site({ port })), createLanes(), limits)
    expect(await failing(channels))
      .to.have.property('hint')
      .that.includes('MaxStartups')
    server.close()
  })

  for (const [what, name, words] of [
    ['goes away', 'SIGKILL', /the SSH connection broke off/],
    [
      'falls silent, as if the network were cut',
      'SIGSTOP',
      /the SSH connection broke off \(Keepalive timeout\)/,
    ],
  ] as const)
    it(`G12 G13 loses what is under way when it ${what}`, async () => {
      await using there = await sshSite()
      const channels = openChannels('store-1', endpointFor(there.site()), createLanes(), {
        loginMs: 10_000,
        silenceMs: 2_000,
        channelMs: 10_000,
        knockMs: 10_000,
      })
      expect(await channels.knock()).to.equal(true)
      const waiting = channels.open(60_000)
      // The engine waits for the rest of it.
      waiting.write('GET /_ping HTTP/1.1\r\n')
      const failed = once(waiting, 'error')
      await there.server.signal(name)
      const [error] = await failed
      expect(error).to.have.property('code', 'ECONNRESET')
      expect(error.message).to.match(words)
      channels.close()
      if (name === 'SIGSTOP') await there.server.signal('SIGCONT')
      await gone(there)
    })

  it('G12 G13 is given up after it has let us in, and reached once it does something again', async () => {
    await using there = await sshSite()
    const { server } = there
    const channels = openChannels('store-1', endpointFor(there.site()), createLanes(), {
      ...limits,
      loginMs: 10_000,
      knockMs: 10_000,
    })
    expect(await channels.knock()).to.equal(true)
    await server.signal('SIGSTOP')
    const error = await failing(channels)
    expect(error).to.have.property('code', 'engine-unreachable')
    expect(error.message).to.match(/let us in, and then opened no channel within 0\.3 s/)
    await server.signal('SIGCONT')
    expect(await channels.knock()).to.equal(true)
    channels.close()
    await gone(there)
  })

  describe('but answers whether it is there, more often than it has to', () => {
    // It is asked four times in 1.6 s, and would be lost by then.
    const often = { loginMs: 10_000, silenceMs: 1_600, channelMs: 2_000, knockMs: 10_000 }

    it('G12 G13 is given up when no channel is open in time', async () => {
      await using there = await sshSite()
      const hostKey = await readFile(`${there.server.directory}/host_key`)
      const server = new ssh2.Server({ hostKeys: [hostKey] }, client =>
        client
          .on('error', () => undefined)
          .on('authentication', asked => asked.accept())
          // Who listens to this answers it, or does not.
          .on('openssh.streamlocal', () => undefined),
      )
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const channels = openChannels('store-1', endpointFor(pinned(there, port)), createLanes(), often)
      const error = await failing(channels)
      expect(error).to.have.property('code', 'engine-unreachable')
      expect(error.message).to.match(/let us in, and then opened no channel within 2 s/)
      channels.close()
      server.close()
    })

    it('G12 G13 an engine behind it that says nothing has no longer than without', async () => {
      await using there = await sshSite({ settings: [commandOnly] })
      await there.server.force('exec cat > /dev/null')
      const channels = openChannels('store-1', endpointFor(there.site()), createLanes(), often)
      const channel = channels.open(2_000)
      channel.write('GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n')
      const told = await Promise.race([
        once(channel, 'timeout').then(() => 'nothing came in time'),
        once(channel, 'error').then(([error]) => error.message),
      ])
      expect(told).to.equal('nothing came in time')
      channel.destroy()
      channels.close()
      await gone(there)
    })
  })
})
