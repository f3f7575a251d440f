import type { HostPort } from '../state/application/claim.ts'
import type { SwarmNode } from '../state/running/swarm-node.ts'

/**
 * A port that something running publishes on a host, or on a node of a Swarm, and whose that is, in words. `isOnAll`: on
 * every node that takes tasks.
 */
export type TakenPort = { readonly port: HostPort; readonly holder: string; readonly isOnAll?: true }

/** A name on a site that something outside of the environment has, and whose that is, in words. */
export type TakenName = { readonly name: string; readonly holder: string }

/** A persistent volume as its engine made it. */
export type MadeVolume = {
  readonly name: string
  readonly driver: string
  readonly driverOptions: Readonly<Record<string, string>>
}

/** An ephemeral volume, and the name of the instance that had it. */
export type LeftOverVolume = { readonly name: string; readonly instance: string }

/** What a site has besides containers. It is asked for only if something differs. */
export type SiteResources = {
  readonly networks: readonly string[]
  readonly volumes: readonly string[]
  /** How those volumes were made; absent: that is not known, or the site has none. */
  readonly made?: readonly MadeVolume[]
  /** Ephemeral volumes that no container has any more, sorted by name; absent: there are none. */
  readonly leftOver?: readonly LeftOverVolume[]
  /** Why nobody may see the volumes there, so that it is unknown which there are; absent: they are known. */
  readonly volumesKept?: string
  /** What others publish that are not of the environment; absent: nothing. */
  readonly ports?: readonly TakenPort[]
  /** Networks that are not of the environment; absent: there are none. */
  readonly taken?: readonly TakenName[]
  /** Volumes of a host that are not of the environment; absent: there are none. */
  readonly takenVolumes?: readonly TakenName[]
  /** Services of a Swarm that are not of the environment; absent: none has such a name, or nothing asks for them. */
  readonly takenServices?: readonly TakenName[]
  /** Configs and secrets of a Swarm that no service needs, by their names; absent: there are none. */
  readonly unneededFiles?: readonly string[]
  /** The nodes of a Swarm; absent: it is a host, nothing asks for them, or they may not be seen. */
  readonly nodes?: readonly SwarmNode[]
  /** Its engine manages a Swarm, and nobody said that it is one host all the same. */
  readonly managesSwarm?: true
}
