import { instanceName } from '../../state/running/instance-name.ts'
import { isOfInstance } from '../../state/running/job-container.ts'
import type { LiveContainer } from '../../state/running/live.ts'

/**
 * Leaves out what bears all labels of a container of an instance under another name, while that container is there under
 * the name of its instance: somebody copied the labels, and it is not ours (G10). A container that is there alone under
 * another name was renamed, and is given its name back (D9).
 */
export function withoutCopies<T extends { readonly live: LiveContainer }>(
  environment: string,
  seen: readonly T[],
): readonly T[] {
  const alike = Map.groupBy(
    seen.filter(({ live }) => isOfInstance(live)),
    ({ live: { application, service, instance, fingerprint, container, role } }) =>
      `${application} ${service} ${instance} ${fingerprint} ${container} ${role}`,
  )
  if (alike.size === seen.length) return seen
  const copies = new Set(
    [...alike.values()].flatMap(same =>
      same.some(hasOwnName(environment)) ? same.filter(one => !hasOwnName(environment)(one)) : [],
    ),
  )
  return copies.size === 0 ? seen : seen.filter(one => !copies.has(one))
}

function hasOwnName(environment: string): (one: { readonly live: LiveContainer }) => boolean {
  return ({ live }) => {
    const own = instanceName({ environment, ...live })
    return live.engineName === own || live.engineName.startsWith(`${own}.`)
  }
}
