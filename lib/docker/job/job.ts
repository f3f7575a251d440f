import type { Note } from '../container/post-mortem/post-mortem.ts'

/** The time that a job has to end by itself (H6, H25). */
export const jobGraceMs: number = 10_000

/** A job as it was seen once. */
export type SeenJob = {
  /** It runs, or is paused or restarting. */
  readonly isUp: boolean
  /** It ended, or could not even be started. */
  readonly hasEnded: boolean
  /** When it was created, by the engine's clock; absent: unknown. */
  readonly createdAtMs?: number
  /** When it was last started, by the engine's clock; absent: it never was. */
  readonly startedAtMs?: number
  /** Of the last try; what could not be started has one, too. */
  readonly exitCode: number
  /** Why the engine could not start it, without secrets; empty otherwise. */
  readonly error: string
  /** How something other than its program ended it: it has no exit code of its own then. Absent: nothing did. */
  readonly endedBy?: string
  /** What keeps it from running although it was started: no node of a Swarm may run it. Absent: nothing known. */
  readonly waitsFor?: string
  /** When the last try ended, in the engine's format. */
  readonly endedAt: string
  /** It is the deploy phase of a Pallet application, which is never interrupted (P7). */
  readonly isDeploy: boolean
  /** It is an init container, which runs at each start of its instance, and not once in a rollout. */
  readonly isInit: boolean
}

/** What runs once in a rollout, wherever it runs: a container of a host, or a job of a Swarm. */
export type RunnableJob = {
  /** Its name on the engine. */
  readonly name: string
  /** The name of its site. */
  readonly site: string
  /** Looks at it. Fails with `container-missing` if it is gone. */
  look(signal: AbortSignal): Promise<SeenJob>
  /** The engine's clock. */
  clockMs(signal: AbortSignal): Promise<number>
  /** Starts it, also anew. Fails with `start-refused`, and as the engine says. */
  start(signal: AbortSignal, note: Note): Promise<void>
  /** Returns the end of what it wrote since the try before, without secrets; undefined if that does not come in time. */
  output(before: SeenJob | undefined, signal: AbortSignal): Promise<string | undefined>
  /** Stops it: TERM, and KILL after `jobGraceMs`. */
  stop(signal: AbortSignal): Promise<void>
  /** Waits until it has ended, once somebody removed it: what is left of it may have a while to end by itself. */
  awaitRemoved(signal: AbortSignal): Promise<void>
  /** Notes the record of its failure. Never fails. */
  notePostMortem(note: Note): Promise<void>
}

/** Returns what a job is called in an error. */
export function nameOfJob({ site, name }: Pick<RunnableJob, 'site' | 'name'>): string {
  return `${site}: ${name}`
}
