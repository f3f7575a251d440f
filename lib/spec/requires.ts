import { satisfies, valid } from 'semver'
import type { Position, Problem } from '../errors.ts'
import type { Application, Requirement } from '../state/application.ts'
import type { Blocked, DesiredState } from '../state/desired.ts'

/** Where a requirement stands in its specification, where that is known. */
export type RequirementPosition = (application: string, requirement: string) => Position | undefined

/**
 * Blocks every application whose `requires` cannot be met: the other one is missing, blocked or has a version outside
 * the range, or they require one another in a circle, which is named (G11, D15). Done again after more applications
 * were blocked it blocks what requires those.
 */
export function blockDependents<State extends Pick<DesiredState, 'applications' | 'blocked'>>(
  state: State,
  position: RequirementPosition = () => undefined,
): State {
  const byName = new Map(state.applications.map(application => [application.name, application]))
  const blocked = new Map(state.blocked.map(entry => [entry.application, entry]))
  for (const cycle of cyclesOf(state.applications, byName))
    for (const [index, name] of cycle.entries()) {
      const next = cycle[(index + 1) % cycle.length] ?? name
      block(name, 'requires-cycle', `requires itself in a circle: ${chain(cycle, index)}`, next)
    }
  let found = true
  while (found) {
    found = false
    for (const application of state.applications) {
      if (blocked.has(application.name)) continue
      for (const requirement of application.requires) {
        const fault = faultOf(requirement, byName, blocked)
        if (fault === undefined) continue
        found = true
        block(application.name, 'requires-unsatisfied', fault, requirement.application)
      }
    }
  }
  if (blocked.size === state.blocked.length) return state
  const applications = state.applications.filter(({ name }) => !blocked.has(name))
  return { ...state, applications, blocked: [...blocked.values()] }

  function block(application: string, code: Problem['code'], reason: string, requirement: string): void {
    const at = position(application, requirement)
    const problem: Problem = {
      code,
      message: `${application} ${reason}`,
      ...(at === undefined ? {} : { position: at }),
    }
    const before = blocked.get(application)?.problems
    blocked.set(application, {
      application,
      problems: before === undefined ? [problem] : [...before, problem],
    })
  }
}

function faultOf(
  { application, range }: Requirement,
  byName: ReadonlyMap<string, Application>,
  blocked: ReadonlyMap<string, Blocked>,
): string | undefined {
  const first = blocked.get(application)?.problems[0]
  if (first !== undefined) return `requires ${application}, which is blocked: ${first.message}`
  const other = byName.get(application)
  if (other === undefined) return `requires ${application}, which the manifest does not name`
  if (range.trim() === '*' || range.trim() === '') return undefined
  const { version } = other
  if (version === undefined) return `requires ${application} ${range}, which has no version`
  if (valid(version) === null)
    return `requires ${application} ${range}, whose version ${version} is no semantic version`
  return satisfies(version, range) ? undefined : `requires ${application} ${range}, which is ${version}`
}

/** Circles of requirements, each once, from the application that the manifest names first. */
function cyclesOf(
  applications: readonly Application[],
  byName: ReadonlyMap<string, Application>,
): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = []
  const done = new Set<string>()
  for (const { name } of applications) walk(name)
  return cycles

  /** Depth first with a path of its own: a chain of thousands needs no deep stack. */
  function walk(start: string): void {
    const path: { readonly name: string; readonly rest: string[] }[] = []
    enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.rest.shift()
      if (next === undefined) {
        done.add(top.name)
        path.pop()
        continue
      }
      const from = path.findIndex(({ name }) => name === next)
      if (from === -1) enter(next)
      else cycles.push(path.slice(from).map(({ name }) => name))
    }

    function enter(name: string): void {
      const application = byName.get(name)
      if (application !== undefined && !done.has(name))
        path.push({ name, rest: application.requires.map(({ application }) => application) })
    }
  }
}

function chain(cycle: readonly string[], from: number): string {
  const turned = [...cycle.slice(from), ...cycle.slice(0, from)]
  return [...turned, turned[0]].join(' → ')
}
