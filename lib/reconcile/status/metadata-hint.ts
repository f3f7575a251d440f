import { splitKey } from '../../plan/change/change.ts'
import { metadataName } from '../../state/application/metadata.ts'

const imageHint =
  'Set "metadata: {image: …}" in tallyman.yaml to the image of tallyman, of the same version; see docs/pods.md.'

/** Their hints speak of a specification and of commits, which the metadata service does not have. */
const ofSpecification: readonly string[] = ['start-refused', 'exited-early', 'quarantined', 'image-not-found']

/**
 * Returns what to do about an error of an application. The metadata service is the operator's, so whatever is wrong
 * with it, the place of its image is named (C53).
 * @param usual what is said where another application has it
 * @param resource the application, or the key of its change
 */
export function hintOfError(code: string, usual: string, resource: string | undefined): string {
  const { application, service } = splitKey(resource ?? '')
  // Some errors are about an application as a whole, and name nothing else.
  if ((application || service) !== metadataName) return usual
  return ofSpecification.includes(code)
    ? imageHint
    : `${usual} If its image is at fault: ${lowered(imageHint)}`
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}
