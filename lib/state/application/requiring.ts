import type { Application } from './application.ts'

/** Returns the applications that require another one directly, by the name of that one (G11). */
export function requiring(applications: readonly Application[]): ReadonlyMap<string, readonly Application[]> {
  const pairs = applications.flatMap(dependent =>
    dependent.requires.map(({ application }) => ({ application, dependent })),
  )
  const byName = Map.groupBy(pairs, ({ application }) => application)
  return new Map([...byName].map(([name, all]) => [name, all.map(({ dependent }) => dependent)]))
}
