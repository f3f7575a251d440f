import type { ErrorCode } from '../../../lib/errors/catalogue.ts'
import { Failure } from '../../../lib/errors.ts'
import type { Step } from '../../../lib/plan/step/step.ts'
import { isDoneByHost } from '../../../lib/plan/step/traits.ts'
import type { Container } from '../../../lib/state/application/container/container.ts'
import { keptName } from '../../../lib/state/running/job-container.ts'
import type { LiveContainer, LiveState } from '../../../lib/state/running/live.ts'
import { baseName, loadedName } from '../../../lib/state/running/loaded.ts'
import { strayName } from '../../../lib/state/running/stray.ts'

/** A container as a simulated engine knows it. */
export type SimulatedContainer = LiveContainer & {
  /** What it was made from, if it was made here. */
  readonly spec?: Container
  /** It passed its health gate since it was started last. */
  readonly gated: boolean
  /** Not everything was put into it, and nothing that is listed of it says so. */
  readonly isHalfMade?: true
}

/** What one engine has, as a value; `perform` makes the next from it. */
export type SimulatedSite = {
  readonly containers: ReadonlyMap<string, SimulatedContainer>
  readonly networks: ReadonlySet<string>
  /** The containers that were run to their end, in this order. */
  readonly ran: readonly string[]
}

/** An engine with nothing of ours but the network `prod`. */
export const emptySite: SimulatedSite = { containers: new Map(), networks: new Set(['prod']), ran: [] }

export function liveOf({ containers }: SimulatedSite): LiveState {
  return {
    site: 'local',
    containers: [...containers.values()].map(
      ({ spec: _, gated: __, isHalfMade: ___, ...container }) => container,
    ),
  }
}

/**
 * What a step makes of a site, by the rules of a real engine: a paused container cannot be started, a host port is
 * given once, what is gone cannot be started. Every step done again changes nothing more. Throws if what is half-made
 * would run.
 */
export function perform(site: SimulatedSite, step: Step): SimulatedSite {
  if (!isDoneByHost(step)) throw new Error(`a host cannot ${step.do}`)
  switch (step.do) {
    case 'pull-image':
    case 'remove-image':
    case 'create-volume':
    case 'remove-volume':
    case 'check-host-path':
    case 'check-image':
    case 'register-pod':
      return site
    case 'create-network':
      return { ...site, networks: new Set([...site.networks, step.network.name]) }
    case 'remove-network':
      return removeNetwork(site, step.network)
    case 'create-container':
      return create(site, step)
    case 'start-container':
      return start(site, find(site, step.container))
    case 'unpause-container': {
      const one = find(site, step.container)
      return one.state === 'paused' ? put(site, { ...one, state: 'running' }) : site
    }
    case 'admit': {
      const { isDraining: _, ...one } = find(site, step.container)
      return put(site, { ...one, networks: [...new Set([...one.networks, step.network])] })
    }
    case 'drain': {
      const one = site.containers.get(step.container)
      if (one?.state !== 'running') return detach(site, one, step.network)
      return one.networks.includes(step.network) ? put(site, { ...one, isDraining: true }) : site
    }
    case 'connect-network': {
      const { settings, ...one } = find(site, step.container)
      return put(site, { ...one, networks: [...new Set([...one.networks, step.network])] })
    }
    case 'disconnect-network':
      return detach(site, site.containers.get(step.container), step.network)
    case 'load-routes':
      return loadRoutes(site, step)
    case 'await-healthy': {
      const one = find(site, step.container)
      if (one.state !== 'running') throw refusal('exited-early', `${step.container} is ${one.state}`)
      return put(site, { ...one, gated: true })
    }
    case 'restart-container':
      return put(site, { ...find(site, step.container), state: 'running', gated: false })
    case 'run-to-end': {
      const { exitCode, ...one } = whole(find(site, step.container))
      if (one.state === 'exited' && exitCode === 0 && step.again !== true) return site
      return { ...put(site, { ...one, state: 'exited', exitCode: 0 }), ran: [...site.ran, step.container] }
    }
    case 'await-end': {
      const one = site.containers.get(step.container)
      return one === undefined || !isUp(one) ? site : put(site, { ...one, state: 'exited', exitCode: 0 })
    }
    case 'stop-container': {
      const one = site.containers.get(step.container)
      return one === undefined || !isUp(one)
        ? site
        : put(site, { ...one, state: 'exited', exitCode: 0, gated: false })
    }
    case 'update-container': {
      const one = find(site, step.container)
      return put(site, one.settings ? { ...one, settings: { ...one.settings, limits: step.limits } } : one)
    }
    case 'rename-container':
      return rename(site, step)
    case 'keep-failed':
      return keep(site, step.container)
    case 'abort-hook':
    case 'put-away':
    case 'remove-container':
      return {
        ...site,
        containers: new Map([...site.containers].filter(([name]) => name !== step.container)),
      }
  }
}

/** Whether it runs, or is paused in the middle of it. */
export function isUp({ state }: LiveContainer): boolean {
  return state === 'running' || state === 'restarting' || state === 'paused'
}

function created(step: Extract<Step, { do: 'create-container' }>): SimulatedContainer {
  const { container, placement, spec } = step
  const { pin } = spec.image
  return {
    id: `id of ${container}`,
    engineName: container,
    state: 'created',
    health: 'none',
    status: 'Created',
    networks: placement.joins ? [] : [placement.network.name],
    application: placement.application,
    service: placement.service,
    instance: placement.instance,
    container: spec.name,
    role: placement.role,
    ...(placement.version === undefined ? {} : { version: placement.version }),
    fingerprint: placement.fingerprint,
    image: spec.image.reference,
    digest: pin.state === 'pinned' ? pin.digest : '',
    commit: '',
    spec,
    gated: false,
  }
}

/** What a step makes of a site if everything ends in the middle of it. */
export function begin(site: SimulatedSite, step: Step): SimulatedSite {
  return step.do !== 'create-container' || site.containers.has(step.container)
    ? site
    : put(site, { ...created(step), isHalfMade: true })
}

function create(site: SimulatedSite, step: Extract<Step, { do: 'create-container' }>): SimulatedSite {
  const { isHalfMade: _, ...one } = site.containers.get(step.container) ?? created(step)
  return put(site, one)
}

function whole(one: SimulatedContainer): SimulatedContainer {
  if (one.isHalfMade) throw new Error(`${one.engineName} would run without what was to be put into it`)
  return one
}

function start(site: SimulatedSite, one: SimulatedContainer): SimulatedSite {
  if (one.state === 'running') return site
  whole(one)
  if (one.state === 'paused' || one.state === 'dead')
    throw refusal('start-refused', `${one.engineName} is ${one.state}`)
  for (const port of hostPorts(one)) {
    const holder = [...site.containers.values()].find(other => isUp(other) && hostPorts(other).includes(port))
    if (holder !== undefined) throw refusal('port-taken', `${holder.engineName} holds port ${port}`)
  }
  const { exitCode: _, ...rest } = one
  return put(site, { ...rest, state: 'running', gated: false })
}

function removeNetwork(site: SimulatedSite, network: string): SimulatedSite {
  const user = [...site.containers.values()].find(({ networks }) => networks.includes(network))
  if (user !== undefined) throw refusal('network-in-use', `${network} is used by ${user.engineName}`)
  return { ...site, networks: new Set([...site.networks].filter(name => name !== network)) }
}

function detach(site: SimulatedSite, one: SimulatedContainer | undefined, network: string): SimulatedSite {
  if (one === undefined || !one.networks.includes(network)) return site
  const { isDraining: _, ...rest } = one
  return put(site, { ...rest, networks: one.networks.filter(name => name !== network) })
}

/** The proxy bears the name of what it has loaded; it is found under any such name. */
function loadRoutes(site: SimulatedSite, step: Extract<Step, { do: 'load-routes' }>): SimulatedSite {
  const base = baseName(step.container)
  const seen = [...site.containers.keys()].find(name => baseName(name) === base)
  const { state, engineName, ...one } = find(site, seen ?? base)
  if (state !== 'running') throw refusal('engine-refused', `${engineName} is ${state}`)
  const others = new Map([...site.containers].filter(([name]) => name !== engineName))
  return put(
    { ...site, containers: others },
    { ...one, state, engineName: loadedName(base, step.routing.mark), loaded: step.routing.mark },
  )
}

/** Whoever bears the name gives way to the one whose it is. */
function rename(
  site: SimulatedSite,
  { id, container }: Extract<Step, { do: 'rename-container' }>,
): SimulatedSite {
  const one = [...site.containers.values()].find(one => one.id === id)
  if (one === undefined || one.engineName === container) return site
  const holder = site.containers.get(container)
  const containers = new Map([...site.containers].filter(([name]) => name !== one.engineName))
  const cleared = { ...site, containers }
  const before = holder ? put(cleared, { ...holder, engineName: strayName(container, holder.id) }) : cleared
  return put(before, { ...one, engineName: container })
}

function hostPorts({ spec }: SimulatedContainer): readonly number[] {
  return (spec?.ports ?? []).flatMap(({ published }) => published ?? [])
}

function find(site: SimulatedSite, name: string): SimulatedContainer {
  const one = site.containers.get(name)
  if (one === undefined) throw refusal('container-missing', `there is no ${name}`)
  return one
}

function put(site: SimulatedSite, container: SimulatedContainer): SimulatedSite {
  return { ...site, containers: new Map([...site.containers, [container.engineName, container]]) }
}

function refusal(code: ErrorCode, message: string): Failure {
  return new Failure(code, message)
}

/** Stopped, on no network, and under another name. */
function keep(site: SimulatedSite, name: string): SimulatedSite {
  const one = site.containers.get(name)
  const others = new Map([...site.containers].filter(([other]) => other !== name))
  if (one === undefined || one.state === 'created') return { ...site, containers: others }
  const engineName = keptName(name, 'f00dcafe')
  return put({ ...site, containers: others }, { ...one, engineName, state: 'exited', networks: [] })
}
