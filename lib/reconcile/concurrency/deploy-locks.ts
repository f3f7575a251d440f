import { createDeploysInOrder, type Deploy } from './deploys-in-order.ts'

/** A deploy that may run. Whoever disposes of the lock leaves it, unless it is over. */
export type DeployLock = Disposable & {
  /** It has ended. */
  over(): void
}

/**
 * Which deploys of an environment run. Those of one version may run on several sites at the same time, and those of two
 * versions of an application never do: sites may share its database or its files (P5). Whatever happens takes no longer
 * than those wait whom it lets begin (G24).
 */
export type DeployLocks = {
  /**
   * Resolves once no other version of the application is being deployed on another site. Who came first goes first. One that
   * runs already does not wait. What else ran of the application on its site has ended. Rejects with the reason of the
   * signal, or if it cannot be told for which site it waits.
   * @param onWait told for which site it waits, each time that this is another one
   */
  enter(deploy: Deploy, onWait: (site: string) => void, signal: AbortSignal): Promise<DeployLock>
  /** Notes which deploys run on a site, as it was looked at. Of which version those are that are not known, nobody knows. */
  seen(site: string, running: readonly Pick<Deploy, 'application' | 'container'>[]): void
  /** Whether a deploy is known on a site that nobody waits for. */
  isLeftOn(site: string): boolean
  /** Notes that what was left of an application on a site has ended. */
  ended(site: string, application: string): void
  /** Forgets what nobody waits for on a site that does not answer: it holds up no other one. */
  forget(site: string): void
  /** Forgets a site that is gone, whatever still ends there. */
  gone(site: string): void
}

/** A deploy that runs, or waits until it may. */
type Known = Deploy & {
  readonly number: number
  /** Whether somebody waits for its end. */
  isAwaited: boolean
  /** Those that wait, first of all, for this one. */
  readonly holds: Set<Waiting>
}

type Waiting = Known & {
  holder: Known | undefined
  readonly onWait: (site: string) => void
  readonly resolve: (lock: DeployLock) => void
  readonly stop: (reason: unknown) => void
}

/**
 * Creates what knows of no deploy.
 *
 * 1. Each one that waits is held by one that runs, or by one that came before it and waits, except those that are free.
 * 2. Those that are free are looked at once, all together, in the order in which they came, when what frees them is done.
 */
export function createDeployLocks(): DeployLocks {
  const running = createDeploysInOrder<Known>()
  const waiting = createDeploysInOrder<Waiting>()
  const runningBySite = new Map<string, Set<Known>>()
  const free = new Set<Waiting>()
  let isDue = false
  let count = 0

  const known = (deploy: Deploy, isAwaited: boolean): Known => {
    count += 1
    return { ...deploy, number: count, isAwaited, holds: new Set() }
  }
  const runningOn = (site: string) => [...(runningBySite.get(site) ?? [])]
  const letGo = ({ holds }: Known) => {
    for (const one of holds) free.add(one)
    if (holds.size > 0 && !isDue) queueMicrotask(lookAtFree)
    isDue ||= holds.size > 0
    holds.clear()
  }
  const start = (own: Known) => {
    running.add(own)
    runningBySite.set(own.site, (runningBySite.get(own.site) ?? new Set()).add(own))
  }
  const end = (own: Known) => {
    if (!running.delete(own)) return
    const others = runningBySite.get(own.site)
    others?.delete(own)
    if (others?.size === 0) runningBySite.delete(own.site)
    letGo(own)
  }
  const begin = (own: Known): DeployLock => {
    for (const one of runningOn(own.site)) if (one.application === own.application) end(one)
    start(own)
    return {
      over: () => end(own),
      [Symbol.dispose]: () => {
        own.isAwaited = false
      },
    }
  }
  const leaveQueue = (own: Waiting) => {
    waiting.delete(own)
    free.delete(own)
    own.holder?.holds.delete(own)
  }
  const look = (own: Waiting) => {
    const [before, earlier] = [own.holder?.site, waiting.firstAgainst(own)]
    own.holder = running.firstAgainst(own) ?? (earlier && earlier.number < own.number ? earlier : undefined)
    if (own.holder === undefined) {
      leaveQueue(own)
      own.resolve(begin(own))
      return
    }
    own.holder.holds.add(own)
    if (own.holder.site === before) return
    try {
      own.onWait(own.holder.site)
    } catch (error) {
      own.stop(error)
    }
  }
  const lookAtFree = () => {
    isDue = false
    const all = [...free].sort((one, other) => one.number - other.number)
    free.clear()
    for (const own of all) if (waiting.has(own)) look(own)
  }
  const wait: DeployLocks['enter'] = (deploy, onWait, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<DeployLock>()
    const stopped = () => own.stop(signal.reason)
    const own: Waiting = {
      ...known(deploy, true),
      holder: undefined,
      onWait,
      resolve(lock) {
        signal.removeEventListener('abort', stopped)
        resolve(lock)
      },
      stop(reason) {
        signal.removeEventListener('abort', stopped)
        leaveQueue(own)
        letGo(own)
        reject(reason)
      },
    }
    signal.addEventListener('abort', stopped, { once: true })
    waiting.add(own)
    look(own)
    return promise
  }
  return {
    enter(deploy, onWait, signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      const own = runningOn(deploy.site).filter(({ application }) => application === deploy.application)
      if (own.some(({ container }) => container === deploy.container))
        return Promise.resolve(begin(known(deploy, true)))
      for (const one of own) end(one)
      return wait(deploy, onWait, signal)
    },
    seen(site, up) {
      const isUp = (one: Deploy) => up.some(({ container }) => container === one.container)
      for (const one of runningOn(site)) if (!one.isAwaited && !isUp(one)) end(one)
      const kept = new Set(runningOn(site).map(({ application }) => application))
      for (const found of up)
        if (!kept.has(found.application)) start(known({ ...found, site, version: found.container }, false))
    },
    isLeftOn: site => runningOn(site).some(({ isAwaited }) => !isAwaited),
    ended(site, application) {
      for (const one of runningOn(site)) if (!one.isAwaited && one.application === application) end(one)
    },
    forget(site) {
      for (const one of runningOn(site)) if (!one.isAwaited) end(one)
    },
    gone(site) {
      for (const one of runningOn(site)) end(one)
    },
  }
}
