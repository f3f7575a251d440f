import type { Problem } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Instance } from '../../state/application/application.ts'
import { openNetwork } from '../../state/application/network.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import { imageNotes } from '../../state/image/places.ts'
import { claimsOfPlain } from '../claims/claims.ts'
import { pinnedImage } from '../image.ts'
import { isPresent } from '../present.ts'
import { defaults } from '../read/container.ts'
import { defaultStrategy } from '../read/strategy.ts'
import type { Built } from './build.ts'
import type { BuildContext } from './context.ts'
import { noSize } from './size.ts'

/**
 * Returns the warning for a service with neither containers nor a specification (E3): nothing of it runs, and that is
 * no error.
 */
export function nothingToRun({ name, containers = [], position }: ServiceEntry): Problem | undefined {
  if (containers.length > 0) return undefined
  const message = `${name} names no containers, and there is no application specification applications/${name}.yaml; nothing of it runs`
  return { code: 'nothing-to-run', message, position }
}

/**
 * Builds a service of a manifest that no specification describes. It is an application with one service of its own
 * name. Each entry of `containers` is one instance (E25) with the image's own defaults, on the environment's network.
 */
export function buildPlain(entry: ServiceEntry, context: BuildContext): Built {
  const { name, version, containers = [], position } = entry
  const problems: Problem[] = []
  const { containers: before } = context.taken ?? noSize
  const isTooMuch = before + containers.length > limits.containersTogether
  if (isTooMuch)
    problems.push({
      code: 'application-too-large',
      message: `${name} brings all applications together to more than ${limits.containersTogether} containers; name fewer`,
      position,
    })
  const notes = imageNotes()
  const instances = (isTooMuch ? [] : containers)
    .map(({ dockerName = name, dockerTag, dockerDigest, position }): Instance | undefined => {
      const digest = dockerDigest === undefined ? {} : { dockerDigest }
      const image = pinnedImage({ dockerName, dockerTag, ...digest }, context.registry)
      if (image.ok) {
        notes.note(image.value, { image: position })
        return {
          containers: [{ name, image: image.value, ...defaults }],
          network: openNetwork(context.environment),
          volumes: [],
        }
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
    images: notes.places,
    requirementAt: () => position,
    size: { ...noSize, containers: instances.length },
    claims: instances.length === 0 ? [] : claimsOfPlain(entry, openNetwork(context.environment).name),
  }
}
