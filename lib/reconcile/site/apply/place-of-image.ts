import type { Engine } from '../../../engine.ts'
import { Failure, formatPosition } from '../../../errors.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { imageKey } from '../../../state/image/images.ts'
import { withoutSite } from '../../../text/sites/without-site.ts'

/**
 * Returns an engine whose failures of images that lack something say where in the repository the image is named: only
 * whoever read that knows it.
 */
export function namingImages(engine: Engine, written: DesiredState['written']): Engine {
  if (written === undefined) return engine
  return {
    ...engine,
    async execute(step, ...more) {
      try {
        return await engine.execute(step, ...more)
      } catch (error) {
        if (step.do !== 'check-image' || !(error instanceof Failure) || error.code !== 'image-lacking')
          throw error
        const [application = ''] = step.of.split('/')
        const place = written.get(application)?.get(imageKey(step.image))
        if (place === undefined) throw error
        const { code, message, hint, resource = '' } = error
        const said = `${engine.site}: ${formatPosition(place.image)}${withoutSite(message, engine.site)}`
        throw new Failure(code, said, { hint, resource, cause: error })
      }
    },
  }
}
