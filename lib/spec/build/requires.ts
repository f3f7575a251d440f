import satisfies from 'semver/functions/satisfies.js'
import valid from 'semver/functions/valid.js'
import { formatPosition, type Position, type Problem } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { Application, Requirement } from '../../state/application/application.ts'
import type { Blocked, DesiredState } from '../../state/application/desired.ts'
import { requiring } from '../../state/application/requiring.ts'
import { versionOf } from '../../state/application/version-of.ts'
import { shareSite } from '../../state/fleet/site-set.ts'
import type { Whereabouts } from '../claims/whereabouts.ts'
import { circlesOf } from './circles.ts'

/** Returns the place of a requirement in its specification, if it is known. */
export type RequirementPosition = (application: string, requirement: string) => Position | undefined

type Dependents = Pick<DesiredState, 'applications' | 'blocked' | 'idle' | 'elsewhere'>

/**
 * Blocks every application whose `requires` cannot be met: the other one is missing, blocked, idle or has a version
 * outside of the range, or they require each other in a circle, which is named (G11, D15). What blocks another one is
 * nothing to an application that is on none of its sites (A20). Called again after more applications were blocked, it
 * blocks what requires those.
 * @param whereabouts which sites are to have which applications, and are judged; absent: all of these are on one site
 */
export function blockDependents<State extends Dependents>(
  state: State,
  whereabouts: Pick<Whereabouts, 'of' | 'mayBe' | 'within'> | undefined,
  position: RequirementPosition = () => undefined,
): State {
  const byName = new Map(state.applications.map(application => [application.name, application]))
  const dependents = requiring(state.applications)
  const blocked = new Map(state.blocked.map(entry => [entry.application, entry]))
  for (const [name, { next, chain }] of circlesOf(state.applications))
    block(name, 'requires-cycle', `requires itself in a circle: ${chain}`, next)
  const queue = state.applications.map(({ name }) => name)
  for (const name of queue) {
    if (blocked.has(name)) continue
    const requirements = (byName.get(name)?.requires ?? []).filter(
      ({ application }) =>
        !(blocked.has(application) ? isApart(name, application) : isElsewhere(application)),
    )
    const [unmet] = requirements.flatMap(other => faultOf(other, byName, blocked, state.idle) ?? [])
    if (unmet === undefined) continue
    block(name, 'requires-unsatisfied', unmet.reason, unmet.application, unmet.hint)
    for (const dependent of dependents.get(name) ?? []) queue.push(dependent.name)
  }
  if (blocked.size === state.blocked.length) return state
  const applications = state.applications.filter(({ name }) => !blocked.has(name))
  return { ...state, applications, blocked: [...blocked.values()] }

  function isElsewhere(application: string): boolean {
    return state.elsewhere?.includes(application) === true
  }

  function isApart(one: string, other: string): boolean {
    if (whereabouts === undefined) return false
    const { of, mayBe = of, within } = whereabouts
    return !shareSite(mayBe(one) & mayBe(other), within)
  }

  function block(
    application: string,
    code: Problem['code'],
    reason: string,
    requirement: string,
    hint?: string,
  ): void {
    if (blocked.has(application)) return
    const at = position(application, requirement)
    const problem = {
      code,
      message: `${application} ${reason}`,
      ...(at === undefined ? {} : { position: at }),
      ...(hint === undefined ? {} : { hint }),
    }
    const own = byName.get(application)
    blocked.set(application, {
      application,
      ...optional('version', own && versionOf(own)),
      problems: [problem],
    })
  }
}

/** Does the same for what all sites have in common, and for each site that has something of its own. */
export function blockDependentsAnywhere(
  { variants, ...common }: DesiredState,
  whereabouts: Whereabouts,
): DesiredState {
  const own = [...(variants ?? [])]
  const blocked = blockDependents(common, whereabouts.besides(own.map(([site]) => site)))
  if (variants === undefined) return blocked
  return {
    ...blocked,
    variants: new Map(
      own.map(([site, variant]) => [site, blockDependents(variant, whereabouts.on([site]))] as const),
    ),
  }
}

/** `hint`: what helps, if it is not what the code says. */
type Unmet = { readonly application: string; readonly reason: string; readonly hint?: string }

/**
 * Returns why a requirement is not met. The cause of a block is reported at its own place, which is named, and is not
 * repeated along the chain.
 */
function faultOf(
  { application, range }: Requirement,
  byName: ReadonlyMap<string, Application>,
  blocked: ReadonlyMap<string, Blocked>,
  idle: readonly string[] = [],
): Unmet | undefined {
  const first = blocked.get(application)?.problems[0]
  if (first !== undefined) {
    const isChain = first.code === 'requires-unsatisfied'
    const cause = isChain ? '' : `: ${formatPosition(first.position)}${first.message}`
    return {
      ...unmet(`, which is blocked${cause}`),
      hint: `Correct what blocks ${application}, which has an error of its own.`,
    }
  }
  const other = byName.get(application)
  if (other === undefined)
    return unmet(
      idle.includes(application)
        ? ', which has nothing to run'
        : ', which neither the manifest nor a deployment names',
    )
  if (range.trim() === '*' || range.trim() === '') return undefined
  const { version } = other
  if (version === undefined) return unmet(` ${range}, which has no version`)
  if (valid(version) === null) return unmet(` ${range}, whose version ${version} is no semantic version`)
  return satisfies(version, range) ? undefined : unmet(` ${range}, which is ${version}`)

  function unmet(rest: string): Unmet {
    return { application, reason: `requires ${application}${rest}` }
  }
}
