import type { Settings } from './settings.ts'

/** What one engine runs of one environment, as one list call shows it. */
export type LiveState = {
  readonly site: string
  readonly containers: readonly LiveContainer[]
}

export type RunState = 'created' | 'running' | 'restarting' | 'paused' | 'exited' | 'removing' | 'dead'

/** What the engine's health check says; `none`: the container has no health check. */
export type Health = 'none' | 'starting' | 'healthy' | 'unhealthy'

/** What a container is for. `hook`, `deploy` and `test` run once per rollout; `init` once per start of an instance. */
export type Role = 'app' | 'sandbox' | 'init' | 'hook' | 'deploy' | 'test'

/** A container of ours: it bears the labels of this environment and source; or the operator's ingress. */
export type LiveContainer = {
  readonly id: string
  /** Its name on the engine, without a leading slash; where its labels say that it is to bear another one, that. */
  readonly engineName: string
  /** The name that it bears instead: somebody renamed it. */
  readonly bears?: string
  readonly state: RunState
  readonly health: Health
  /** The engine's own words: `Up 5 minutes (healthy)`, `Exited (1) 3 seconds ago`. */
  readonly status: string
  /** Exit code when `exited`. */
  readonly exitCode?: number
  /** What its health check said last; known of an `unhealthy` one only. */
  readonly checkOutput?: string
  /** When it was started last; known of containers that share an instance with an `unhealthy` one only. */
  readonly startedAtMs?: number
  /** The sandbox was started again after it: it is cut off from the network. */
  readonly isCutOff?: boolean
  /** Attached to its gate without the alias: its draining was begun and not ended, and no new requests reach it. */
  readonly isDraining?: boolean
  /** The mark of the routes that it has loaded; of the ingress only. */
  readonly loaded?: string
  /** It is the operator's, and bears none of our labels but the one that lends it to us. */
  readonly isExternal?: true
  /** Names of the networks it is attached to; of one that does not run, those that are still there. */
  readonly networks: readonly string[]
  /** What the engine holds it to; known once it was looked at closely. */
  readonly settings?: Settings
  /** Digest of the image it was made from, by the engine's word, where the engine says it. */
  readonly engineDigest?: string
  /** It was made from another image than the digest of its label means, by the engine's word. */
  readonly isFromOtherImage?: true
  /** The engine's own id of the image it was made from. */
  readonly imageId?: string
  readonly application: string
  readonly service: string
  /** 1…n */
  readonly instance: number
  /** Its name within the instance. */
  readonly container: string
  readonly role: Role
  readonly version?: string
  /** The fingerprint of its whole instance. */
  readonly fingerprint: string
  readonly image: string
  /** What the label says: a digest, or empty when the image had none (unverified). */
  readonly digest: string
  readonly commit: string
}
