import type { Image, Container as Model } from '../../state/container.ts'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'
import type { Secrets } from '../../state/secrets.ts'
import type { Container } from '../application.gen.ts'
import { parseDuration } from '../grammar/duration.ts'
import { parsePath } from '../grammar/path.ts'
import { parseRestart } from '../grammar/restart.ts'
import { parseSignal } from '../grammar/signal.ts'
import { present } from '../present.ts'
import type { Spot } from '../spot.ts'
import { readStart } from './command.ts'
import { readEnvironment } from './environment.ts'
import { readHealthcheck } from './healthcheck.ts'
import { readLimits } from './limits.ts'
import { readMounts } from './mounts.ts'
import { readNaming } from './naming.ts'
import { type Pairs, readPairs } from './pairs.ts'
import { readPorts } from './ports.ts'
import { readPrivileges } from './privileges.ts'
import type { Variables } from './variables.ts'
import type { VolumeKind } from './volumes.ts'

/** What the container's service decides for it. */
export type Surroundings = {
  readonly image: Image
  readonly volumes: ReadonlyMap<string, VolumeKind>
  /** The service has one instance (D7). */
  readonly alone: boolean
  /** The containers of an instance share ephemeral volumes. */
  readonly shared: boolean
  readonly known: { readonly variables: Variables; readonly secrets: Secrets }
}

/** What every container has that says nothing else. */
export const defaults = { restart: { name: 'unless-stopped' }, stopGraceMs: 10_000 } as const

/** One container in Compose's names and value grammar; what is not set is absent, so that it is no difference (G2). */
export function readContainer(written: Container, surroundings: Surroundings, spot: Spot): Model {
  const { image, volumes, alone, shared, known } = surroundings
  const { user, working_dir: directory, stop_signal: signal, restart, stop_grace_period: grace } = written
  const { ports, healthcheck, labels, logging } = written
  return {
    name: written.name,
    image,
    restart:
      (restart === undefined ? undefined : spot.at('restart').take(parseRestart(restart))) ??
      defaults.restart,
    stopGraceMs:
      (grace === undefined ? undefined : spot.at('stop_grace_period').take(parseDuration(grace))) ??
      defaults.stopGraceMs,
    ...readStart(written, spot),
    ...readNaming(written, spot),
    ...readLimits(written, spot),
    ...readPrivileges(written, spot),
    ...readMounts(written, volumes, { alone, shared }, spot),
    ...present({
      env: readEnvironment(written, known, spot),
      user: user === undefined ? undefined : spot.at('user').take(parseUser(String(user))),
      workingDir:
        directory === undefined ? undefined : spot.at('working_dir').take(parseDirectory(directory)),
      labels: labels === undefined ? undefined : readLabels(labels, spot.at('labels')),
      ports: ports === undefined ? undefined : readPorts(ports, spot.at('ports')),
      healthcheck:
        healthcheck === undefined ? undefined : readHealthcheck(healthcheck, spot.at('healthcheck')),
      stopSignal: signal === undefined ? undefined : spot.at('stop_signal').take(parseSignal(signal)),
      init: written.init,
      readOnly: written.read_only === true ? true : undefined,
      logging:
        logging === undefined
          ? undefined
          : {
              driver: logging.driver,
              options: readPairs(logging.options ?? {}, spot.at('logging', 'options')),
            },
    }),
  }
}

/** Labels of the user's own; those that begin with `tallyman.` say what is ours and cannot be set. */
function readLabels(written: Pairs, spot: Spot): Readonly<Record<string, string>> {
  const labels = readPairs(written, spot)
  for (const name of Object.keys(labels))
    if (name.toLowerCase().startsWith('tallyman.'))
      spot.fault(`sets ${name}; labels that begin with tallyman. are not yours`)
  return labels
}

function parseUser(text: string): Parsed<string> {
  return /^[a-z0-9_][a-z0-9_.-]*\$?(:[a-z0-9_][a-z0-9_.-]*\$?)?$/i.test(text)
    ? parsed(text)
    : malformed(`"${text}" is no user; write for example 1000:1000`)
}

function parseDirectory(text: string): Parsed<string> {
  return text === '/' ? parsed('/') : parsePath(text)
}
