import { type Identity, isOurs } from '../../state/identity.ts'
import { isNameOf } from '../../state/running/instance-name.ts'
import { isOfInstance } from '../../state/running/job-container.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import { type ListedContainer, toLiveContainer } from './live-container.ts'

/**
 * Returns the containers of an owner among all that an engine lists, whether they run or not: those whose labels say so
 * in a way that can be understood, but for copies (G10).
 */
export function ownContainers<Listed extends ListedContainer>(
  all: readonly Listed[],
  owner: Identity,
): readonly { readonly live: LiveContainer; readonly listed: Listed }[] {
  const labelled = all
    .filter(({ Labels }) => isOurs(Labels, owner))
    .flatMap(listed => {
      const live = toLiveContainer(listed)
      return live === undefined ? [] : [{ live, listed }]
    })
  return withoutCopies(owner.environment, labelled)
}

/**
 * Leaves out what bears all labels of a container of an instance under another name, while that container is there under
 * the name of its instance: somebody copied the labels, and it is not ours. A container that is there alone under another
 * name was renamed, and is given its name back (D9).
 */
function withoutCopies<T extends { readonly live: LiveContainer }>(
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
