import type { Strategy } from '../../state/application/application.ts'
import type { Container } from '../../state/application/container/container.ts'
import type { ImageNotes } from '../../state/image/places.ts'
import type { ApplicationSpecification, Container as WrittenContainer } from '../application.gen.ts'
import type { BuildContext } from '../build/context.ts'
import type { Pins } from '../build/pins.ts'
import { parsePlatform } from '../grammar/platform.ts'
import { noImage, readImage } from '../image.ts'
import type { Pallet } from '../pallet/pallet.ts'
import { type Policy, violations, withinAllowed } from '../policy/policy.ts'
import { present } from '../present.ts'
import type { Watched } from '../probes/script.ts'
import { readContainer } from '../read/container.ts'
import { faultLateChecks } from '../read/health/gate.ts'
import { healthcheckOf, readProbes } from '../read/health/probes.ts'
import type { Hook } from '../read/hooks.ts'
import type { VariableValues } from '../read/value/dollars.ts'
import type { VolumeKind } from '../read/volume/volumes.ts'
import type { Spot } from '../spot.ts'

/** The application of a service. */
export type ServiceSurroundings = {
  readonly application: string
  readonly network: ApplicationSpecification['network']
  readonly pins: Pins
  readonly notes: ImageNotes
  readonly strategy: Strategy
  /** The hooks of the application's strategy. */
  readonly hooks: readonly Hook[]
  readonly context: BuildContext
}

/** What the containers of an instance have in common. */
export type Within = ServiceSurroundings & {
  readonly volumes: ReadonlyMap<string, VolumeKind | undefined>
  readonly variables: VariableValues
  readonly pallet: Pallet | undefined
}

/** What one container of an instance is built with, besides what is written of it. */
type Member = Within & { readonly alone: boolean; readonly shared: boolean }

/** Builds one of the containers that serve, and says how it is watched. */
export function buildMember(
  written: WrittenContainer,
  member: Member,
  spot: Spot,
): { readonly model: Container; readonly watched: Watched } {
  const { network, command } = readProbes(written, spot.at('probes'))
  const model = {
    ...buildContainer(written, member, spot),
    ...(command === undefined ? {} : healthcheckOf(command, member.strategy.timeoutMs)),
  }
  const { timeoutMs } = member.strategy
  faultLateChecks(written, { timeoutMs, healthcheck: model.healthcheck, probes: network }, spot)
  return { model, watched: { container: written.name, probes: network } }
}

/** An init container runs to its end and is not restarted by itself; the whole instance is tried again. */
export function buildInit(written: WrittenContainer, member: Member, spot: Spot): Container {
  for (const key of ['ports', 'restart', 'healthcheck', 'probes'] as const)
    if (written[key] !== undefined) spot.at(key).fault('is not for init containers, which run to their end')
  return { ...buildContainer(written, member, spot), restart: { name: 'no' } }
}

function buildContainer(written: WrittenContainer, member: Member, spot: Spot): Container {
  const { pins, notes, volumes, variables, alone, shared, context } = member
  const pinned = pins.pinned(written.image)
  const named = pinned?.image ?? spot.at('image').take(readImage(written.image)) ?? noImage
  const platform =
    written.platform === undefined ? undefined : spot.at('platform').take(parsePlatform(written.platform))
  const image = { ...named, ...present({ platform }) }
  notes.note(image, {
    image: pinned?.position ?? spot.at('image').position(),
    ...(platform === undefined ? {} : { platform: spot.at('platform').position() }),
  })
  const known = { variables, secrets: context.secrets }
  return readContainer(written, { image, volumes, alone, shared, known }, spot)
}

/**
 * Returns the container with the allowed directories of its mounts. Notes a fault for each demand beyond the policy
 * (G23).
 */
export function judged(container: Container, policy: Policy, spot: Spot): Container {
  for (const { key, reason, hint } of violations(container, policy))
    spot.at(key).fault(reason, 'policy-violation', hint)
  return withinAllowed(container, policy)
}
