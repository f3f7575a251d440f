import type { SiteResources } from '../../resources.ts'
import type { Change, InstanceLine } from '../change.ts'
import { unneeded } from './clean-up.ts'

const name = 'unneeded files'

const reason = 'no service needs it'

/**
 * Returns the removal of configs and secrets that no service of a Swarm needs any more, as one change. A rollout removes
 * its own; these were left by one that ended before that (G15, G16). Pure.
 */
export function unneededFiles(
  site: string,
  { unneededFiles: files = [] }: Pick<SiteResources, 'unneededFiles'>,
): readonly Change[] {
  if (files.length === 0) return []
  return [
    unneeded(site, name, {
      reason,
      lines: files.map((file): InstanceLine => ({ sign: '-', name: `file ${file}`, reason })),
      steps: [{ do: 'forget-files', service: name }],
    }),
  ]
}
