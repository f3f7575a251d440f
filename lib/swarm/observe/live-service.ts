import { type LabelName, type Labels, label, labelOf } from '../../state/labels.ts'
import type { Health, LiveContainer, ServiceMark } from '../../state/running/live.ts'
import type { Task, ToldService } from '../api/service.ts'
import { failureText, standingOf } from './standing.ts'

/** How many failed tasks in place of the same mean that it fails again and again. */
const failuresToMind = 2

/**
 * Converts a service of a Swarm into what stands for all its instances. Undefined if its labels are not such as Tallyman
 * writes: what cannot be understood is left alone.
 */
export function toLiveService(
  service: ToldService,
  tasks: readonly Task[],
  marks: { readonly mark: ServiceMark; readonly told?: ServiceMark },
): LiveContainer | undefined {
  const labels: Labels = service.Spec.Labels
  const said = (name: LabelName) => labelOf(labels, name)
  const [application, of, container] = [said(label.application), said(label.service), said(label.container)]
  const fingerprint = said(label.fingerprint)
  if (!application || !of || !container || !fingerprint) return undefined
  const standing = standingOf(service, tasks)
  const { wanted, running, failed, pending } = standing
  const isShort = running < wanted
  const fails = isShort && failed.length >= failuresToMind
  const health: Health = fails ? 'unhealthy' : isShort ? 'starting' : 'none'
  const version = said(label.version)
  const digest = said(label.digest) ?? ''
  const updates = { updating: 'updating', paused: 'paused' } as const
  const update = Object.entries(updates).find(([state]) => state === service.UpdateStatus?.State)?.[1]
  return {
    id: service.ID,
    engineName: service.Spec.Name,
    state: 'running',
    health,
    status: `${running} of ${wanted} tasks run`,
    networks: said(label.networks)?.split(' ') ?? [],
    runs: {
      ...marks,
      wanted,
      running,
      ...(update === undefined ? {} : { update }),
      ...(isShort ? { why: pending ?? (failed.length > 0 ? failureText(failed) : '') } : {}),
    },
    application,
    service: of,
    instance: 1,
    container,
    role: 'app',
    ...(version === undefined ? {} : { version }),
    fingerprint,
    image: said(label.image) ?? '',
    digest,
    commit: said(label.commit) ?? '',
  }
}
