import { hasRun } from '../../state/running/has-run.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import type { ServicePlace } from '../change/change.ts'

/** The last target of each service, by `site/application/service`. It separates drift from a first deployment. */
export type Applied = ReadonlyMap<
  string,
  {
    readonly target: string
    /** The version that its application had (X19); absent: unknown. */
    readonly version?: string
    /** How its volumes were made, by their names; absent: none is known. */
    readonly volumes?: Readonly<Record<string, string>>
  }
>

/**
 * An attempt to change what serves needs an end (D18). `open`: neither done nor failed. `failed`: the state before is
 * not yet restored. `ended`: done, or restored.
 */
export type Attempt = {
  readonly target: string
  readonly release: string
  readonly phase: 'open' | 'failed' | 'ended'
  /** A mid hook began and nothing was applied since: the old version is not started again by itself (H29). */
  readonly noReturn?: boolean
  /** The job of it that began last, which is on record before it does; absent: none, or `isJobUnknown`. */
  readonly job?: BegunJob
  /** An earlier version began it, which did not record its jobs; absent: `job` says how far they came. */
  readonly isJobUnknown?: true
  /** The version of the application that it brings, and the commit that has it; absent: unknown. */
  readonly of?: { readonly commit: string; readonly version: string }
}

/** A job of a rollout that has begun: all that come before it are over. */
export type BegunJob = {
  /** What its container is called. */
  readonly name: string
  /** When it was to start for the first time, in ms since 1970. */
  readonly begunAtMs: number
  /** It is not run again, whatever becomes of its container. */
  readonly isOver: boolean
}

/** What the journal knows of earlier rollouts. Keys are `site/application/service`. */
export type Past = {
  readonly applied: Applied
  /** What a service is being brought to, or was when the process ended. */
  readonly attempts?: ReadonlyMap<string, Attempt>
  /** Whether the last deploy with an image succeeded, named as in `recordedDeploys`. */
  readonly deployed?: ReadonlyMap<string, boolean>
}

/**
 * Returns the names under which a deploy of an image may be on record: that of its service, and then that of all services of
 * its application, which an earlier version did not tell apart.
 * @param content that of the image
 */
export function recordedDeploys(
  { site, application, service }: ServicePlace,
  content: string,
): readonly string[] {
  return [service, ''].map(one => `${site}/${application}/${one}/${content}`)
}

/** Whether the last deploy of a service with an image succeeded. What is on record of the service itself counts first. */
export function isDeployed(deployed: Past['deployed'], place: ServicePlace, content: string): boolean {
  const said = recordedDeploys(place, content).map(name => deployed?.get(name))
  return said.find(one => one !== undefined) === true
}

/**
 * Whether the data may already belong to the new version: a mid hook of an attempt without an end has run, or runs
 * (H29). That is on record. Its container shows it, too, unless somebody removed that.
 */
export function isPastReturn(attempt: Attempt | undefined, jobs: readonly LiveContainer[]): boolean {
  if (attempt === undefined || attempt.phase === 'ended') return false
  return attempt.noReturn === true || jobs.some(one => one.container === 'mid' && hasRun(one))
}
