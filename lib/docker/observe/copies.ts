import { isNameOf } from '../../state/running/instance-name.ts'
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
  const copies = new Set(
    [...alike.values()].flatMap(same => {
      if (same.length === 1) return []
      const others = same.filter(({ live }) => !isNameOf(live.engineName, { environment, ...live }))
      return others.length < same.length ? others : []
    }),
  )
  return copies.size === 0 ? seen : seen.filter(one => !copies.has(one))
}
