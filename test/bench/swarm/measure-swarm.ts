import { engineCall } from '../../support/engine/engine-call.ts'
import { beginSwarm, startSwarmEngine } from '../../support/engine/swarm.ts'
import type { GitServer } from '../../support/git/git-server.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { comparison, type Goal } from '../report/comparison.ts'
import { median, timed } from '../report/statistics.ts'
import { looksOf, type Subject } from '../report/subject.ts'
import { duration, type Row } from '../report/table.ts'
import { all, manifestOf, type Workload } from '../report/workload.ts'
import { type DaemonSubject, tallymanDaemon } from '../tallyman.ts'
import { bareServices, hasEnded, stackDeploy } from './swarm-services.ts'

export type SwarmInput = {
  readonly gitServer: GitServer
  readonly services: number
  readonly rounds: number
  readonly images: readonly [PushedImage, PushedImage]
  readonly say: (line: string) => void
}

/** `docker stack deploy` takes minutes where nothing changes: it waits for one service after the other. */
type Compared = {
  readonly open: () => Promise<Subject & Partial<Pick<DaemonSubject, 'lookUp'>>>
  readonly looks: number
}

/**
 * `ended`: how long it took to replace all, until nothing runs any more that was replaced. `lookUp`: how long the git
 * server took each time for what the daemon asks it before a pass.
 */
type Times = Readonly<Record<'create' | 'replace' | 'ended' | 'look' | 'lookUp', readonly number[]>>

const looks = 20
const mostLookMs = 30
const concurrency = 8

const goal: Goal = { most: 1.1, why: 'the Swarm does the same work for both, in its own time' }

/**
 * The same services on a Swarm of one node by the daemon, by bare calls to its manager, and by `docker stack deploy`
 * where that can wait, in turns.
 */
export async function measureSwarm(input: SwarmInput): Promise<readonly Row[]> {
  const { gitServer, services, rounds, images, say } = input
  await using engine = await startSwarmEngine()
  const { socket } = engine
  await beginSwarm(socket)
  for (const { pinned } of images)
    await engineCall(socket, 'POST', `/images/create?fromImage=${encodeURIComponent(pinned)}`)
  const site = { name: 'cluster', endpoint: `unix://${socket}`, kind: 'swarm' }
  const sites = [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }]
  const files = (workload: Workload) => ({ 'manifest.json': manifestOf(workload) })
  const stack = await stackDeploy(socket)
  const daemon = () => tallymanDaemon({ dockerSocket: socket, gitServer }, '0s', { files, config: { sites } })
  const subjects: Readonly<Record<string, Compared>> = {
    daemon: { open: daemon, looks },
    calls: { open: () => bareServices(socket, concurrency), looks },
    ...(stack === undefined ? {} : { stack: { open: stack, looks: 0 } }),
  }
  const times = new Map<string, Times>()
  for (let round = 1; round <= rounds; round++)
    for (const [name, compared] of Object.entries(subjects)) {
      const measured = await turn(socket, compared, images, services)
      const said = Object.values(measured)
        .filter(all => all.length > 0)
        .map(all => duration(median(all)))
        .join(', ')
      say(`round ${round} of ${rounds}, ${name} on a Swarm: ${said}`)
      times.set(name, joined(times.get(name), measured))
    }
  return rowsOf(times, services)
}

async function turn(
  socket: string,
  { open, looks }: Compared,
  [before, after]: SwarmInput['images'],
  services: number,
): Promise<Times> {
  await using subject = await open()
  const create = await subject.bring(all(before, services))
  const replace = await subject.bring(all(after, services))
  const rest = await timed(() => hasEnded(socket, before))
  const { look, lookUp } = await looksOf(subject, all(after, services), looks)
  return { create: [create], replace: [replace], ended: [replace + rest], look, lookUp }
}

function joined(before: Times | undefined, more: Times): Times {
  if (before === undefined) return more
  return {
    create: [...before.create, ...more.create],
    replace: [...before.replace, ...more.replace],
    ended: [...before.ended, ...more.ended],
    look: [...before.look, ...more.look],
    lookUp: [...before.lookUp, ...more.lookUp],
  }
}

function rowsOf(times: ReadonlyMap<string, Times>, services: number): readonly Row[] {
  const [daemon, calls, stack] = ['daemon', 'calls', 'stack'].map(name => times.get(name))
  const bare = `calls to the manager, ${concurrency} at once`
  const deploy = 'docker stack deploy --detach=false'
  const lookUp = median(daemon?.lookUp ?? [])
  const look = median(daemon?.look ?? []) - lookUp
  const [create, replace, ended] = [
    `a Swarm: ${services} services from nothing`,
    `a Swarm: replacing all ${services}`,
    `a Swarm: replacing all ${services}, until what was replaced has ended`,
  ]
  return [
    comparison(create, daemon?.create, calls?.create, bare, stack === undefined ? goal : undefined),
    comparison(create, daemon?.create, stack?.create, deploy, goal),
    comparison(replace, daemon?.replace, calls?.replace, bare, stack === undefined ? goal : undefined),
    comparison(replace, daemon?.replace, stack?.replace, deploy, goal),
    comparison(ended, daemon?.ended, calls?.ended, `${bare}, and a wait for that`),
    comparison(ended, daemon?.ended, stack?.ended, `${deploy}, and a wait for that`),
    {
      what: 'a Swarm: no change, pass of the daemon without the answer of the git server',
      measured: duration(look),
      beside: `two list calls: ${duration(median(calls?.look ?? []))}; the git server: ${duration(lookUp)}`,
      goal: `≤ ${mostLookMs} ms`,
      reached: look <= mostLookMs,
    },
  ]
}
