/** The deploy of an application on a site. */
export type Deploy = {
  readonly site: string
  readonly application: string
  /** What stands for the version that is deployed. */
  readonly version: string
  /** The container that deploys it. */
  readonly container: string
}

/** What came first has the smallest number. */
type Numbered = Deploy & { readonly number: number }

/** Deploys, added in the order of their numbers. */
export type DeploysInOrder<T extends Numbered> = {
  add(deploy: T): void
  /** Says whether it was there. */
  delete(deploy: T): boolean
  has(deploy: T): boolean
  /**
   * Returns the first one of another version of the same application on another site: the two never run at the same time
   * (P5). Takes as long as there are versions, however many sites deploy them.
   */
  firstAgainst(deploy: Deploy): T | undefined
}

/** Those of one version on all sites, first come first. */
type Alike<T> = Pick<Deploy, 'version' | 'container'> & { readonly all: Set<T> }

/** Creates what has no deploys. */
export function createDeploysInOrder<T extends Numbered>(): DeploysInOrder<T> {
  const applications = new Map<string, Map<string, Alike<T>>>()
  const kindOf = ({ version, container }: Deploy) => JSON.stringify([version, container])
  const alikeOf = (deploy: T) => applications.get(deploy.application)?.get(kindOf(deploy))?.all
  return {
    add(deploy) {
      const { application, version, container } = deploy
      const kinds = applications.get(application) ?? new Map<string, Alike<T>>()
      applications.set(application, kinds)
      const alike = kinds.get(kindOf(deploy)) ?? { version, container, all: new Set() }
      kinds.set(kindOf(deploy), alike)
      alike.all.add(deploy)
    },
    delete(deploy) {
      const alike = alikeOf(deploy)
      const wasThere = alike?.delete(deploy) ?? false
      if (alike?.size === 0) applications.get(deploy.application)?.delete(kindOf(deploy))
      return wasThere
    },
    has: deploy => alikeOf(deploy)?.has(deploy) ?? false,
    firstAgainst(deploy) {
      let first: T | undefined
      for (const alike of applications.get(deploy.application)?.values() ?? []) {
        if (isOfSameVersion(alike, deploy)) continue
        const one = firstElsewhere(alike.all, deploy.site)
        if (one !== undefined && (first === undefined || one.number < first.number)) first = one
      }
      return first
    },
  }
}

/** Of a deploy that was found running, only its container is known, which has one name wherever it deploys a version. */
function isOfSameVersion(one: Omit<Alike<never>, 'all'>, other: Deploy): boolean {
  return one.version === other.version || one.container === other.container
}

function firstElsewhere<T extends Deploy>(all: Iterable<T>, site: string): T | undefined {
  for (const one of all) if (one.site !== site) return one
  return undefined
}
