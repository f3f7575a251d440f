import type { ErrorCode } from './errors/catalogue.ts'
import type { Failure } from './errors.ts'
import type { SiteResources, TakenName, TakenPort } from './plan/resources.ts'
import type { Provenance } from './plan/step/container-place.ts'
import type { Step } from './plan/step/step.ts'
import type { SwarmOptions } from './state/application/swarm/swarm-service.ts'
import type { ClaimVolumes } from './state/claim-volume.ts'
import type { Holder, Identity } from './state/identity.ts'
import type { ImageDeclaration } from './state/image/declaration.ts'
import type { PostMortem } from './state/pass/post-mortem.ts'
import type { TasksNow } from './state/pass/tasks-now.ts'
import type { LiveContainer, LiveState } from './state/running/live.ts'
import type { Logged, LogLine, LogSpan } from './state/running/logged.ts'
import type { SwarmNode } from './state/running/swarm-node.ts'
import type { Redact } from './text/redaction/redact.ts'

/** Which containers on an engine are meant: those of one environment of one repository. */
export type Scope = Identity

/** Something happened to a container of the scope. The event only asks for another look. */
export type EngineEvent = {
  readonly site: string
  readonly container: string
  /** The application of the container; absent: the engine does not say. */
  readonly application?: string
  readonly action: string
  readonly atMs: number
}

/** What tells an engine from all others. */
export type EngineName = {
  /** The engine's own, stable identity. Machines that are copies of one image may have the same one. */
  readonly id: string
  /** The name of the machine; absent: it is a Swarm, which is the same by whichever manager it is reached. */
  readonly host?: string
}

export type EngineInfo = EngineName & {
  readonly version: string
  readonly os: string
  readonly architecture: string
  /** It is a manager of a Swarm, whichever kind of site it is. */
  readonly managesSwarm?: true
}

/** One of the managers of a Swarm by which a site is reached. */
export type SiteManager = {
  /** As it is configured; absent: that of the machine. */
  readonly endpoint?: string
  /** It is the one that is asked, and answers. */
  readonly isAsked: boolean
  /** Why it could not be asked when that was tried last, in words. */
  readonly why?: string
}

/** What the engine knows of an image without asking a registry. */
export type LocalImage = {
  readonly id: string
  readonly repoTags: readonly string[]
  readonly repoDigests: readonly string[]
  /** In its one spelling: `linux/arm64`. */
  readonly platform?: string
  /** What it says of how it runs; absent: the engine does not tell. */
  readonly declared?: ImageDeclaration
}

/** The registry's answer through the engine, which uses its own proxies and insecure registries. */
export type DistributionAnswer = { readonly digest: string; readonly mediaType: string }

/**
 * What can come of a question about one image. None of it says anything about other images, whatever words it is told
 * in: a registry chooses its own (D15).
 */
export type ImageCode = Extract<
  ErrorCode,
  | 'registry-unreachable'
  | 'registry-rate-limited'
  | 'registry-denied'
  | 'registry-credentials-unreadable'
  | 'image-not-found'
  | 'image-invalid'
  | 'engine-refused'
  | 'engine-unsupported'
>

/** Credentials for one registry, read anew for each use (G21). */
export type RegistryLogin = {
  readonly username: string
  readonly password: string
  /** The host that issues the registry's tokens, and may receive the credentials too. */
  readonly tokenHost?: string
}

/** A certificate that the ingress obtained or created itself. */
export type ObtainedCertificate = {
  /** Signed by its own authority. */
  readonly isInternal: boolean
  /** The chain, with the certificate of the host first. */
  readonly pem: string
}

/** The report of the running ingress about itself. */
export type IngressReport = {
  /** Whether load balancers are told to send no more requests. */
  readonly isDraining: boolean
  /** Includes those that no route needs any more. */
  readonly obtained: readonly ObtainedCertificate[]
  /** Its counters in Prometheus' text format, under the proxy's own names; or why it does not tell them. */
  readonly metrics: string | Failure
}

/** Why a step ended without having done its work, on purpose, in words. */
export type Skipped = { readonly skipped: string }

/** What can be asked of a site. Every call takes a signal and fails with a `Failure`. */
export type Engine = {
  readonly site: string
  /** The certificate files of both ends, as PEM, by path; absent if it is not reached over TLS. */
  readonly tls?: { readonly ca: string; readonly cert: string }
  /** The socket on this machine that leads to it; absent if it is reached over TCP. */
  readonly socket?: string
  /** What is so of it as a Swarm; absent: it is a host. */
  readonly swarm?: SwarmOptions
  /** The volumes on it that say which Tallyman writes there. */
  readonly claims: ClaimVolumes
  /**
   * Returns the same engine for one environment, which hides that environment's secrets in the output of containers
   * (G16).
   */
  redacting(redact: Redact): Engine
  /**
   * Returns the same engine for one pass, whose steps make each call that may change something only once `certainly` has
   * resolved, and fail as that does (D17).
   */
  guarded(certainly: () => Promise<void>): Engine
  /** Ends the connections to it, each as soon as nothing uses it. A later call connects again. */
  close(): void
  info(signal: AbortSignal): Promise<EngineInfo>
  /** Returns the version that the engine told with the last connection; undefined before the first call. */
  version(): string | undefined
  /** Whether it answered anything within that time, in ms. */
  answeredWithin(ms: number): boolean
  /**
   * Whether it was seen to manage a Swarm, though it is taken for one host. Absent: the operator said what it is, so
   * nobody looks.
   */
  managesSwarm?(): boolean
  /** Returns the managers of its Swarm in the order in which they are configured. Absent: it is a host. */
  managers?(): readonly SiteManager[]
  /** Returns the containers in the scope, with one list call. */
  observe(scope: Scope, signal: AbortSignal): Promise<LiveState>
  /** Lists the names of our networks and volumes in the scope. */
  resources(scope: Scope, signal: AbortSignal): Promise<SiteResources>
  /**
   * Lists the ports of the host that containers outside of the scope publish. On a Swarm: those that anything but a task
   * of it publishes on the engine that is asked, if tasks run there.
   */
  takenPorts(scope: Scope, signal: AbortSignal): Promise<readonly TakenPort[]>
  /** Returns which of these names volumes outside of the scope have. Absent: it is a Swarm, whose nodes have volumes each. */
  takenVolumes?(names: readonly string[], scope: Scope, signal: AbortSignal): Promise<readonly TakenName[]>
  /**
   * Lists the services outside of the scope that have names such as those inside of it get. Absent: it is a host.
   */
  takenServices?(scope: Scope, signal: AbortSignal): Promise<readonly TakenName[]>
  /**
   * Returns the engine that a Swarm is asked by, which may be a site as well; undefined if the Swarm runs no tasks there.
   * Absent: it is a host.
   */
  asHost?(signal: AbortSignal): Promise<EngineName | undefined>
  /** Returns the nodes of its Swarm; undefined if they may not be seen. Absent: it is a host. */
  nodes?(signal: AbortSignal): Promise<readonly SwarmNode[] | undefined>
  /** Returns every environment whose labels anything on the engine has, ours and others', each once. */
  holders(signal: AbortSignal): Promise<readonly Holder[]>
  /**
   * Returns the images that the engine has by digest and nobody gave a tag, as `docker.io/library/web@sha256:…`,
   * sorted.
   */
  images(signal: AbortSignal): Promise<readonly string[]>
  /**
   * Carries out a step, and says so if it did nothing on purpose, or failed where that is ignored. `note` receives in words
   * what happens on the way, such as every failed try of a job with its last output (H7), and the record of a container
   * that failed. `seen` receives how the tasks of a service of a Swarm are while they are waited for, each time that this
   * changes (G13).
   */
  execute(
    step: Step,
    provenance: Provenance,
    signal: AbortSignal,
    note?: (words: string, postMortem?: PostMortem) => void,
    seen?: (now: TasksNow) => void,
  ): Promise<Skipped | undefined>
  /**
   * Gives the nodes of a Swarm the login of its registry anew where these services were given another one, and returns
   * the names of those. Nothing is replaced. Absent: it is a host, which is given a login for each pull.
   */
  renewLogins?(
    services: readonly LiveContainer[],
    owner: Identity,
    signal: AbortSignal,
  ): Promise<readonly string[]>
  /**
   * Calls back for each event until the signal aborts. Rejects if the connection is lost. `onListening` is called once it
   * is heard: whatever happens from then on is told. It is called again if that could not be kept up.
   */
  watch(
    scope: Scope,
    onEvent: (event: EngineEvent) => void,
    signal: AbortSignal,
    onListening?: () => void,
  ): Promise<void>
  /** Returns the containers of all environments, also those that ended, with one list call. */
  logged(signal: AbortSignal): Promise<readonly Logged[]>
  /**
   * Yields the lines that a container wrote, oldest first, each whole and without secrets (G16). Reads on only as fast
   * as they are taken. Fails with `log-unreadable` if the engine keeps none, with `container-missing`, or, also in the
   * middle, with `engine-unreachable` or `interrupted`.
   */
  log(container: string, span: LogSpan, signal: AbortSignal): AsyncIterable<LogLine>
  /** Returns the image of a reference as the engine has it; undefined if it has none. */
  localImage(reference: string, signal: AbortSignal): Promise<LocalImage | undefined>
  /** Resolves a tag to a digest through the engine. */
  distribution(reference: string, signal: AbortSignal): Promise<DistributionAnswer>
  /**
   * Returns the report of the ingress; undefined if none runs. That its proxy does not tell its metrics is no failure.
   */
  ingress(scope: Scope, signal: AbortSignal): Promise<IngressReport | undefined>
  /**
   * Makes the site report to load balancers that it is drained, or that it takes requests again. This lasts, whatever
   * happens to the container of the ingress. Fails with `ingress-unreachable` if none runs.
   */
  setDraining(scope: Scope, isDraining: boolean, signal: AbortSignal): Promise<void>
}
