import { optional } from '../../object.ts'
import { type LabelName, type Labels, label, labelOf } from '../../state/labels.ts'
import type { Health, LiveContainer, ServiceMark } from '../../state/running/live.ts'
import { replicasOf, type Task, type ToldService } from '../api/service.ts'
import { saidBy } from '../service/own.ts'
import { countNodes, type NodeNames } from './nodes.ts'
import { failureText } from './task/failure-text.ts'
import { keptText, standingOf } from './task/standing.ts'
import { lastTryOf } from './task/try-of-job.ts'

/** How many failed tasks in place of the same mean that it fails again and again. */
const failuresToMind = 2

/** What is known of a service besides what its manager tells now. */
type Besides = { readonly mark: ServiceMark; readonly told?: ServiceMark; readonly names: NodeNames }

/**
 * Converts a service of a Swarm into what stands for all its instances, or for a hook or phase. Undefined if Tallyman did
 * not make it, as its labels and its name say: what cannot be understood is left alone.
 */
export function toLiveService(
  service: ToldService,
  tasks: readonly Task[],
  besides: Besides,
): LiveContainer | undefined {
  const labels: Labels = service.Spec.Labels
  const said = (name: LabelName) => labelOf(labels, name)
  const itself = saidBy(service.Spec)
  if (itself === undefined) return undefined
  const version = said(label.version)
  return {
    id: service.ID,
    engineName: service.Spec.Name,
    networks: said(label.networks)?.split(' ') ?? [],
    ...(itself.role === 'app' ? standingFacts(service, tasks, besides) : jobFacts(service, tasks)),
    ...itself,
    instance: 1,
    ...(version === undefined ? {} : { version }),
    image: said(label.image) ?? '',
    digest: said(label.digest) ?? '',
    commit: said(label.commit) ?? '',
    ...optional('record', said(label.record)),
  }
}

type Facts = Pick<LiveContainer, 'state' | 'health' | 'status' | 'exitCode' | 'runs'>

function standingFacts(service: ToldService, tasks: readonly Task[], { names, ...marks }: Besides): Facts {
  const { wanted, running, nodes, failed, kept, unplaced, pending = unplaced } = standingOf(service, tasks)
  const isShort = running < wanted
  const fails = isShort && failed.length >= failuresToMind
  const again = fails ? 'again and again: ' : ''
  const health: Health = fails ? 'unhealthy' : isShort ? 'starting' : 'none'
  const updates = { updating: 'updating', paused: 'paused' } as const
  const update = Object.entries(updates).find(([state]) => state === service.UpdateStatus?.State)?.[1]
  return {
    // One that is told to have no tasks was stopped for a rollout, or by somebody.
    state: wanted === 0 ? 'exited' : 'running',
    health,
    status: `${running} of ${wanted} tasks run`,
    runs: {
      ...marks,
      ...optional('login', labelOf(service.Spec.Labels, label.login)),
      replicas: replicasOf(service.Spec),
      wanted,
      running,
      nodes: countNodes(nodes, names),
      ...(update === undefined ? {} : { update }),
      ...(isShort ? { why: pending ?? (failed.length > 0 ? `${again}${failureText(failed)}` : '') } : {}),
      ...(!isShort && kept.length > 0 ? { why: keptText(kept) } : {}),
    },
  }
}

/** A job is shown as the container of a hook or phase is. */
function jobFacts(service: ToldService, tasks: readonly Task[]): Facts {
  const last = lastTryOf(service, tasks)
  switch (last.state) {
    case 'created':
      return { state: 'created', health: 'none', status: 'Created' }
    case 'up':
      return { state: 'running', health: 'none', status: last.task?.Status.State ?? 'new' }
    case 'ended': {
      const { exitCode, endedBy = `Exited (${exitCode})` } = last
      return { state: 'exited', health: 'none', status: endedBy, exitCode }
    }
  }
}
