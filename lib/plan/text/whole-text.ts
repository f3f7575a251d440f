import type { Container, Mount } from '../../state/application/container/container.ts'
import { urlVariable } from '../../state/application/container/told-variables.ts'
import { digestOf } from '../../state/application/fingerprint.ts'
import type { SwarmService } from '../../state/application/swarm/swarm-service.ts'
import type { Change } from '../change/change.ts'
import { type Made, type Member, madeWhole, networkNames } from '../change/made-instances.ts'
import type { ContainerPlace } from '../step/container-place.ts'
import { stepsOf } from '../step/step.ts'
import { brief, listed, shortened } from './brief.ts'
import { quoted, wordsText } from './jobs-text.ts'
import { indented, type Line, styled } from './line.ts'
import { portsText } from './ports-text.ts'
import { powersOf, volumePower } from './powers.ts'

/**
 * Returns what a reviewer has to see of instances that are shown whole (G7, G23): what runs, its power over the host,
 * what it publishes and stores, and what it receives. Instances that differ only in their ports are shown once.
 */
export function wholeLines(change: Change): readonly Line[] {
  const made = madeWhole(change)
  // Instances of one fingerprint are equal: one of them is read (G24).
  const likenesses = new Map(
    [...new Map(made.map(one => [one.fingerprint, one]))].map(([fingerprint, one]) => [
      fingerprint,
      likeness(one),
    ]),
  )
  const groups = [...Map.groupBy(made, ({ fingerprint }) => likenesses.get(fingerprint)).values()]
  const lines = groups.flatMap(group => {
    const told = groupLines(group)
    const title = group.length === 1 ? '1 instance:' : `${group.length} instances:`
    return groups.length === 1 ? told : [title, ...told.map(line => indented(2, line))]
  })
  const isInPlace = groups.length > 0 && change.lines.some(({ sign }) => sign === '-/+')
  return [...(isInPlace ? [unknownBefore] : []), ...lines, ...volumeLines(change)]
}

const unknownBefore = 'what ran before is not known field by field; this takes its place:'

/** Returns a text that is equal for instances that are shown as one. */
function likeness({ members }: Made): string {
  return JSON.stringify(members.map(member => memberLines(member, []).flat()))
}

function groupLines([first, ...others]: readonly [Made, ...Made[]] | readonly Made[]): readonly Line[] {
  if (first === undefined) return []
  const isAlone = first.members.length === 1
  return first.members.flatMap((member, at) => {
    const ports = [first, ...others].flatMap(({ members }) => members[at]?.spec.ports ?? [])
    const lines = memberLines(member, ports)
    if (isAlone) return lines
    const { spec, placement } = member
    const title = placement.role === 'init' ? `${spec.name}, before the others start` : spec.name
    return [`${title}:`, ...lines.map(line => indented(2, line))]
  })
}

function memberLines({ spec, placement }: Member, ports: Container['ports']): readonly Line[] {
  const { image, mounts = [], entrypoint = [], command = [], handlers = {} } = spec
  const powers = [...(placement.network.mode === 'host' ? ["the host's network"] : []), ...powersOf(spec)]
  const kept = mounts.flatMap(mountText)
  const words = [...entrypoint, ...command]
  return [
    brief(`image: ${image.reference}${pinText(digestOf(image.pin))}`),
    ...(placement.runs === undefined ? [] : [tasksText(placement.runs), ...nodesText(placement.runs)]),
    ...(powers.length === 0 ? [] : [styled('red', `power over the host: ${powers.join('; ')}`)]),
    ...(ports === undefined || ports.length === 0 ? [] : [`publishes: ${portsText(ports)}`]),
    ...(kept.length === 0 ? [] : [`mounts: ${listed(kept, '; ')}`]),
    ...(handlers.preStart === undefined ? [] : [`before it: ${shortened(wordsText(handlers.preStart))}`]),
    ...(words.length === 0 ? [] : [`command: ${shortened(wordsText(words))}`]),
    ...(handlers.postStop === undefined ? [] : [`after it: ${shortened(wordsText(handlers.postStop))}`]),
    givenText(spec, placement),
  ]
}

/** Returns `3 tasks of the Swarm, replaced 1 at a time, each started before another is stopped`. */
function tasksText({ replicas, update: { parallelism, order } }: SwarmService): string {
  const tasks =
    replicas === 'global' ? '1 task on each node' : replicas === 1 ? '1 task' : `${replicas} tasks`
  const pace = parallelism === 0 ? 'all at once' : `${parallelism} at a time`
  const first =
    order === 'start-first' ? 'started before another is stopped' : 'started after another is stopped'
  return `${tasks} of the Swarm, replaced ${pace}, each ${first}`
}

function nodesText({ constraints = [], spread = [], platform }: SwarmService): readonly string[] {
  const all = [...constraints, ...(platform === undefined ? [] : [platform])]
  return [
    ...(all.length === 0 ? [] : [`on nodes with: ${listed(all.map(quoted), ', ')}`]),
    ...(spread.length === 0 ? [] : [`spread over nodes by: ${listed(spread.map(quoted), ', ')}`]),
  ]
}

function pinText(digest: string): string {
  return digest === '' ? ' (no registry has it)' : `@${digest}`
}

/** Returns `user: 1000; network: prod.shop; 3 variables, of which secret: TOKEN; 2 files`. */
function givenText(spec: Container, placement: ContainerPlace): string {
  const networks = networkNames(placement)
  const { user, env = {}, files = [] } = spec
  const isSecret = (value: unknown) => typeof value !== 'string'
  const secrets = Object.entries(env).flatMap(([name, value]) => (isSecret(value) ? [name] : []))
  const secretFiles = files.filter(({ content }) => isSecret(content)).map(({ path }) => path)
  return [
    `user: ${user === undefined ? 'that of the image' : quoted(user)}`,
    ...(networks.length === 0 ? [] : [`network: ${networks.join(', ')}`]),
    `${countText(Object.keys(env).length, 'variable', secrets)}${isToldWhereToAsk({ spec, placement }) ? ` and ${urlVariable}` : ''}`,
    ...(files.length === 0 ? [] : [countText(files.length, 'file', secretFiles)]),
  ].join('; ')
}

/** The address has a token, which is made together with the container. */
function isToldWhereToAsk({ spec, placement }: Member): boolean {
  return spec.metadata !== undefined || placement.joins?.isOfPod === true
}

function countText(count: number, what: string, secret: readonly string[]): string {
  const all = count === 0 ? `no ${what}s` : count === 1 ? `1 ${what}` : `${count} ${what}s`
  return secret.length === 0 ? all : `${all}, of which secret: ${listed(secret.map(quoted), ', ')}`
}

/** Mounts of the host are shown as power over it. */
function mountText(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case 'host':
    case 'files':
      return []
    case 'volume':
      return [
        `volume ${mount.volume} at ${quoted(mount.path)}${mount.readOnly === true ? ', read-only' : ''}`,
      ]
    case 'ephemeral':
      return [
        `ephemeral volume${mount.name === undefined ? '' : ` ${mount.name}`} at ${quoted(mount.path)}${mount.readOnly === true ? ', read-only' : ''}${rootText(mount.root)}`,
      ]
    case 'tmpfs':
      return [`tmpfs at ${quoted(mount.path)}`]
  }
}

type Root = Extract<Mount, { kind: 'ephemeral' }>['root']

function rootText(root: Root): string {
  if (root === undefined) return ''
  const { mode, uid, gid } = root
  return `, ${mode.toString(8).padStart(4, '0')} of ${uid}:${gid}`
}

function volumeLines({ prepare }: Change): readonly Line[] {
  const powers = stepsOf(prepare, 'create-volume').flatMap(({ volume }) => volumePower(volume))
  return powers.map(power => styled('red', `makes ${power}`))
}
