import { type Problem, upTo } from '../errors.ts'
import { limits } from '../limits.ts'
import type { DeploymentFile } from '../spec/deployment/parse.ts'
import type { Deployment } from '../state/fleet/deployment.ts'
import { builtIn } from '../state/fleet/labels.ts'
import { labelsIn } from '../state/fleet/labels-in.ts'
import { guessing } from '../text/suggestion/guess.ts'
import type { KnownSites } from './sites/directories.ts'

/**
 * Returns warnings about labels in the expressions of deployments that no site of the environment has: a label that is
 * misspelt is met by nobody, and says nothing (G13). After `not`, which excludes sites that somebody labels some day,
 * only a label is told that is nearly one that there is.
 */
export function unknownLabels(
  files: Iterable<DeploymentFile>,
  deployments: readonly Deployment[],
  { here }: Pick<KnownSites, 'here'>,
): readonly Problem[] {
  const used = new Set(deployments)
  const valid = [...files].flatMap(file =>
    file.state === 'valid' && used.has(file.deployment) ? [file] : [],
  )
  const written = valid.flatMap(({ deployment: { placement, canary }, placementAt, canaryAt }) => [
    ...(placement.kind === 'all-sites' ? [] : [{ of: placement.expression, position: placementAt }]),
    ...(canary === undefined ? [] : [{ of: canary.expression, position: canaryAt }]),
  ])
  if (written.length === 0) return []
  const known = new Set([...Object.values(builtIn), ...[...here.values()].flatMap(Object.keys)])
  const guess = guessing(() => [...known])
  const problems = written.flatMap(({ of, position }) =>
    [...labelsIn(of)].flatMap(([label, isExcluded]): readonly Problem[] => {
      if (known.has(label)) return []
      const meant = guess(label)
      if (isExcluded && meant === '') return []
      const message = `no site of the environment has the label "${label}"${meant}`
      return [{ code: 'label-unknown', message, position }]
    }),
  )
  return upTo(problems, limits.problemsOfFile)
}
