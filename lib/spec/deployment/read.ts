import { hashOf } from '../../state/canonical.ts'
import type { Canary, Deployment, Matching, SitePlacement } from '../../state/fleet/deployment.ts'
import { parseDuration } from '../grammar/duration.ts'
import { present } from '../present.ts'
import { type PatternCost, readLabelExpression } from '../read/label-expression.ts'
import type { Spot } from '../spot.ts'
import type { ApplicationDeploymentSpecification as Written } from './deployment.gen.ts'

type WrittenStrategy = NonNullable<Written['deploy-to-sites']>

/**
 * Reads an application deployment specification that follows its schema (A10, A20, A30). Undefined if a fault was noted
 * without which there is no placement. The cost grows by what its label expressions cost.
 */
export function readDeployment(written: Written, root: Spot, cost: PatternCost): Deployment | undefined {
  const strategy = written['deploy-to-sites'] ?? {}
  const at = root.at('deploy-to-sites')
  const version = readVersion(written['application-version'] ?? '*', root.at('application-version'))
  const placement = readPlacement(written.placement, root.at('placement'), cost)
  const healthyMs = readTime(strategy['healthy-time'], at.at('healthy-time')) ?? 0
  const canary = readCanary(strategy, at, cost)
  if (placement === undefined) return undefined
  const { name, application } = written
  const { 'sites-in-parallel': sitesInParallel } = strategy
  const said = { name, application, placement, healthyMs, ...present({ sitesInParallel, canary }) }
  return { ...said, ...present({ version }), revision: revisionOf(said) }
}

/** The schema guarantees a text, but a number may be too long. */
function readVersion(written: string | number, spot: Spot): string | undefined {
  const version = spot.text(written)
  if (version.length > longestVersion) spot.fault(`must have at most ${longestVersion} characters`)
  return version === '*' ? undefined : version
}

const longestVersion = 128

function readPlacement(
  written: Written['placement'],
  spot: Spot,
  cost: PatternCost,
): SitePlacement | undefined {
  const { 'all-sites': all, 'match-site-labels': labels } = written
  if (all === undefined && labels === undefined) spot.fault('needs "all-sites: true" or "match-site-labels"')
  if (all !== undefined && labels !== undefined)
    spot.fault('has both "all-sites" and "match-site-labels"; keep one of them')
  if (labels === undefined) return all && { kind: 'all-sites' }
  const matching = readLabels(labels, spot.at('match-site-labels'), cost)
  return matching && { kind: 'match-site-labels', ...matching }
}

/**
 * Reads which sites are first, and when the others follow (A31). Without `canary-healthy-time` it is the `healthy-time`.
 * One of them has to be there, because a canary that nobody waits for tries nothing.
 */
function readCanary(written: WrittenStrategy, spot: Spot, cost: PatternCost): Canary | undefined {
  const {
    'canary-sites': sites,
    'canary-healthy-time': time,
    'canary-continue-by-action': byAction,
    'healthy-time': usual,
  } = written
  if (sites === undefined) {
    for (const key of ['canary-healthy-time', 'canary-continue-by-action'] as const)
      if (written[key] !== undefined) spot.at(key).fault('needs "canary-sites" beside it')
    return undefined
  }
  const matching = readLabels(sites['match-site-labels'], spot.at('canary-sites', 'match-site-labels'), cost)
  if (time !== undefined && byAction !== undefined)
    spot.fault('has both "canary-healthy-time" and "canary-continue-by-action"; keep one of them')
  const healthyMs = readTime(
    time ?? usual,
    spot.at(time === undefined ? 'healthy-time' : 'canary-healthy-time'),
  )
  if (byAction === undefined && time === undefined && usual === undefined)
    spot
      .at('canary-sites')
      .fault('needs "canary-healthy-time", "canary-continue-by-action: true" or "healthy-time" beside it')
  if (matching === undefined) return undefined
  return { ...matching, next: byAction ? { kind: 'word' } : { kind: 'healthy', healthyMs: healthyMs ?? 0 } }
}

function readTime(written: string | undefined, spot: Spot): number | undefined {
  return written === undefined ? undefined : spot.take(parseDuration(written))
}

function readLabels(text: string, spot: Spot, cost: PatternCost): Matching | undefined {
  const expression = readLabelExpression(text, spot, cost)
  return expression && { expression, text }
}

/** How a text is wrapped is no part of what it says. The version is compared by itself (A25). */
function revisionOf({ placement, canary, ...said }: Omit<Deployment, 'revision' | 'version'>): string {
  return hashOf({ ...said, placement: { ...placement, text: '' }, canary: canary && { ...canary, text: '' } })
}
