import type { Image, Container as Model } from '../../state/application/container/container.ts'
import { isReserved } from '../../state/labels.ts'
import type { Parsed } from '../../state/parsed.ts'
import { parsed } from '../../state/parsed.ts'
import type { Container } from '../application.gen.ts'
import { parseDuration } from '../grammar/duration.ts'
import { parsePath } from '../grammar/path.ts'
import { parseRestart } from '../grammar/restart.ts'
import { parseSignal } from '../grammar/signal.ts'
import { parseGroup, parseUser } from '../grammar/user.ts'
import { isPresent, present } from '../present.ts'
import type { Spot } from '../spot.ts'
import { readStart } from './command.ts'
import { readEnvironment } from './environment.ts'
import { readHealthcheck } from './health/healthcheck.ts'
import { readLimits } from './limits.ts'
import { readLogging } from './logging.ts'
import { readNaming } from './naming.ts'
import { readPorts } from './ports.ts'
import { readPrivileges } from './privileges.ts'
import type { Nameable } from './value/dollars.ts'
import { type Pairs, readPairs } from './value/pairs.ts'
import { readMounts } from './volume/mounts.ts'
import type { VolumeKind } from './volume/volumes.ts'

/** What the container's service decides for it. */
export type ContainerSurroundings = {
  readonly image: Image
  readonly volumes: ReadonlyMap<string, VolumeKind | undefined>
  /** Whether the service has one instance (D7). */
  readonly alone: boolean
  /** Whether the containers of an instance share ephemeral volumes. */
  readonly shared: boolean
  readonly known: Nameable
}

/** The settings of every container that sets nothing else. */
export const defaults = { restart: { name: 'unless-stopped' }, stopGraceMs: 10_000 } as const

/**
 * Reads one container with Compose's names and grammar of values. What is not set is absent, so that it is no
 * difference (G2).
 */
export function readContainer(written: Container, surroundings: ContainerSurroundings, spot: Spot): Model {
  const { image, volumes, alone, shared, known } = surroundings
  const { user, working_dir: directory, stop_signal: signal, restart, stop_grace_period: grace } = written
  const { ports, healthcheck, labels, logging, group_add: groups } = written
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
      user: user === undefined ? undefined : spot.at('user').take(parseUser(spot.at('user').text(user))),
      workingDir:
        directory === undefined ? undefined : spot.at('working_dir').take(parseDirectory(directory)),
      groupAdd: groups === undefined ? undefined : readGroups(groups, spot.at('group_add')),
      tty: written.tty === true ? true : undefined,
      stdinOpen: written.stdin_open === true ? true : undefined,
      labels: labels === undefined ? undefined : readLabels(labels, spot.at('labels')),
      ports: ports === undefined ? undefined : readPorts(ports, spot.at('ports')),
      healthcheck:
        healthcheck === undefined ? undefined : readHealthcheck(healthcheck, spot.at('healthcheck')),
      stopSignal: signal === undefined ? undefined : spot.at('stop_signal').take(parseSignal(signal)),
      init: written.init,
      readOnly: written.read_only === true ? true : undefined,
      logging: logging === undefined ? undefined : readLogging(logging, spot.at('logging')),
    }),
  }
}

/** Reads the user's labels. Those that begin with `tallyman.` identify what belongs to Tallyman, and cannot be set. */
function readLabels(written: NonNullable<Container['labels']>, spot: Spot): Readonly<Record<string, string>> {
  const labels = readPairs(withValues(written), spot)
  for (const name of Object.keys(labels))
    if (isReserved(name)) spot.fault(`sets ${name}; labels that begin with tallyman. are not yours`)
  return labels
}

/** A label without a value is empty, as in Compose. */
function withValues(written: NonNullable<Container['labels']>): Pairs {
  return Array.isArray(written)
    ? written.map(line => (line.includes('=') ? line : `${line}=`))
    : Object.fromEntries(Object.entries(written).map(([name, value]) => [name, value ?? '']))
}

/** Sorts groups and removes duplicates, so that another order is no difference (G2). */
function readGroups(written: NonNullable<Container['group_add']>, spot: Spot): readonly string[] {
  const groups = written.map((group, index) => spot.at(index).take(parseGroup(spot.at(index).text(group))))
  return [...new Set(groups.filter(isPresent))].sort()
}

function parseDirectory(text: string): Parsed<string> {
  return text === '/' ? parsed('/') : parsePath(text)
}
