import type { Snapshot } from '../../state/repository/snapshot.ts'
import { type NamedReader, namedReader } from '../named-files.ts'
import type { DeploymentFile } from './parse.ts'

/** Returns the deployment specifications of an environment, by the names of their files. */
export type DeploymentReader = NamedReader<DeploymentFile>

/** Creates the reader of deployment specifications. What reads them is loaded with the first of them. */
export function deploymentReader(snapshot: Snapshot): DeploymentReader {
  return namedReader<DeploymentFile>(snapshot, {
    directory: 'deployments',
    duplicate: 'duplicate-deployment',
    load: async () => (await import('./parse.ts')).parseDeployment,
    unusable: (file, problems) => ({ state: 'invalid', file, problems }),
    tokensOf: ({ tokens }) => tokens,
  })
}
