import type { Provenance, Step } from './plan/step.ts'
import type { Redact } from './redact.ts'
import type { Holder, Identity } from './state/identity.ts'
import type { LiveState } from './state/live.ts'
import type { PostMortem } from './state/post-mortem.ts'

/** Which containers on an engine are meant: those of one environment of one repository. */
export type Scope = Identity

/** Something happened to a container of the scope: says only "look again". */
export type EngineEvent = {
  readonly site: string
  readonly container: string
  readonly action: string
  readonly atMs: number
}

export type EngineInfo = {
  /** The engine's own, stable identity; machines that are copies of one image may have the same. */
  readonly id: string
  /** What the machine calls itself. */
  readonly host: string
  readonly version: string
  readonly os: string
  readonly architecture: string
}

/** What the engine knows of an image without asking a registry. */
export type LocalImage = {
  readonly id: string
  readonly repoTags: readonly string[]
  readonly repoDigests: readonly string[]
}

/** What the registry answers through the engine, with its proxies and insecure registries. */
export type DistributionAnswer = { readonly digest: string; readonly mediaType: string }

/** Credentials for one registry, read afresh for each use (G21). */
export type RegistryLogin = {
  readonly username: string
  readonly password: string
  /** Who may have it besides the registry: the host that gives out its tokens. */
  readonly tokenHost?: string
}

/** A certificate that the ingress got or made itself. */
export type ObtainedCertificate = {
  /** Of its own authority. */
  readonly isInternal: boolean
  /** The host's own first. */
  readonly pem: string
}

/** What the ingress that runs says of itself. */
export type IngressReport = {
  /** Load balancers are told to send nothing more. */
  readonly isDraining: boolean
  /** Also those that no route needs any more. */
  readonly obtained: readonly ObtainedCertificate[]
  /** What it counted, in Prometheus' text format, in the proxy's own names. */
  readonly metrics: string
}

/** Why a step found that it must not do what it is for, in words. */
export type Skipped = { readonly skipped: string }

/** What a site can do for us. Every call takes a signal and fails with a `Failure`. */
export type Engine = {
  readonly site: string
  /** The files that vouch for both ends, as PEM, by path; absent where it is not reached over TLS. */
  readonly tls?: { readonly ca: string; readonly cert: string }
  /** The socket on this machine that leads to it; absent where it is reached over TCP. */
  readonly socket?: string
  /** The same engine, for one environment: what containers say is told without its secrets (G16). */
  redacting(redact: Redact): Engine
  info(signal: AbortSignal): Promise<EngineInfo>
  /** One list call. */
  observe(scope: Scope, signal: AbortSignal): Promise<LiveState>
  /** Names of our networks and volumes in the scope. */
  resources(
    scope: Scope,
    signal: AbortSignal,
  ): Promise<{ readonly networks: readonly string[]; readonly volumes: readonly string[] }>
  /** Every environment that anything on the engine bears the labels of, ours and others', each once. */
  holders(signal: AbortSignal): Promise<readonly Holder[]>
  /** What the engine has by digest and nobody gave a tag, as `docker.io/library/web@sha256:…`, sorted. */
  images(signal: AbortSignal): Promise<readonly string[]>
  /**
   * Says so when the step did nothing on purpose. `note` is told in words what happens on the way: every failed try of
   * a job, and what it said last (H7); and what is to be kept of a container that failed.
   */
  execute(
    step: Step,
    provenance: Provenance,
    signal: AbortSignal,
    note?: (words: string, postMortem?: PostMortem) => void,
  ): Promise<Skipped | undefined>
  /** Calls back for each event until the signal aborts; rejects when the connection is lost. */
  watch(scope: Scope, onEvent: (event: EngineEvent) => void, signal: AbortSignal): Promise<void>
  /** The image of a reference as the engine has it; undefined when it has none. */
  localImage(reference: string, signal: AbortSignal): Promise<LocalImage | undefined>
  /** Tag to digest, through the engine. */
  distribution(reference: string, signal: AbortSignal): Promise<DistributionAnswer>
  /** Undefined when no ingress runs; fails with `ingress-unreachable` when the one that does says nothing. */
  ingress(scope: Scope, signal: AbortSignal): Promise<IngressReport | undefined>
  /**
   * Has load balancers told to send nothing more, or to send again; that lasts, whatever becomes of the ingress's
   * container. Fails with `ingress-unreachable` where none runs.
   */
  setDraining(scope: Scope, isDraining: boolean, signal: AbortSignal): Promise<void>
}
