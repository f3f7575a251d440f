import type { TallymanConfiguration as File } from '../config.gen.ts'
import { canonicalHost } from '../registry/api/host.ts'
import { asDirectory } from '../state/identity.ts'

/** The place of a duplicate in the configuration, and what it is. */
export type Twin = { readonly pointer: string; readonly reason: string }

/**
 * Returns what is in the configuration twice, under whatever spelling: sites of one name in whatever case, logins for
 * one registry, one environment. Without this check the first one would silently be used. Each reason names the other
 * place.
 */
export function twins(file: File): readonly Twin[] {
  const sites: NonNullable<File['sites']> | readonly [] = file.sites ?? []
  const environments: readonly string[] = file.environments ?? []
  const { registries = [] } = file
  return [
    ...second(
      sites.map(({ name }, index) => ({
        pointer: `/sites/${index}/name`,
        said: name,
        key: name.toLowerCase(),
      })),
      'is the name of two sites',
    ),
    ...second(
      registries.map(({ host }, index) => ({
        pointer: `/registries/${index}/host`,
        said: host,
        key: canonicalHost(host),
      })),
      'is a registry that has a login already',
    ),
    ...second(
      environments.map((written, index) => ({
        pointer: `/environments/${index}`,
        said: written,
        key: asDirectory(written),
      })),
      'is an environment that is named already',
    ),
  ]
}

type Entry = { readonly pointer: string; readonly said: string; readonly key: string }

function second(entries: readonly Entry[], what: string): readonly Twin[] {
  return entries.flatMap(({ pointer, said, key }, index) => {
    const first = entries.slice(0, index).find(other => other.key === key)
    if (first === undefined) return []
    const spelled = first.said === said ? '' : `, as "${first.said}"`
    return [{ pointer, reason: `"${said}" ${what}: ${first.pointer}${spelled}` }]
  })
}
