import type { Problem } from '../errors.ts'
import type { Instance } from '../state/application.ts'
import type { ServiceEntry } from '../state/service-entry.ts'
import type { Built } from './build.ts'
import type { BuildContext } from './context.ts'
import { pinnedImage } from './image.ts'
import { isPresent } from './present.ts'
import { defaults } from './read/container.ts'
import { defaultStrategy } from './read/strategy.ts'

/**
 * A service of a manifest that no specification describes: an application of one service of its own name, each entry
 * of `containers` one instance (E25) with the image's own defaults, on the environment's network.
 */
export function buildPlain(entry: ServiceEntry, context: BuildContext): Built {
  const { name, version, containers = [] } = entry
  const problems: Problem[] = []
  if (containers.length === 0)
    problems.push({
      code: 'nothing-to-run',
      message: `${name} names no containers, and there is no application specification applications/${name}.yaml`,
      position: entry.position,
    })
  const instances = containers
    .map(({ dockerName = name, dockerTag, dockerDigest, position }): Instance | undefined => {
      const digest = dockerDigest === undefined ? {} : { dockerDigest }
      const image = pinnedImage({ dockerName, dockerTag, ...digest }, context.registry)
      if (image.ok)
        return {
          containers: [{ name, image: image.value, ...defaults }],
          network: { name: context.environment },
          volumes: [],
        }
      problems.push({
        code: 'image-invalid',
        message: `${name}: image "${dockerName}:${dockerTag}" ${image.reason}`,
        position,
      })
      return undefined
    })
    .filter(isPresent)
  return {
    application: {
      name,
      ...(version === undefined ? {} : { version }),
      services: [{ name, instances, strategy: defaultStrategy(context.healthyMs) }],
      requires: [],
    },
    problems,
    warnings: [],
    requirements: new Map(),
    claims: new Map(),
  }
}
