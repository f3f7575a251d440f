import { digestOf } from '../../images/images.ts'
import type { Container, Daemon } from '../container/container.ts'

/**
 * Makes an image of a container as it is now, with its labels, as `docker commit` does. Returns the id of the image.
 * Files that were written into the container since it was created are left out.
 */
export function commit(daemon: Daemon, container: Container, repository: string, tag: string): string {
  const { image, config } = container
  const { Cmd, Entrypoint, Env, Labels, User, WorkingDir, ExposedPorts, Volumes } = config
  const made = { Cmd, Entrypoint, Env, Labels, User, Volumes, WorkingDir: String(WorkingDir) }
  const more = {
    ...(ExposedPorts === undefined ? {} : { ExposedPorts }),
    ...(config.StopSignal === undefined ? {} : { StopSignal: config.StopSignal }),
    ...(config.Healthcheck === undefined ? {} : { Healthcheck: config.Healthcheck }),
  }
  const id = digestOf(JSON.stringify([container.id, daemon.now().text, made, more]))
  daemon.images.add({ ...image, id, digest: '', config: { ...made, ...more } }, repository, tag)
  return id
}
