import type { Application } from '../../state/application/application.ts'

/** How an application requires itself through others. */
export type Circle = {
  /** The application that it requires and that leads back to it. */
  readonly next: string
  /** The names on the way from the application to itself; the first ones of a long way (G24). */
  readonly chain: string
}

/**
 * Returns, for each application in a circle of requirements, the first circle in which it was found. This is a single
 * walk, whose cost is proportional to the number of requirements, however many circles they form.
 */
export function circlesOf(applications: readonly Application[]): ReadonlyMap<string, Circle> {
  const byName = new Map(applications.map(application => [application.name, application]))
  const circles = new Map<string, Circle>()
  const done = new Set<string>()
  for (const { name } of applications) walk(name)
  return circles

  /** Walks depth first with a path of its own, so that a chain of thousands needs no deep stack. */
  function walk(start: string): void {
    const left = new Map<string, { readonly at: number; readonly requires: string[] }>()
    const path: string[] = []
    /** The positions on the path of those that are in no circle so far. */
    const free: number[] = []
    enter(start)
    for (let name = path.at(-1); name !== undefined; name = path.at(-1)) {
      const next = left.get(name)?.requires.pop()
      const back = next === undefined ? undefined : left.get(next)
      if (next === undefined) leave(name)
      else if (back === undefined) enter(next)
      else close(back.at)
    }

    function enter(name: string): void {
      const application = byName.get(name)
      if (application === undefined || done.has(name)) return
      const requires = application.requires.map(requirement => requirement.application).reverse()
      left.set(name, { at: path.length, requires })
      free.push(path.length)
      path.push(name)
    }

    function leave(name: string): void {
      done.add(name)
      left.delete(name)
      path.pop()
      if (free.at(-1) === path.length) free.pop()
    }

    function close(from: number): void {
      const found = free.splice(free.findLastIndex(at => at < from) + 1)
      for (const at of found) circles.set(path[at] ?? '', circleAt(path, from, at))
    }
  }
}

/** Returns the circle from `from` to the end of the path, beginning at `at`. */
function circleAt(path: readonly string[], from: number, at: number): Circle {
  const length = path.length - from
  const nameAfter = (steps: number) => path[from + ((at - from + steps) % length)] ?? ''
  const isLong = length > mostNamed
  const names = Array.from({ length: isLong ? mostNamed : length }, (_, steps) => nameAfter(steps))
  const rest = isLong ? [`${length - mostNamed} more`] : []
  return { next: nameAfter(1), chain: [...names, ...rest, nameAfter(0)].join(' → ') }
}

const mostNamed = 10
