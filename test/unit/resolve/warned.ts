import { formatProblem } from '../../../lib/errors.ts'
import { unknownLabels } from '../../../lib/resolve/unknown-labels.ts'
import { parseDeployment } from '../../../lib/spec/deployment/parse.ts'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'

const here = new Map([
  ['north', labelsOf([['region', 'north']])],
  ['lab', labelsOf([['lab', '']])],
])

/** The warnings about a deployment with this placement. */
export function warned(placement: string, more = '', sites = here): readonly string[] {
  const text = `name: web\napplication: web\nplacement:\n  match-site-labels: ${placement}\n${more}`
  const file = parseDeployment('deployments/web.yaml', text)
  const deployments = file.state === 'valid' ? [file.deployment] : []
  return unknownLabels([file], deployments, { here: sites }).map(formatProblem)
}
