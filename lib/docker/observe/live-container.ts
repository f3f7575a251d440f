import { keepText } from '../../memo/keep-text.ts'
import { optional } from '../../object.ts'
import { type LabelName, label, labelOf } from '../../state/labels.ts'
import type { Health, LiveContainer, RunState } from '../../state/running/live.ts'
import { loadedMark } from '../../state/running/loaded.ts'
import { isEnd } from '../container/inspect/done.ts'

/** The attachment of a listed container to a network. Its aliases are not listed. */
type ListedEndpoint = {
  readonly IPAMConfig?: { readonly IPv4Address?: string } | null
  /** Empty before the container is started for the first time. */
  readonly NetworkID?: string
  /** Changes with each start, and whenever it is attached again; empty while the container does not run. */
  readonly EndpointID?: string
}

/** The part of an entry of `GET /containers/json` that is used. */
export type ListedContainer = {
  readonly Id: string
  readonly Names: readonly string[]
  readonly Image: string
  readonly ImageID?: string
  readonly State: string
  readonly Status: string
  readonly Labels: Readonly<Record<string, string>> | null
  readonly NetworkSettings?: { readonly Networks: Readonly<Record<string, ListedEndpoint>> | null } | null
}

/**
 * Converts a listed container. Undefined if its labels are not such as Tallyman writes: what cannot be understood is
 * left alone.
 */
export function toLiveContainer(listed: ListedContainer): LiveContainer | undefined {
  const said = (name: LabelName) => labelOf(listed.Labels, name)
  const state = stateOf(listed.State)
  const role = roleOf(said(label.role))
  const application = said(label.application)
  const service = said(label.service)
  const container = said(label.container)
  const fingerprint = said(label.fingerprint)
  const instance = said(label.instance)
  if (!state || !role || !application || !service || !container || !fingerprint) return undefined
  if (instance === undefined || !/^[1-9]\d{0,8}$/.test(instance)) return undefined
  const version = said(label.version)
  const exitCode = exitCodeOf(listed.Status)
  const loaded = loadedMark(engineNameOf(listed.Names))
  const engineDigest = /@(sha256:[0-9a-f]{64})$/.exec(listed.Image)?.[1]
  return {
    ...factsOf(listed),
    state,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(said(label.restart) === undefined ? {} : { mayEnd: true }),
    ...(exitCode !== undefined && isEnd(said(label.restart), exitCode) ? { isDone: true } : {}),
    ...(loaded === undefined ? {} : { loaded }),
    ...(engineDigest === undefined ? {} : { engineDigest }),
    ...(listed.ImageID === undefined ? {} : { imageId: listed.ImageID }),
    application,
    service,
    instance: Number(instance),
    container,
    role,
    ...(version === undefined ? {} : { version }),
    fingerprint,
    image: said(label.image) ?? '',
    digest: said(label.digest) ?? '',
    commit: commitText(said(label.commit) ?? ''),
    ...optional('record', said(label.record)),
  }
}

/** Thousands of sites keep the commits of their applications, of which there are few. */
const commitText = keepText(1_000)

/** Returns what every container has, whoever created it. */
export function factsOf({ Id, Names, Status, NetworkSettings }: ListedContainer) {
  return {
    id: Id,
    engineName: engineNameOf(Names),
    health: healthOf(Status),
    status: Status,
    networks: Object.keys(NetworkSettings?.Networks ?? {}).sort(),
  }
}

/** Whether an address was chosen for it on any network, which only draining does. */
export function hasGivenAddress({ NetworkSettings }: ListedContainer): boolean {
  const endpoints = Object.values(NetworkSettings?.Networks ?? {})
  return endpoints.some(({ IPAMConfig }) => Boolean(IPAMConfig?.IPv4Address))
}

/** Returns a container's own name without its slash. Links appear as names with a second slash. */
export function engineNameOf(names: readonly string[]): string {
  const own = names.find(name => !name.slice(1).includes('/')) ?? ''
  return own.replace(/^\//, '')
}

function healthOf(status: string): Health {
  const said = /\((?:health: )?(starting|healthy|unhealthy)\)$/.exec(status)?.[1]
  return health.find(known => known === said) ?? 'none'
}

/** Returns 137 for `Exited (137) 3 seconds ago`. */
function exitCodeOf(status: string): number | undefined {
  const code = /^Exited \((\d+)\)/.exec(status)?.[1]
  return code === undefined ? undefined : Number(code)
}

function stateOf(said: string): RunState | undefined {
  return states.find(known => known === said)
}

function roleOf(said: string | undefined): LiveContainer['role'] | undefined {
  return roles.find(known => known === said)
}

const health: readonly Health[] = ['starting', 'healthy', 'unhealthy']
const states: readonly RunState[] = [
  'created',
  'running',
  'restarting',
  'paused',
  'exited',
  'removing',
  'dead',
]
const roles: readonly LiveContainer['role'][] = ['app', 'sandbox', 'init', 'hook', 'deploy', 'test']
