import type { Position, Problem } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { Service } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import {
  type AskedOn,
  volumesOnNodes,
  volumesPerNode,
} from '../../state/application/swarm/volumes-per-node.ts'
import { labelsIn } from '../../state/fleet/labels-in.ts'
import { hasDriver, isFitFor, type SwarmNode } from '../../state/running/swarm-node.ts'
import { guessing } from '../../text/suggestion/guess.ts'
import type { DeclaredDifference, Difference, DiffResult } from '../compare/diff.ts'
import type { SiteResources } from '../resources.ts'

/** Whether anything is to be started that asks something of the nodes of a Swarm, or keeps data on them. */
export function needsNodes({ differences }: Pick<DiffResult, 'differences'>): boolean {
  return startedIn(differences).some(({ declared: { service } }) => {
    const { runs } = service.instances[0] ?? {}
    if (runs === undefined) return false
    const asked = runs.constraints ?? runs.spread ?? runs.platform
    return asked !== undefined || volumesOnNodes(service).length > 0
  })
}

/**
 * Warns of what a service of a Swarm asks of nodes and none of them has, so that its tasks would never find a place
 * (G13), and of volumes whose data stay behind when a task moves. Pure.
 */
export function nodeWarnings(
  differences: readonly Difference[],
  { asking }: Pick<DesiredState, 'asking'>,
  { nodes }: Pick<SiteResources, 'nodes'>,
): readonly Problem[] {
  if (nodes === undefined) return []
  const guesses = guessesIn(nodes)
  return startedIn(differences).flatMap(({ site, declared: { application, service } }) => {
    const { runs } = service.instances[0] ?? {}
    if (runs === undefined) return []
    // What is wanted from another commit is written there.
    const places = application.commit === undefined ? asking?.get(application.name) : undefined
    const on: AskedOn = { application: application.name, site, places: places?.get(service.name) }
    const fit = nodes.filter(node => isFitFor(node, runs))
    const able = fit.filter(({ isDrained }) => !isDrained).length
    return [
      ...lackOfLabels(service, on, nodes, fit.length > 0, guesses),
      ...lackOfSpread(runs.spread ?? [], service, on, nodes, guesses),
      ...lackOfDrivers(service, on, nodes, fit, guesses),
      ...volumesPerNode(service, on, able),
    ]
  })
}

/** Those of which anything is made anew. */
function startedIn(differences: readonly Difference[]): readonly DeclaredDifference[] {
  return differences.flatMap(difference =>
    difference.kind !== 'orphaned' && difference.missing.length > 0 ? [difference] : [],
  )
}

type Guesses = { readonly label: (name: string) => string; readonly driver: (name: string) => string }

function guessesIn(nodes: readonly SwarmNode[]): Guesses {
  const labels = [...new Set(nodes.flatMap(({ labels }) => [...labels.keys()]))]
  const drivers = [...new Set(nodes.flatMap(({ drivers = [] }) => drivers))]
  return { label: guessing(() => labels), driver: guessing(() => drivers) }
}

/** After `not`, which excludes nodes that somebody labels some day, only a label is told that is nearly one that there is. */
function lackOfLabels(
  service: Service,
  on: AskedOn,
  nodes: readonly SwarmNode[],
  isFit: boolean,
  { label: guess }: Guesses,
): readonly Problem[] {
  const { constraints = [], platform } = service.instances[0]?.runs ?? {}
  const unknown = [...(service.nodes === undefined ? [] : labelsIn(service.nodes))].flatMap(
    ([label, isExcluded]) => {
      if (isKnown(nodes, label)) return []
      const meant = guess(label)
      return isExcluded && meant === '' ? [] : [`the label "${label}"${meant}`]
    },
  )
  const position = on.places?.labels
  if (unknown.length > 0 || isFit) return unknown.map(what => lacking(service, on, what, position))
  const asked = [
    ...constraints.map(one => [one, { constraints: [one] }] as const),
    ...(platform === undefined ? [] : [[platform, { platform }] as const]),
  ]
  const unmet = asked.filter(([, demand]) => !nodes.some(node => isFitFor(node, demand)))
  const words = (unmet.length > 0 ? unmet : asked).map(([said]) => said).join(' and ')
  return [lacking(service, on, unmet.length > 0 ? words : `all of ${words}`, position)]
}

function lackOfSpread(
  spread: readonly string[],
  service: Service,
  on: AskedOn,
  nodes: readonly SwarmNode[],
  { label: guess }: Guesses,
): readonly Problem[] {
  return spread.flatMap((label, index) => {
    const what = `the label "${label}", over whose values its tasks are to be spread${guess(label)}`
    return isKnown(nodes, label) ? [] : [lacking(service, on, what, on.places?.spread[index])]
  })
}

/** Those that its labels leave have to have them; if none is left, any. */
function lackOfDrivers(
  service: Service,
  on: AskedOn,
  nodes: readonly SwarmNode[],
  fit: readonly SwarmNode[],
  { driver: guess }: Guesses,
): readonly Problem[] {
  const isChosen = fit.length > 0 && fit.length < nodes.length
  const able = isChosen ? fit : nodes
  return volumesOnNodes(service).flatMap(({ volume, made: { driver } = { driver: 'local' } }) => {
    if (able.some(node => hasDriver(node, driver))) return []
    const what = `the driver "${driver}" of its volume ${volume}`
    const told = isChosen ? `${what} and meets what it asks for` : `${what}${guess(driver)}`
    return [lacking(service, on, told, on.places?.volumes.get(volume))]
  })
}

function isKnown(nodes: readonly SwarmNode[], label: string): boolean {
  return nodes.some(({ labels }) => labels.has(label))
}

function lacking(
  { name }: Service,
  { application, site }: AskedOn,
  what: string,
  position: Position | undefined,
): Problem {
  const message = `${application}/${name}: no node of ${site} has ${what}`
  return { code: 'nodes-lacking', message, ...optional('position', position) }
}
