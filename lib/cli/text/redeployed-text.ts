import type { Redeployed } from '../../answers/deployment.ts'
import { sitesInWords } from '../../plan/text/by-site.ts'

/** Says what it changes to evaluate the sites of a deployment anew, as far as that can be told already. */
export function redeployedText({ redeployed, joins, leaves }: Redeployed): string {
  const said = `The sites of ${redeployed} are evaluated anew`
  if (joins === undefined || leaves === undefined) return `${said}.`
  if (joins.length + leaves.length === 0) return `${said}: they stay the same.`
  const changes = [
    ...(leaves.length === 0 ? [] : [`it leaves ${sitesInWords(leaves)}`]),
    ...(joins.length === 0 ? [] : [`it comes to ${sitesInWords(joins)}`]),
  ]
  return `${said}: ${changes.join(', and ')}.`
}
