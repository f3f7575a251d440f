import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createWriter } from '../../lib/writer.ts'
import { identity } from '../support/builders/builders.ts'

/** No other test has this engine. */
const engine = `engine-${process.pid}`
const prod = identity('prod')
/** Where the writer is to be found, as it says itself. */
const here = `pid ${process.pid} on ${hostname()}`
const nobody = 65534

describe('the writer of an environment', () => {
  let locks: string
  /** As the socket of an engine is: root's, and the group's. */
  let door: { readonly id: string; readonly socket: string }

  before(async () => {
    locks = await mkdtemp(join(tmpdir(), 'tallyman-locks-'))
    const socket = join(locks, 'engine.sock')
    writeFileSync(socket, '')
    chmodSync(socket, 0o660)
    chownSync(socket, 0, 61_234)
    door = { id: engine, socket }
  })
  after(() => rm(locks, { recursive: true }))

  it('D17 is one on each engine, and the second is told who it is', async () => {
    await using stack = new AsyncDisposableStack()
    const [first, second] = [createWriter(locks), createWriter(locks)]
    stack.defer(() => first.release())
    stack.defer(() => second.release())
    const moved = { ...prod, address: 'https://code.example.org/ops/manifests' }
    expect(await first.claim(first, prod, [{ id: engine }])).to.deep.equal({ isOurs: true })
    expect(await first.claim(first, prod, [{ id: engine }])).to.deep.equal({ isOurs: true })
    expect(await second.claim(second, moved, [{ id: engine }])).to.deep.equal({
      isOurs: false,
      rival: { ...prod, who: here },
    })
    await first.release()
    expect(await second.claim(second, moved, [{ id: engine }])).to.deep.equal({ isOurs: true })
  })

  it('D17 is another one once the first has left that engine, and stays the first on its other engines', async () => {
    await using stack = new AsyncDisposableStack()
    const [first, second] = [createWriter(locks), createWriter(locks)]
    stack.defer(() => first.release())
    stack.defer(() => second.release())
    const stays = { id: `${engine}-stays` }
    await first.claim(first, prod, [{ id: engine }, stays])
    await first.leave(second, engine)
    expect(await second.claim(second, prod, [{ id: engine }])).to.have.property('isOurs', false)
    await first.leave(first, engine)
    expect(await second.claim(second, prod, [{ id: engine }])).to.deep.equal({ isOurs: true })
    expect(await second.claim(second, prod, [stays])).to.have.property('isOurs', false)
  })

  it('D17 may be asked for several times at once, also of several engines, and each answer is true', async () => {
    await using stack = new AsyncDisposableStack()
    const [first, second] = [createWriter(locks), createWriter(locks)]
    stack.defer(() => first.release())
    stack.defer(() => second.release())
    const engines = [{ id: engine }, { id: `${engine}-other` }]
    await first.claim(first, prod, engines)
    const claims = () =>
      Promise.all([...engines, ...engines].map(async one => (await second.claim(second, prod, [one])).isOurs))
    expect(await claims()).to.deep.equal([false, false, false, false])
    await first.release()
    expect(await claims()).to.deep.equal([true, true, true, true])
    const [, , claimed] = await Promise.all([
      second.leave(second, engine),
      second.release(),
      first.claim(first, prod, engines),
    ])
    expect(claimed.isOurs, 'what was given up is free').to.equal(true)
  })

  it('D17 leaves alone another environment, another repository and another engine', async () => {
    await using stack = new AsyncDisposableStack()
    const [first, second] = [createWriter(locks), createWriter(locks)]
    stack.defer(() => first.release())
    stack.defer(() => second.release())
    await first.claim(first, prod, [{ id: engine }])
    for (const [other, ...doors] of [
      [identity('stage'), { id: engine }],
      [{ ...prod, source: 'team/shop' }, { id: engine }],
      [prod, { id: `${engine}-2` }],
    ] as const)
      expect(await second.claim(second, other, doors)).to.deep.equal({ isOurs: true })
  })

  it('D17 is one of two environments that are called the same, also within one process', async () => {
    await using stack = new AsyncDisposableStack()
    const writer = createWriter(locks)
    stack.defer(() => writer.release())
    await writer.claim({}, prod, [{ id: engine }])
    expect(
      await writer.claim({}, { ...prod, directory: 'a/environments/prod' }, [{ id: engine }]),
    ).to.deep.equal({
      isOurs: false,
      rival: { ...prod, who: here },
    })
  })

  it('D17 stays the same when its directory moves, and says where it is then', async () => {
    await using stack = new AsyncDisposableStack()
    const [first, second] = [createWriter(locks), createWriter(locks)]
    stack.defer(() => first.release())
    const moved = { ...prod, directory: 'deploy/environments/prod' }
    await first.claim(first, prod, [{ id: engine }])
    expect(await first.claim(first, moved, [{ id: engine }])).to.deep.equal({ isOurs: true })
    expect(await second.claim(second, prod, [{ id: engine }])).to.deep.equal({
      isOurs: false,
      rival: { ...moved, who: here },
    })
  })

  it('D17 may have a name of any length', async () => {
    await using stack = new AsyncDisposableStack()
    const writer = createWriter(locks)
    stack.defer(() => writer.release())
    const long = identity('e'.repeat(63))
    expect(
      await writer.claim({}, { ...long, source: 's'.repeat(200) }, [{ id: engine.padEnd(100, 'x') }]),
    ).to.deep.equal({
      isOurs: true,
    })
  })

  describe('when another user is first to take its name', () => {
    before(function () {
      if (process.getuid?.() !== 0) this.skip()
    })

    it('D17 keeps a file locked only as long as it has not got the name', async () => {
      await using stack = new AsyncDisposableStack()
      const writer = createWriter(locks)
      stack.defer(() => writer.release())
      const openFiles = () =>
        readdirSync('/proc/self/fd').filter(one => linkOf(one)?.startsWith(`${locks}/`)).length
      const stranger = stack.adopt(await squat(['setpriv', `--reuid=${nobody}`, '--clear-groups']), end)
      await writer.claim(writer, prod, [door])
      expect(openFiles()).to.equal(1)
      await end(stranger)
      await writer.claim(writer, prod, [door])
      expect(openFiles()).to.equal(0)
      await writer.claim(writer, prod, [door])
      expect(openFiles()).to.equal(0)
    })

    for (const [who, as] of [
      ['a user of no rights', ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']],
      [
        'one who is root in a namespace of their own',
        ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', 'unshare', '--user', '-r'],
      ],
    ] as const)
      it(`D17 is not stopped by ${who}, says who it is, and is still the only one`, async () => {
        await using stack = new AsyncDisposableStack()
        const [first, second] = [createWriter(locks), createWriter(locks)]
        stack.defer(() => first.release())
        stack.defer(() => second.release())
        const stranger = stack.adopt(await squat(as), end)
        expect(await first.claim(first, prod, [door])).to.deep.equal({
          isOurs: true,
          strangers: [`pid ${stranger.pid} (squatter) of uid ${nobody}`],
        })
        expect(await second.claim(second, prod, [door])).to.deep.equal({ isOurs: false })
        await end(stranger)
        expect(await second.claim(second, prod, [door])).to.deep.equal({ isOurs: false })
        expect(await first.claim(first, prod, [door]), 'takes the name').to.deep.equal({ isOurs: true })
        expect(await second.claim(second, prod, [door])).to.deep.include({
          isOurs: false,
          rival: { ...prod, who: here },
        })
      })

    for (const [who, as, uid] of [
      ['of the group of the socket', ['--reuid=1234', '--regid=1234', '--groups=61234'], 1234],
      ['that is root', ['--reuid=0', '--regid=0', '--clear-groups'], 0],
      [
        'that root gave capabilities',
        [
          '--reuid=1234',
          '--regid=1234',
          '--clear-groups',
          '--inh-caps=+dac_override',
          '--ambient-caps=+dac_override',
        ],
        1234,
      ],
    ] as const)
      it(`D17 observes beside a process ${who}, even one that does not answer`, async () => {
        await using stack = new AsyncDisposableStack()
        const writer = createWriter(locks)
        stack.defer(() => writer.release())
        const name = await nameOfIt()
        const other = stack.adopt(await squat(['setpriv', ...as], 'hangs'), end)
        expect(await writer.claim(writer, prod, [door])).to.deep.equal({
          isOurs: false,
          silent: { name, holders: [`pid ${other.pid} (squatter) of uid ${uid}`] },
        })
        await end(other)
        expect(await writer.claim(writer, prod, [door])).to.deep.equal({ isOurs: true })
      })

    it('D17 observes where the engine is reached over TCP, or no lock can be had', async () => {
      await using stack = new AsyncDisposableStack()
      const [remote, lockless] = [createWriter(locks), createWriter('/proc/locks')]
      stack.defer(() => remote.release())
      stack.defer(() => lockless.release())
      stack.adopt(await squat(['setpriv', `--reuid=${nobody}`, '--clear-groups']), end)
      expect((await remote.claim(remote, prod, [{ id: engine }])).isOurs).to.equal(false)
      expect((await lockless.claim(lockless, prod, [door])).isOurs).to.equal(false)
    })

    it('D17 takes no lock in a directory that everybody may write to', async () => {
      await using stack = new AsyncDisposableStack()
      const open = await mkdtemp(join(tmpdir(), 'tallyman-locks-'))
      stack.defer(() => rm(open, { recursive: true }))
      chmodSync(open, 0o777)
      const writer = createWriter(open)
      stack.defer(() => writer.release())
      stack.adopt(await squat(['setpriv', `--reuid=${nobody}`, '--clear-groups']), end)
      expect((await writer.claim(writer, prod, [door])).isOurs).to.equal(false)
    })

    /** Takes the name as a user can who saw it while a writer had it. */
    async function squat(
      as: readonly string[],
      answer: 'answers' | 'hangs' = 'answers',
    ): Promise<ChildProcess> {
      const name = await nameOfIt()
      const [program = 'setpriv', ...words] = as
      const hang = answer === 'hangs' ? 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)' : ''
      const code = `process.title = 'squatter'; require('net').createServer(s => s.end()).listen('\\0${name}', () => { require('fs').writeSync(1, 'ready'); ${hang} })`
      // By its descriptor and from the root: a stranger may not be allowed into the directory of this checkout.
      const node = openSync(process.execPath, 'r')
      const child = spawn(program, [...words, '/proc/self/fd/3', '-e', code], {
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit', node],
      })
      closeSync(node)
      const { stdout } = child
      if (stdout === null) throw new Error('it says nothing')
      const isReady = await Promise.race([
        once(stdout, 'data').then(() => true),
        once(child, 'exit').then(() => false),
      ])
      if (!isReady) throw new Error(`${words.join(' ')}: ended at once`)
      return child
    }

    async function nameOfIt(): Promise<string> {
      const writer = createWriter(locks)
      const names = () => [...(readFileSync('/proc/net/unix', 'utf8').match(/(?<=@)tallyman\/\S+/g) ?? [])]
      const before = names()
      await writer.claim(writer, prod, [door])
      const [name = ''] = names().filter(one => !before.includes(one))
      await writer.release()
      return name
    }

    async function end(child: ChildProcess): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })
})

/** Where an open file of this process is; undefined: it is closed by now. */
function linkOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return undefined
  }
}
