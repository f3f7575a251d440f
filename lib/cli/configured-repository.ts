import type { Config } from '../config.ts'
import { parseRepositoryAddress } from '../git/address.ts'
import { sourceName } from '../git/source.ts'
import type { Repository } from '../state/identity.ts'

/** Returns the repository of a configuration; undefined if it names none. */
export function repositoryOf({
  repository: { url, name },
}: Pick<Config, 'repository'>): Repository | undefined {
  if (url === '.') return undefined
  const { name: address } = parseRepositoryAddress(url)
  return { source: sourceName(address, name), address }
}
