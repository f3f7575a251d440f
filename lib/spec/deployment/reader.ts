import { posix } from 'node:path'
import { isNearlyDocumentName } from '../../state/repository/layout.ts'
import type { Snapshot } from '../../state/repository/snapshot.ts'
import { type NamedKind, type NamedReader, namedReader } from '../specification/named-files.ts'
import type { DeploymentFile } from './parse.ts'
import { strayDeployments } from './strays.ts'

/** Returns the deployment specifications of an environment, by the names of their files; stray ones by their paths. */
export type DeploymentReader = NamedReader<DeploymentFile>

/** Creates the reader of deployment specifications. What reads them is loaded with the first of them. */
export function deploymentReader(snapshot: Snapshot): DeploymentReader {
  const proper = namedReader<DeploymentFile>(snapshot, kind)
  const strays = namedReader<DeploymentFile>(snapshot, {
    ...kind,
    find: strayDeployments,
    load: async () => {
      const parse = await kind.load()
      return (file, text) => strayOf(parse(file, text))
    },
    unusable: (file, problems) => strayOf(kind.unusable(file, problems)),
  })
  return async directory => {
    const [read, astray] = await Promise.all([proper(directory), strays(directory)])
    return astray.size === 0 ? read : new Map([...read, ...astray])
  }
}

const kind: NamedKind<DeploymentFile> = {
  directory: 'deployments',
  duplicate: 'duplicate-deployment',
  load: async () => (await import('./parse.ts')).parseDeployment,
  unusable: (file, problems) => ({ state: 'invalid', file, problems }),
  tokensOf: ({ tokens }) => tokens,
}

/** What a stray file says is not used: only which application it is about. */
function strayOf(read: DeploymentFile): DeploymentFile {
  const { file, tokens } = read
  const application = read.state === 'valid' ? read.deployment.application : read.application
  const message = isNearlyDocumentName(posix.basename(file))
    ? 'is not read: its name has to end in .yaml, .yml or .json, in lower case'
    : 'is not read: deployment specifications stand directly in a directory named deployments'
  return {
    state: 'stray',
    file,
    problem: { code: 'deployment-misnamed', message, position: { file } },
    ...(application === undefined ? {} : { application }),
    ...(tokens === undefined ? {} : { tokens }),
  }
}
