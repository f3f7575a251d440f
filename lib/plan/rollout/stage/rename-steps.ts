import { isNameOfAnother } from '../../../state/running/instance-name.ts'
import type { LiveContainer } from '../../../state/running/live.ts'
import { baseName } from '../../../state/running/loaded.ts'
import { strayName } from '../../../state/running/stray.ts'
import type { LiveInstance, WantedInstance } from '../../compare/instance/instance.ts'
import type { Step } from '../../step/step.ts'

/**
 * Returns the same instance with its containers under the names that they should have. Labels identify a container, not
 * its name. A container with another name records that.
 */
export function underItsNames(live: LiveInstance, wanted: WantedInstance): LiveInstance {
  return renamed(live, container => {
    const found = wanted.containers.find(({ spec }) => spec.name === container.container)
    return found?.engineName
  })
}

/** Returns the same instance with other names for containers that have one of these names, or another instance's. */
export function outOfTheWay(
  environment: string,
  live: LiveInstance,
  names: ReadonlySet<string>,
): LiveInstance {
  return renamed(live, container => {
    const { engineName, id } = container
    const isAnothers =
      names.has(baseName(engineName)) || isNameOfAnother(engineName, { environment, ...container })
    return isAnothers ? strayName(engineName, id) : undefined
  })
}

/**
 * Returns the steps that rename containers to their proper names. They come before all others, because all steps use
 * names.
 */
export function renameSteps(instances: readonly LiveInstance[]): readonly Step[] {
  return instances
    .flatMap(({ containers }) => containers)
    .filter(({ bears }) => bears !== undefined)
    .map(({ id, engineName }) => ({ do: 'rename-container', container: engineName, id }))
}

function renamed(live: LiveInstance, nameOf: (container: LiveContainer) => string | undefined): LiveInstance {
  const change = (container: LiveContainer): LiveContainer => {
    const name = nameOf(container)
    if (
      container.isExternal ||
      container.runs ||
      name === undefined ||
      baseName(container.engineName) === name
    )
      return container
    const { loaded: _, ...rest } = container
    return { ...rest, engineName: name, bears: container.engineName }
  }
  if (live.containers.every(container => change(container) === container)) return live
  const [first, ...others] = live.containers
  return { ...live, containers: [change(first), ...others.map(change)] }
}
