import type { Instance, Job } from '../../state/application/application.ts'
import type { Container, Mount } from '../../state/application/container/container.ts'
import { gateAlias, type Statics } from '../../state/application/ingress/route.ts'
import type { Text } from '../../state/secret/secret.ts'
import { byText } from '../../text/order.ts'
import type { Container as WrittenContainer, Service as WrittenService } from '../application.gen.ts'
import { jobContainer, jobIn } from '../jobs.ts'
import { isPresent } from '../present.ts'
import type { Nameable } from '../read/value/dollars.ts'
import { type VolumeKind, type VolumeOwner, volumeName } from '../read/volume/volumes.ts'
import type { Spot } from '../spot.ts'
import { type Phase, tellPhase } from './phase.ts'
import { readServices } from './services.ts'
import { isKind, readSite } from './site.ts'

/** What a service under the Pallet contract has besides its containers. */
export type Pallet = {
  /** The variables of all phases, before each phase leaves out what is not for it. */
  readonly told: Readonly<Record<string, Text>>
  /** The service's volumes, and the two that the contract requires. */
  readonly volumes: ReadonlyMap<string, VolumeKind | undefined>
  readonly hasTests: boolean
  readonly redeploys: boolean
}

/** Where the contract's file systems are mounted, with the names of their volumes (P30, P31). */
export const places: ReadonlyMap<string, string> = new Map([
  ['/storage', 'storage'],
  ['/static', 'static'],
])

/** The owner of the volumes, and the name of the environment that the application is told. */
type PalletOwner = VolumeOwner & { readonly environmentName: string }

/** Reads `pallet` of a service, whose first container is under the contract; undefined if there is none. */
export function readPallet(
  written: WrittenService,
  owner: PalletOwner,
  volumes: ReadonlyMap<string, VolumeKind | undefined>,
  known: Nameable,
  spot: Spot,
): Pallet | undefined {
  const { pallet, containers } = written
  if (pallet === undefined) return undefined
  const at = spot.at('pallet')
  const [first] = containers
  if (first !== undefined) faultContainer(first, spot.at('containers', 0))
  faultVolumes(written, volumes, spot.at('volumes'))
  return {
    told: {
      ...readSite(pallet, owner.environmentName, at),
      ...readServices(pallet.services ?? [], known, at.at('services')),
    },
    volumes: new Map([
      ...[...places.values()].map(name => [name, persistent(name, owner)] as const),
      ...volumes,
    ]),
    hasTests: pallet.phases?.test === true,
    redeploys: pallet.redeployOnRollback !== false,
  }
}

/**
 * Returns the file system from which the ingress serves the static files of an application. It is the same for all of
 * its services (P31, D11).
 */
export function staticsOf(
  application: string,
  { mounts = [] }: Container,
  { volumes }: Instance,
): Statics | undefined {
  const mount = mounts.find(({ path }) => path === '/static')
  if (mount === undefined) return undefined
  return {
    alias: gateAlias(application, 'static files'),
    port: staticsPort,
    mount,
    volumes: volumes.filter(({ name }) => mount.kind === 'volume' && name === mount.volume),
  }
}

const staticsPort = 8080

/**
 * Returns the container with everything that the contract gives it, before it gets a phase. Its own `env` wins (P25).
 */
export function underContract(container: Container, { told, volumes }: Pallet, spot: Spot): Container {
  const mounts = container.mounts ?? []
  const added = [...places].map(([path, name]) => {
    const kind = volumes.get(name)
    if (mounts.some(mount => mount.path === path))
      spot.at('mounts').fault(`has something else at ${path}, where the Pallet contract mounts its own`)
    return kind && mountAt(path, kind)
  })
  const env = { ...told, ...container.env }
  const { ENVIRONMENT: kind } = env
  if (typeof kind === 'string' && !isKind(kind))
    spot.at('env').fault(`sets ENVIRONMENT to "${kind}", which the Pallet contract does not know`)
  return {
    ...container,
    env,
    mounts: [...mounts, ...added.filter(isPresent)].sort(byText(({ path }) => path)),
  }
}

/**
 * Returns the container as a phase runs it: entrypoint and user are the image's, and the phase is its only argument
 * (P3).
 */
export function inPhase(phase: Phase, container: Container): Container {
  return { ...container, command: [phase], env: tellPhase(phase, container.env ?? {}) }
}

/**
 * Returns what runs before the service does: `deploy`, which is never interrupted (P4, P7), and `test` if there is a
 * suite (P13). The container is under the contract, and has no phase yet.
 */
export function phaseJobs(
  { hasTests, redeploys }: Pallet,
  container: Container,
  instance: Instance,
): readonly Job[] {
  const job = (phase: 'deploy' | 'test') => ({
    ...jobIn(instance, phase, jobContainer(phase, inPhase(phase, container), instance)),
    onFailure: 'abort' as const,
  })
  return [
    ...(hasTests ? [{ ...job('test'), timeoutMs: 3_600_000 }] : []),
    { ...job('deploy'), ...(redeploys ? {} : { oncePerImage: true as const }) },
  ]
}

function faultContainer(written: WrittenContainer, spot: Spot): void {
  for (const key of ['cmd', 'command', 'entrypoint', 'user'] as const)
    if (written[key] !== undefined)
      spot.at(key).fault('is for the image to say: the Pallet contract keeps its entrypoint and its user')
}

/** The file system is the same in all phases and versions, and writable (P30). */
function faultVolumes(
  { volumes: written = [] }: WrittenService,
  volumes: ReadonlyMap<string, VolumeKind | undefined>,
  spot: Spot,
): void {
  written.forEach(({ name }, index) => {
    const kind = volumes.get(name)
    if (kind === undefined || ![...places.values()].includes(name)) return
    if (kind.kind !== 'volume' && (kind.kind !== 'host' || kind.readOnly === true))
      spot
        .at(index)
        .fault(
          `is what the Pallet contract mounts at /${name}: a persistent volume, or a writable one of the host`,
        )
  })
}

/** Old and new versions use it side by side, so it is never exclusive (P30). Other kinds are a fault of the volume. */
function mountAt(path: string, kind: VolumeKind): Mount | undefined {
  if (kind.kind === 'volume') return { kind: 'volume', volume: kind.volume.name, path, exclusive: false }
  return kind.kind === 'host' ? { kind: 'host', source: kind.source, path } : undefined
}

function persistent(name: string, owner: VolumeOwner): VolumeKind {
  return { kind: 'volume', volume: { name: volumeName(owner, name), application: owner.application } }
}
