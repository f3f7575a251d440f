import { expect } from 'chai'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { mapContainers } from '../../../lib/state/application/members.ts'
import type { LiveState } from '../../../lib/state/running/live.ts'
import type { Limits, Settings } from '../../../lib/state/running/settings.ts'
import {
  changed,
  desired,
  digest,
  live,
  type ServiceParts,
  without,
} from '../../support/builders/builders.ts'
import { courseOf, onlyChange, planOf, type Situation, told } from '../../support/builders/planning.ts'

const MiB = 2 ** 20

const limits = {
  memoryBytes: 64 * MiB,
  memoryReservationBytes: 16 * MiB,
  memorySwapBytes: 96 * MiB,
  nanoCpus: 500_000_000,
  cpuset: '0-1',
  cpuShares: 512,
  pidsLimit: 50,
}

/** `web`, which may use 64 MiB, half a CPU and 50 processes. */
function limited(parts: ServiceParts = {}): DesiredState {
  const state = desired({ replicas: 2, ...parts })
  return {
    ...state,
    applications: state.applications.map(application =>
      mapContainers(application, container => ({ ...container, ...limits })),
    ),
  }
}

const asSet: Limits = { restart: { name: 'unless-stopped' }, ...limits }

/** What an engine says of `web` when nobody changed it. */
function settings(limits: Partial<Limits> = {}, aliases: Settings['aliases'] = { prod: ['web'] }): Settings {
  return { limits: { ...asSet, ...limits }, aliases }
}

const wanted = limited()
const running = live(wanted)

/** `start (drifted: paused)`, what is prepared, and what is done. */
function way(state: LiveState, situation: Partial<Situation> = {}): readonly string[] {
  const change = onlyChange(planOf({ desired: wanted, live: state, applied: wanted, ...situation }))
  return [
    `${change.action} (${change.cause}: ${change.reason})`,
    ...told([change.prepare], running)
      .map(step => `prepare: ${step}`)
      .filter(step => step !== 'prepare: '),
    ...told(courseOf(change), running),
  ]
}

const reasons = (state: LiveState, of: DesiredState = wanted) =>
  planOf({ desired: of, live: state, applied: of }).changes.map(({ reason }) => reason)

describe('what somebody changes on a container that runs', () => {
  it('G2 is nothing where the engine holds it to what we set, whatever else it says', () => {
    const same = settings({}, { prod: ['web', 'of-somebody'], other: [] })
    expect(reasons(changed(running, 'web.1', { settings: same }))).to.deep.equal([])
    const plain = desired({})
    const more = { limits: { ...asSet, memoryBytes: 5 * MiB }, aliases: { prod: ['web'] } }
    expect(reasons(changed(live(plain), 'web.1', { settings: more }), plain)).to.deep.equal([])
  })

  it('G2 is nothing where the engine keeps no such limit at all', () => {
    const { restart } = asSet
    const kept = { limits: { restart }, aliases: { prod: ['web'] } }
    expect(reasons(changed(running, 'web.1', { settings: kept }))).to.deep.equal([])
  })

  for (const [altered, reason] of [
    [{ memoryBytes: 32 * MiB }, 'memory changed from 64 MiB to 32 MiB'],
    [{ memoryBytes: 32 * MiB + 1 }, 'memory changed from 64 MiB to 33554433 bytes'],
    [{ memoryReservationBytes: 8 * MiB }, 'memory reservation changed from 16 MiB to 8 MiB'],
    [{ memorySwapBytes: 64 * MiB }, 'memory and swap changed from 96 MiB to 64 MiB'],
    [{ cpuset: '0' }, 'cpuset changed from 0-1 to 0'],
    [{ cpuShares: 2 }, 'cpu shares changed from 512 to 2'],
    [{ nanoCpus: 2_000_000_000 }, 'cpus changed from 0.5 to 2'],
    [{ pidsLimit: -1 }, 'pids limit changed from 50 to -1'],
    [
      { restart: { name: 'on-failure', maxRetries: 3 } },
      'restart policy changed from unless-stopped to on-failure:3',
    ],
  ] as const)
    it(`D9 is undone on it, and it goes on: ${reason}`, () => {
      expect(way(changed(running, 'web.2', { settings: settings(altered) }))).to.deep.equal([
        `start (drifted: ${reason})`,
        'update-container web.2@1',
      ])
    })

  it('D9 sets all that we set, and nothing else', () => {
    const change = onlyChange(
      planOf({
        desired: wanted,
        live: changed(running, 'web.1', { settings: settings({ nanoCpus: 1, memoryBytes: MiB }) }),
        applied: wanted,
      }),
    )
    expect(change.stages.flat()).to.deep.equal([
      { do: 'update-container', container: running.containers[0]?.engineName, limits: asSet },
    ])
  })

  it('D9 is seen on every container of an instance, its sandbox as well', () => {
    const pod = limited({ replicas: 1, beside: ['log'], inSandbox: true })
    const state = live(pod)
    const told = state.containers.map(({ engineName }) => {
      const containers = state.containers.map(one =>
        one.engineName === engineName ? { ...one, settings: settings({ pidsLimit: 7 }) } : one,
      )
      return reasons({ ...state, containers }, pod)
    })
    expect(told).to.deep.equal(Array(3).fill(['pids limit changed from 50 to 7']))
  })

  it('D9 is attached anew where others do not reach it by its name any more', () => {
    expect(way(changed(running, 'web.1', { settings: settings({}, { prod: [] }) }))).to.deep.equal([
      'start (drifted: not reached by its name on network prod)',
      'connect-network web.1@1 prod',
      'await-healthy web.1@1',
    ])
  })

  it('A47 is taken from a network that somebody attached it to', () => {
    expect(way(changed(running, 'web.1', { networks: ['bridge', 'prod'] }))).to.deep.equal([
      'start (drifted: attached to network bridge)',
      'disconnect-network web.1@1 bridge',
    ])
  })

  it('D9 is only told where drift is to be reported', () => {
    const altered = changed(running, 'web.1', { settings: settings({ pidsLimit: 7 }) })
    const { held } = onlyChange(
      planOf({ desired: wanted, live: altered, applied: wanted, rules: { drift: 'report' } }),
    )
    expect(held?.code).to.equal('drift-reported')
  })
})

describe('a stopped container whose network is gone', () => {
  const stopped = { state: 'exited', exitCode: 137, networks: [] } as const

  it('D9 is attached to the network, made anew where nobody did, before it is started', () => {
    const attached = ['connect-network web.1@1 prod', 'start-container web.1@1', 'await-healthy web.1@1']
    const reason = 'start (drifted: stopped (exit code 137); detached from network prod)'
    const state = changed(running, 'web.1', stopped)
    expect(way(state)).to.deep.equal([reason, ...attached])
    expect(way(state, { networks: [] })).to.deep.equal([reason, 'prepare: create-network prod', ...attached])
  })

  it('D9 X5 is so with a sandbox, whose instance is started again as a whole', () => {
    const pod = limited({ replicas: 1, beside: ['log'], inSandbox: true })
    const state = live(pod)
    const containers = state.containers.map(one => (one.role === 'sandbox' ? { ...one, ...stopped } : one))
    const { stages } = onlyChange(planOf({ desired: pod, live: { ...state, containers }, applied: pod }))
    const [first] = told(stages, state)
    expect(first).to.equal('connect-network web.1@1 prod')
  })
})

describe('a container made from another image', () => {
  it('E26 is replaced, whatever its labels and its tag say', () => {
    const [first, ...others] = way(changed(running, 'web.1', { isFromOtherImage: true }))
    expect(first).to.equal('replace (drifted: its image was replaced)')
    expect(others.join('; ')).to.include('remove-container web.1@1')
  })

  it('E26 is replaced, where only the engine knows the image', () => {
    const pin = { state: 'unverified', imageId: digest('a') } as const
    const local = desired({ pin })
    const same = changed(live(local), 'web.1', { imageId: digest('a') })
    expect(reasons(same, local)).to.deep.equal([])
    const other = changed(live(local), 'web.1', { imageId: digest('b') })
    expect(reasons(other, local)).to.deep.equal(['its image was replaced'])
  })
})

describe('a container of ours under another name', () => {
  const nameOf = (number: number) => running.containers[number - 1]?.engineName ?? ''
  const renamed = (state: LiveState, name: string, engineName: string): LiveState =>
    changed(state, name, { engineName })

  it('D9 gets its name back before anything else is done', () => {
    expect(way(renamed(running, 'web.2', 'mine'))).to.deep.equal([
      'start (drifted: renamed to mine)',
      'prepare: rename-container web.2@1',
    ])
  })

  it('D9 makes room for the instance whose name it took', () => {
    const [first, ...steps] = way(renamed(without(running, 'web.1'), 'web.2', nameOf(1)))
    expect(first).to.equal(`start (drifted: renamed to ${nameOf(1)}; instances missing)`)
    expect(steps.filter(step => !step.includes('pull-image'))).to.deep.equal([
      'create-container web.1@1',
      'start-container web.1@1',
      'await-healthy web.1@1',
    ])
    expect(steps[0]).to.match(/^prepare: pull-image .*, rename-container web\.2@1$/)
  })

  it('D9 is worked on under its own name, and found by its id', () => {
    const stopped = { state: 'exited', exitCode: 1, engineName: 'mine' } as const
    const { prepare, stages } = onlyChange(
      planOf({ desired: wanted, live: changed(running, 'web.2', stopped), applied: wanted }),
    )
    expect(prepare).to.deep.equal([
      { do: 'rename-container', container: nameOf(2), id: `id of ${nameOf(2)}` },
    ])
    expect(stages[0]).to.deep.equal([{ do: 'start-container', container: nameOf(2) }])
  })

  it('D9 gives way, where it is to go and bears the name of what comes', () => {
    const next = desired({ replicas: 1, tag: '2' })
    const [coming] = live(next).containers
    const old = live(desired({ replicas: 1 }))
    const { prepare, finish } = onlyChange(
      planOf({ desired: next, live: changed(old, 'web.1', { engineName: coming?.engineName ?? '' }) }),
    )
    const [gone] = old.containers
    const stray = `${coming?.engineName}.stray-id of `
    expect(prepare.at(-1)).to.deep.equal({ do: 'rename-container', container: stray, id: gone?.id })
    expect(finish).to.deep.equal([[{ do: 'remove-container', container: stray }]])
  })

  it('D9 gives way, where it is to go and bears the name of an instance that is gone', () => {
    const next = desired({ replicas: 1, tag: '2' })
    const old = live(desired({ replicas: 2 }))
    const state = changed(without(old, 'web.2'), 'web.1', { engineName: nameOf(2) })
    const { prepare, finish } = onlyChange(planOf({ desired: next, live: state }))
    const stray = `${nameOf(2)}.stray-id of `
    expect(prepare.at(-1)).to.deep.equal({
      do: 'rename-container',
      container: stray,
      id: old.containers[0]?.id,
    })
    expect(finish).to.deep.equal([[{ do: 'remove-container', container: stray }]])
  })

  it('P12 is nothing where the name says what routes the ingress has loaded', () => {
    const state = changed(running, 'web.1', { engineName: `${nameOf(1)}.routes-0123abcd` })
    expect(reasons(state)).to.deep.equal([])
  })
})
