import { Failure } from '../../errors.ts'
import type { Mount } from '../../state/application/container/container.ts'
import { lentShell } from '../../state/application/container/lent-shell.ts'
import { ingressName, isGate } from '../../state/application/ingress/route.ts'
import { type Identity, isOurs } from '../../state/identity.ts'
import { label, labelOf } from '../../state/labels.ts'
import { type Client, patientMs } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { listContainers } from '../observe/list-containers.ts'
import { engineNameOf } from '../observe/live-container.ts'
import { connectNetwork } from '../steps/network/networks.ts'
import { aliasesOf } from './attachment.ts'
import { writeFiles } from './files/write-files.ts'
import { writtenFiles } from './files/written-files.ts'
import { type Inspected, inspectContainer } from './inspect/inspect.ts'
import { lendShell } from './shell/lend-shell.ts'

/** Everything in `GET /containers/{id}/json` about how a container was created. */
type Whole = Inspected & {
  readonly Name: string
  readonly Config: Inspected['Config'] &
    Readonly<Record<string, unknown>> & { readonly Entrypoint?: readonly string[] | null }
  readonly HostConfig: Readonly<Record<string, unknown>> & {
    readonly NetworkMode: string
    readonly Mounts?: readonly { readonly Type: string; readonly Target: string }[] | null
  }
}

/**
 * Whether an engine that was killed while it started a container left it so that it can never be started: the container
 * runtime knows its id, and the engine does not know that.
 */
export function isUnstartable(words: string): boolean {
  return leftovers.some(pattern => pattern.test(words))
}

/** The note about it. */
export const madeAnew: string = 'made anew: the engine was killed while it started it, and lost it'

const leftovers = [
  /\btask \S* ?already exists/i,
  /\bid already in use/i,
  /container with (given )?id (already )?exists/i,
  /failed to (start|create) shim: mkdir \S+: file exists/i,
]

/**
 * Replaces a stopped container of the owner with a new one of the same configuration, networks and files, under its
 * name. With a sandbox also replaces the containers in it, which the engine ties to its id. Does not start it. Leaves
 * out gates, because an instance is admitted there once it is ready. Returns false if it is not the owner's (G10).
 */
export async function makeAnew(
  client: Client,
  container: string,
  owner: Identity,
  signal: AbortSignal,
): Promise<boolean> {
  const whole = await inspectWhole(client, container, signal)
  if (!isOurs(whole.Config.Labels, owner)) return false
  const members = await membersOf(client, whole, signal)
  const all = await Promise.all(
    [whole, ...members].map(async one => [one, await writtenFiles(client, one, signal)] as const),
  )
  for (const { Id } of [...members, whole]) await remove(client, Id, signal)
  let newId = ''
  for (const [one, files] of all) {
    const id = await create(client, one, name => name.replace(whole.Id, newId), signal)
    if (one === whole) newId = id
    const mounts = (one.HostConfig.Mounts ?? []).map(toMount)
    await writeFiles(client, id, { files, mounts }, signal)
    if (one.Config.Entrypoint?.[0] === lentShell)
      await lendShell(client, { sandbox: newId, container: id }, signal)
  }
  return true
}

async function inspectWhole(client: Client, container: string, signal: AbortSignal): Promise<Whole> {
  const there = await inspectContainer<Whole>(client, container, signal)
  if (there !== undefined) return there
  throw new Failure('container-missing', `${client.site}: ${container}: it is gone`, { resource: container })
}

/** Returns the containers in a sandbox, which share its network. */
async function membersOf(
  client: Client,
  { Id, Config: { Labels } }: Whole,
  signal: AbortSignal,
): Promise<readonly Whole[]> {
  if (labelOf(Labels, label.role) !== 'sandbox') return []
  const same = [label.environment, label.source, label.application, label.service, label.instance]
  const filters = { label: same.map(key => `${key}=${labelOf(Labels, key) ?? ''}`) }
  const listed = await listContainers(client, { all: 1, filters }, signal)
  const all = await Promise.all(listed.map(one => inspectWhole(client, one.Id, signal)))
  return all.filter(({ HostConfig }) => HostConfig.NetworkMode === `container:${Id}`)
}

async function remove(client: Client, id: string, signal: AbortSignal): Promise<void> {
  const answer = await client.call(
    { method: 'DELETE', path: `/containers/${id}`, query: { v: 1, force: 1 }, limitMs: patientMs },
    signal,
  )
  if (!answer.ok && answer.status !== 404) throw refused(client.site, id, answer)
}

/** Creates a container of the same configuration. `renewed` replaces the old id of a sandbox with the new one. */
async function create(
  client: Client,
  whole: Whole,
  renewed: (mode: string) => string,
  signal: AbortSignal,
): Promise<string> {
  const name = engineNameOf([whole.Name])
  const { NetworkMode } = whole.HostConfig
  const isIngress = labelOf(whole.Config.Labels, label.service) === ingressName
  const networks = Object.entries(whole.NetworkSettings.Networks ?? {}).filter(
    ([network]) => isIngress || !isGate(network),
  )
  const ofIts = networks.find(([network]) => network === NetworkMode)
  const body = {
    ...configOf(whole),
    HostConfig: Object.fromEntries(
      Object.entries(whole.HostConfig).map(([key, value]) => [
        key,
        typeof value === 'string' ? renewed(value) : value,
      ]),
    ),
    ...(ofIts && NetworkMode !== 'host'
      ? { NetworkingConfig: { EndpointsConfig: { [NetworkMode]: { Aliases: aliasesOf(whole, ofIts[1]) } } } }
      : {}),
  }
  const answer = await client.call<{ readonly Id: string }>(
    { method: 'POST', path: '/containers/create', query: { name }, body, limitMs: patientMs },
    signal,
  )
  if (!answer.ok) throw refused(client.site, name, answer)
  for (const [network, endpoint] of networks.filter(one => one !== ofIts))
    await connectNetwork(client, { container: name, network, aliases: aliasesOf(whole, endpoint) }, signal)
  return answer.body.Id
}

/**
 * Leaves out what the engine adds by itself and does not accept: the host name of a container that shares a network.
 */
function configOf({ Id, Config, HostConfig: { NetworkMode } }: Whole): object {
  const { Hostname, Domainname, ExposedPorts, MacAddress: _, ...rest } = Config
  if (NetworkMode.startsWith('container:')) return rest
  return { ...rest, Domainname, ExposedPorts, ...(Id.startsWith(String(Hostname)) ? {} : { Hostname }) }
}

function toMount({ Type, Target }: { readonly Type: string; readonly Target: string }): Mount {
  return Type === 'tmpfs' ? { kind: 'tmpfs', path: Target } : { kind: 'files', path: Target }
}
