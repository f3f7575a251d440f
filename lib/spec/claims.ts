import type { Position, Problem } from '../errors.ts'
import type { Service } from '../state/application.ts'
import { claimOf } from '../state/route.ts'
import type { Service as Written } from './application.gen.ts'
import type { Spot } from './spot.ts'

/** Where an application claims which requests: `shop.example.com/api` → the entry in its specification. */
export type Claims = ReadonlyMap<string, Position>

/** What the services of one application claim; two that claim the same are a fault. */
export function claimsOf(
  services: readonly Service[],
  written: readonly Written[],
  spot: Spot,
  position: (pointer: string) => Position,
): Claims {
  const owners = new Map<string, { readonly service: string; readonly at: Spot }>()
  services.forEach(({ name, routes = [] }, index) => {
    const listed = written[index]?.ingress?.length ?? 0
    routes.forEach((route, number) => {
      const entry = number - (routes.length - listed)
      const at = entry < 0 ? spot.at(index, 'pallet', 'domain') : spot.at(index, 'ingress', entry)
      const claim = claimOf(route)
      const owner = owners.get(claim)
      if (owner !== undefined && owner.service !== name)
        at.fault(`claims ${claim}, which the service ${owner.service} claims, too`)
      owners.set(claim, { service: name, at })
    })
  })
  return new Map([...owners].map(([claim, { at }]) => [claim, position(at.pointer)]))
}

/** Of several applications, by name, that claim the same: what is wrong with each of them, the other's place named. */
export function sharedClaims(
  applications: ReadonlyMap<string, { readonly claims: Claims }>,
): ReadonlyMap<string, readonly Problem[]> {
  const claimants = new Map<string, { readonly name: string; readonly position: Position }[]>()
  for (const [name, { claims }] of applications)
    for (const [claim, position] of claims)
      claimants.set(claim, [...(claimants.get(claim) ?? []), { name, position }])
  const problems = new Map<string, Problem[]>()
  for (const [claim, all] of claimants)
    for (const one of all.length > 1 ? all : []) {
      const others = all.filter(other => other !== one)
      const problem: Problem = {
        code: 'route-taken',
        message: `${one.name} claims ${claim}, which ${others.map(inWords).join(' and ')} claims, too`,
        position: one.position,
      }
      problems.set(one.name, [...(problems.get(one.name) ?? []), problem])
    }
  return problems
}

function inWords({ name, position }: { readonly name: string; readonly position: Position }): string {
  const { file, line } = position
  return `${name} (${line === undefined ? file : `${file}:${line}`})`
}
