import type { Position } from '../../../errors.ts'

/**
 * Where a service says what it asks of the nodes of a Swarm. It is for warnings, and never a difference between two
 * services.
 */
export type AskingPlaces = {
  /** Absent: it asks for no labels. */
  readonly labels?: Position
  /** Of each label over whose values its tasks are spread. */
  readonly spread: readonly Position[]
  /** Of each persistent volume, by its name on the engine. */
  readonly volumes: ReadonlyMap<string, Position>
}

/** Of the services of an application that ask anything, by their names. */
export type AskingOf = ReadonlyMap<string, AskingPlaces>
