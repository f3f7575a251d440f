import { Failure } from '../../../errors.ts'
import type { RestartPolicy } from '../../../state/application/container/container.ts'
import { type Identity, isOurs } from '../../../state/identity.ts'
import { label, labelOf } from '../../../state/labels.ts'
import { isNameOfAnother } from '../../../state/running/instance-name.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { givenLabels } from './given-labels.ts'

/** The part of a container's attachment to one network that is used. */
export type Attachment = {
  readonly Aliases: readonly string[] | null
  /** An address that was chosen for it, and not by the engine. */
  readonly IPAMConfig: { readonly IPv4Address?: string } | null
  /** Empty while the container does not run. */
  readonly IPAddress: string
  readonly MacAddress: string
  /** Empty before the container is started for the first time. */
  readonly NetworkID: string
}

/** The part of `GET /containers/{id}/json` that is used. */
export type Inspected = {
  readonly Id: string
  /** With a leading slash. */
  readonly Name?: string
  /** The engine's own id of its image. */
  readonly Image: string
  readonly Created: string
  readonly RestartCount: number
  readonly State: {
    readonly Status: string
    readonly ExitCode: number
    /** `0001-01-01T00:00:00Z`: never. */
    readonly StartedAt: string
    readonly FinishedAt: string
    readonly OOMKilled: boolean
    readonly Error: string
    readonly Health?: {
      readonly Status: string
      readonly Log: readonly { readonly ExitCode: number; readonly Output: string }[] | null
    } | null
  }
  readonly Config: {
    /** The name of its image, as it was created with it. */
    readonly Image: string
    readonly Labels: Readonly<Record<string, string>> | null
    readonly Env: readonly string[] | null
    /** Its own, or its image's; empty: root. */
    readonly User?: string
    readonly StopTimeout?: number | null
    /** Whether it has a terminal, so that its output is one stream without frames. */
    readonly Tty?: boolean
  }
  readonly HostConfig: {
    readonly LogConfig?: { readonly Type: string }
    /** `container:` and an id: it shares the network of that one. */
    readonly NetworkMode?: string
    /** 0: none is set, or the engine does not keep it. */
    readonly Memory: number
    readonly MemoryReservation: number
    /** -1: no limit of swap, or the kernel keeps none. */
    readonly MemorySwap: number
    readonly NanoCpus: number
    readonly CpusetCpus: string
    readonly CpuShares: number
    readonly PidsLimit?: number | null
    readonly RestartPolicy: {
      readonly Name: RestartPolicy['name'] | ''
      readonly MaximumRetryCount: number
    }
  }
  readonly Mounts?: readonly { readonly Type: string; readonly Name?: string }[] | null
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, Attachment>> | null }
}

/**
 * Inspects a container, with the labels that it was given (0089); undefined if none has that name. `T` is the part of
 * the answer that is used.
 */
export async function inspectContainer<T extends Inspected = Inspected>(
  client: Client,
  container: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  const answer = await client.call<T>({ method: 'GET', path: `/containers/${container}/json` }, signal)
  if (answer.ok) return asGiven(client, answer.body, signal)
  if (answer.status === 404) return undefined
  throw refused(client.site, container, answer)
}

async function asGiven<T extends Inspected>(client: Client, there: T, signal: AbortSignal): Promise<T> {
  const { Id: container, Image: imageId, Config } = there
  const { Labels: labels, Image: imageName } = Config
  const given = await givenLabels(client, { container, labels, imageName, imageId }, signal)
  return given === labels ? there : { ...there, Config: { ...Config, Labels: given } }
}

/**
 * Inspects a container of the owner; undefined if none of the owner's has that name (G10), or only one that somebody
 * gave it (D9).
 */
export async function inspectOwn(
  client: Client,
  container: string,
  owner: Identity,
  signal: AbortSignal,
): Promise<Inspected | undefined> {
  const there = await inspectContainer(client, container, signal)
  return there !== undefined && isOwnNamed(there, container, owner) ? there : undefined
}

/** Whether a container is the owner's, and has not just been given the name of another one of the owner's. */
export function isOwnNamed({ Config: { Labels } }: Inspected, container: string, owner: Identity): boolean {
  if (!isOurs(Labels, owner)) return false
  const { environment } = owner
  const service = labelOf(Labels, label.service)
  const fingerprint = labelOf(Labels, label.fingerprint)
  if (service === undefined || fingerprint === undefined) return true
  const instance = Number(labelOf(Labels, label.instance))
  return !isNameOfAnother(container, { environment, service, instance, fingerprint })
}

/** Inspects a container that has to exist. Fails with `container-missing`. */
export async function inspectExisting(
  client: Client,
  container: string,
  signal: AbortSignal,
): Promise<Inspected> {
  const there = await inspectContainer(client, container, signal)
  if (there !== undefined) return there
  throw new Failure('container-missing', `${client.site}: ${container}: it is gone`, { resource: container })
}

/** Whether it runs, or is paused or restarting. */
export function isContainerUp({ State: { Status } }: Inspected): boolean {
  return Status === 'running' || Status === 'paused' || Status === 'restarting'
}

/** Whether it ended, or could not even be started: the engine keeps an exit code in that case too. */
export function hasEnded({ State: { Status, ExitCode } }: Inspected): boolean {
  return Status === 'exited' || Status === 'dead' || (Status === 'created' && ExitCode !== 0)
}

/** Returns when it was last started; undefined if never. */
export function startedAtMs({ State: { StartedAt } }: Inspected): number | undefined {
  return StartedAt.startsWith('0001-') ? undefined : Date.parse(StartedAt)
}

/** Returns the last output of its health check. */
export function lastOutput({ State }: Inspected): string {
  return State.Health?.Log?.at(-1)?.Output ?? ''
}
