/** The deploy of an application on a site. */
export type Deploy = {
  readonly site: string
  readonly application: string
  /** What stands for the version that is deployed. */
  readonly version: string
  /** The container that deploys it. */
  readonly container: string
}

/** A deploy that may run, and has to be told to be over, or left, whichever comes first. */
export type DeployTurn = {
  /** It has ended. */
  over(): void
  /** Nobody waits for it any more, and it may run on: the next look at its site tells. */
  leave(): void
}

/**
 * Which deploys of an environment run. Those of one version may run on several sites at the same time, and those of two
 * versions of an application never do: sites may share its database or its files (P5).
 */
export type DeployTurns = {
  /**
   * Resolves once no other version of the application is being deployed on another site. Who came first goes first. One that
   * runs already does not wait. What else ran of the application on its site has ended. Rejects with the reason of the
   * signal.
   * @param onWait told for which site it waits, each time that this is another one
   */
  enter(deploy: Deploy, onWait: (site: string) => void, signal: AbortSignal): Promise<DeployTurn>
  /** Notes which deploys run on a site, as it was looked at. Of which version those are that are not known, nobody knows. */
  seen(site: string, running: readonly Pick<Deploy, 'application' | 'container'>[]): void
  /** Notes that what was left of an application on a site has ended. */
  ended(site: string, application: string): void
  /** Forgets what nobody waits for on a site that does not answer, or is looked at no more: it holds up no other one. */
  forget(site: string): void
  /** Forgets a site that is gone, whatever still ends there. */
  gone(site: string): void
}

/** Of a deploy that was found running, only its container is known, which has one name wherever it deploys a version. */
function isOfSameVersion(one: Deploy, other: Deploy): boolean {
  return one.version === other.version || one.container === other.container
}

type Running = Deploy & { readonly isAwaited: boolean }

/** Creates what knows of no deploy. */
export function createDeployTurns(): DeployTurns {
  let running: readonly Running[] = []
  let waiting: readonly { readonly deploy: Deploy; readonly look: () => void }[] = []

  /** Returns the site for which a deploy waits; undefined: it may run. */
  const awaitedBy = (deploy: Deploy): string | undefined => {
    const place = waiting.findIndex(one => one.deploy === deploy)
    const earlier = waiting.slice(0, place === -1 ? undefined : place).map(one => one.deploy)
    return [...running, ...earlier].find(
      one =>
        one.application === deploy.application && one.site !== deploy.site && !isOfSameVersion(one, deploy),
    )?.site
  }
  const isSame = (one: Deploy, other: Pick<Deploy, 'site' | 'application'>) =>
    one.site === other.site && one.application === other.application
  const change = (now: readonly Running[]) => {
    running = now
    for (const { look } of waiting) look()
  }
  const begin = (deploy: Deploy): DeployTurn => {
    const own: Running = { ...deploy, isAwaited: true }
    change([...running.filter(one => !isSame(one, deploy)), own])
    const others = () => running.filter(one => one !== own)
    return {
      over: () => change(others()),
      leave: () => {
        if (running.includes(own)) change([...others(), { ...deploy, isAwaited: false }])
      },
    }
  }
  const wait: DeployTurns['enter'] = (deploy, onWait, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<DeployTurn>()
    let told: string | undefined
    const leaveQueue = () => {
      waiting = waiting.filter(one => one !== own)
      signal.removeEventListener('abort', stop)
    }
    const stop = () => {
      leaveQueue()
      reject(signal.reason)
      change(running)
    }
    const own = {
      deploy,
      look: () => {
        if (!waiting.includes(own)) return
        const site = awaitedBy(deploy)
        if (site !== undefined && site !== told) onWait(site)
        told = site
        if (site !== undefined) return
        leaveQueue()
        resolve(begin(deploy))
      },
    }
    waiting = [...waiting, own]
    signal.addEventListener('abort', stop, { once: true })
    own.look()
    return promise
  }
  return {
    enter(deploy, onWait, signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      const own = running.filter(one => isSame(one, deploy))
      if (own.some(({ container }) => container === deploy.container)) return Promise.resolve(begin(deploy))
      if (own.length > 0) change(running.filter(one => !own.includes(one)))
      return wait(deploy, onWait, signal)
    },
    seen(site, up) {
      if (up.length === 0 && running.length === 0) return
      const isUp = (one: Deploy) => up.some(({ container }) => container === one.container)
      const kept = running.filter(one => one.site !== site || one.isAwaited || isUp(one))
      const strange = up.filter(found => !kept.some(one => isSame(one, { site, ...found })))
      change([
        ...kept,
        ...strange.map(found => ({ ...found, site, version: found.container, isAwaited: false })),
      ])
    },
    ended(site, application) {
      change(running.filter(one => one.isAwaited || !isSame(one, { site, application })))
    },
    forget(site) {
      change(running.filter(one => one.site !== site || one.isAwaited))
    },
    gone(site) {
      change(running.filter(one => one.site !== site))
    },
  }
}
