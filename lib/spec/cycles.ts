import type { Application } from '../state/application.ts'

/** Circles of requirements, each from the application that comes first in it; every one is found in one walk. */
export function cyclesOf(applications: readonly Application[]): readonly (readonly string[])[] {
  const byName = new Map(applications.map(application => [application.name, application]))
  const cycles: (readonly string[])[] = []
  const done = new Set<string>()
  for (const { name } of applications) walk(name)
  return cycles

  /** Depth first with a path of its own: a chain of thousands needs no deep stack. */
  function walk(start: string): void {
    const path = new Map<string, string[]>()
    const steps: string[] = []
    enter(start)
    for (let name = steps.at(-1); name !== undefined; name = steps.at(-1)) {
      const next = path.get(name)?.pop()
      if (next === undefined) {
        done.add(name)
        path.delete(name)
        steps.pop()
      } else if (path.has(next)) cycles.push(steps.slice(steps.indexOf(next)))
      else enter(next)
    }

    function enter(name: string): void {
      const application = byName.get(name)
      if (application === undefined || done.has(name)) return
      path.set(name, application.requires.map(requirement => requirement.application).reverse())
      steps.push(name)
    }
  }
}
