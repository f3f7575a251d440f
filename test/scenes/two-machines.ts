import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { createTallyman, type StatusDocument } from '../support/command/tallyman.ts'
import { engineGet } from '../support/engine/engine-call.ts'
import { httpCall } from '../support/network/http-call.ts'
import { sideBySide } from '../support/suite/side-by-side.ts'
import { waitUntil } from '../support/time/wait-until.ts'
import { type AnyScene, type Scene, service } from './scene.ts'

/** A minute is six seconds, and the other times are shorter by as much. */
const pace = { lookMs: 1_000, waitMs: 200, deadMs: 6_000, freshMs: 500, leaseMs: 3_000 }
const daemonFile = join(import.meta.dirname, '../support/command/paced-daemon.ts')

/** What the tests need of a scene. */
type SharedScene = Omit<AnyScene, 'tallyman'> & Pick<Scene, 'config'> & AsyncDisposable

/** The same tests for scenes on a simulated engine and on a real one. */
export function testTwoMachines(createScene: () => Promise<SharedScene>): void {
  const it = sideBySide()

  it('D17 begin at the same time, one of them writes, and the other one takes over when that one ends or is killed', async () => {
    await using stack = new AsyncDisposableStack()
    const scene = stack.use(await createScene())
    await Promise.all(['1', '2', '3'].map(tag => scene.push('web', tag, { env: { V: tag } })))
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const both = [stack.use(await machine(scene)), stack.use(await machine(scene))]
    const writing = async () => {
      for (const one of both) {
        const seen = await one.status()
        if (seen?.sync === 'Synced' && !seen.errors.some(isRival)) return one
      }
      return undefined
    }
    const holder = await waitUntil('one of them writes', writing)
    const other = both.find(one => one !== holder)
    if (other === undefined) throw new Error('there are two')
    const { message = '' } = await other.rival()
    expect(message).to.include(`, pid ${holder.pid} on `)
    expect(message).to.match(/ since \d{4}-\d\d-\d\dT\S+Z; this one only observes$/)
    expect((await scene.containers()).length).to.equal(1)

    await holder.signal('SIGTERM')
    expect((await claimsOn(scene)).filter(isNumbered).length).to.be.lessThan(2)
    const second = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await other.until('it takes over', seen => seen.revision?.commit === second && seen.sync === 'Synced')

    const third = stack.use(await machine(scene))
    await third.rival()
    await other.signal('SIGKILL')
    const commit = await scene.commit({ services: [service('web', '3')], skipConfirmation: true })
    await third.until('it takes over', seen => seen.revision?.commit === commit && seen.sync === 'Synced')
    await third.signal('SIGTERM')
    // What says that they wrote stays.
    expect((await claimsOn(scene)).filter(name => !name.includes('-wrote-'))).to.deep.equal([])
  })

  it('D17 do not undo each other when the first one was stopped, is taken over, and goes on', async () => {
    await using stack = new AsyncDisposableStack()
    const scene = stack.use(await createScene())
    await Promise.all(['1', '2'].map(tag => scene.push('web', tag, { env: { V: tag } })))
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    const first = stack.use(await machine(scene))
    await first.until('it is deployed', seen => seen.sync === 'Synced')
    const second = stack.use(await machine(scene))
    await second.rival()
    await first.signal('SIGSTOP')
    const commit = await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await second.until('it takes over', seen => seen.revision?.commit === commit && seen.sync === 'Synced')
    const [before] = await scene.containers()
    await first.signal('SIGCONT')
    const { message = '' } = await first.rival()
    expect(message).to.include(`, pid ${second.pid} on `)
    expect((await scene.containers()).map(({ id }) => id)).to.deep.equal([before?.id])
  })
}

/** A daemon that shares nothing with this machine but the socket of the engine and the repository. */
async function machine(scene: SharedScene) {
  await using stack = new AsyncDisposableStack()
  const place = stack.use(await createTallyman(scene.config, scene.dockerSocket))
  const daemon = [process.execPath, daemonFile, join(place.directory, 'tallyman.yaml'), JSON.stringify(pace)]
  // Neither sockets nor locks of this machine are seen there.
  const alone = 'mkdir -p /run/tallyman && mount -t tmpfs none /run/tallyman && exec "$@"'
  const there = ['unshare', '--net', '--mount', 'sh', '-c', alone, 'sh']
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...there, ...daemon], {
    cwd: place.directory,
    env: place.variables,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit')
  stack.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const status = async (): Promise<StatusDocument | undefined> => {
    const asked = { socketPath: join(place.stateDir, 'control.sock'), path: '/api/v1/environments' }
    const answer = await httpCall({ ...asked, method: 'GET', headers: {} }).catch(() => undefined)
    return answer === undefined ? undefined : JSON.parse(answer.body.toString())[0]
  }
  const until = (what: string, check: (status: StatusDocument) => unknown) =>
    waitUntil(what, async () => {
      const seen = await status()
      return seen !== undefined && seen.running === undefined && check(seen) ? seen : undefined
    })
  const parts = stack.move()
  return {
    pid: child.pid,
    status,
    until,
    async rival() {
      const { errors } = await until('it only observes', seen => seen.errors.some(isRival))
      return errors.find(isRival) ?? { message: undefined }
    },
    /** Resolves when it has ended, if the signal ends it. */
    async signal(name: NodeJS.Signals) {
      child.kill(name)
      if (name === 'SIGTERM' || name === 'SIGKILL') await ended
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

const isRival = ({ code }: { readonly code: string }) => code === 'another-writer'

/** Whether it is the name of a claim itself. Those of marks end with a UUID, whose last digits may all be decimal. */
function isNumbered(name: string): boolean {
  return /^tallyman-claim-[\da-f]{32}-\d+$/.test(name)
}

/** The names of the volumes of claims on the environment. */
async function claimsOn({ dockerSocket, environment }: SharedScene): Promise<readonly string[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: ['tallyman.claim'] }))
  const { Volumes }: { Volumes: readonly Record<string, Record<string, string>>[] | null } = JSON.parse(
    JSON.stringify(await engineGet(dockerSocket, `/volumes?filters=${filters}`)),
  )
  const own = (Volumes ?? []).filter(({ Labels = {} }) =>
    (Labels['tallyman.claim.of'] ?? '').includes(environment),
  )
  return own.map(({ Name }) => String(Name))
}
